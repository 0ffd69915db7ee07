import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { openSheet } from '#http';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const list = (...targets: readonly (readonly [string, string])[]) =>
  `<Relationships xmlns="${relations}">${targets.map(([type, target], at) => `<Relationship Id="r${at}" Type="${types}/${type}" Target="${target}"/>`).join('')}</Relationships>`;

interface Parts {
  readonly rows: string;
  readonly properties?: string;
  readonly codes?: readonly string[];
  readonly texts?: readonly string[];
}

/** A workbook of one sheet. Its cells refer to number formats by position. */
function workbook({ rows, properties = '', codes = [], texts = [] }: Parts): Uint8Array {
  const formats = codes.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code}"/>`);
  const styles = codes.map((_, at) => `<xf numFmtId="${200 + at}"/>`);
  return zipSync({
    '_rels/.rels': strToU8(list(['officeDocument', 'xl/workbook.xml'])),
    'xl/workbook.xml': strToU8(
      `<workbook xmlns="${main}" xmlns:r="${types}"><workbookPr ${properties}/><sheets><sheet name="Old" state="hidden" r:id="r0"/><sheet name="A" r:id="r0"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      list(
        ['worksheet', 'worksheets/sheet1.xml'],
        ['styles', 'styles.xml'],
        ['sharedStrings', 'strings.xml'],
      ),
    ),
    'xl/strings.xml': strToU8(
      `<sst xmlns="${main}">${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    ),
    'xl/styles.xml': strToU8(
      `<styleSheet xmlns="${main}"><numFmts>${formats.join('')}</numFmts><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
    ),
    'xl/worksheets/sheet1.xml': strToU8(
      `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`,
    ),
  });
}

const open = (bytes: Uint8Array, name = 'a.xlsx', maxRows = 10) =>
  openSheet({ bytes, name, sheet: null, maxRows, encoding: undefined });
const refusal = (bytes: Uint8Array, name?: string, maxRows?: number) =>
  open(bytes, name, maxRows).then(
    () => 'taken',
    ({ refusal: { code } }) => code,
  );

describe('an uploaded workbook', () => {
  test('is read with its number formats, its error cells and the place of each cell', async () => {
    const codes = ['0.0%', 'dd.mm.yyyy', 'mmm yyyy', '#,##0.00 [$€-407]', 'yyyy-mm-dd hh:mm'];
    const rows = [
      '<row r="3"><c r="B3" t="inlineStr"><is><t>a</t></is></c><c r="D3" s="1"><v>0.781</v></c></row>',
      '<row r="5"><c r="A5" s="2"><v>46326</v></c><c r="B5" s="3"><v>46296</v></c><c r="C5" s="4"><v>5.0999999999999996</v></c></row>',
      '<row><c s="5"><v>46327.16666666667</v></c><c t="e"><v>#REF!</v></c><c><f>A1</f></c><c t="b"><v>1</v></c></row>',
    ];
    const { rows: read, name } = await open(workbook({ rows: rows.join(''), codes }));
    expect(name).toBe('A');
    expect(read).toEqual([
      {
        line: 3,
        cells: ['', 'a', '', { kind: 'number', text: '0.781', isPercent: true, currency: null }],
      },
      {
        line: 5,
        cells: [
          { kind: 'date', day: '2026-10-31', time: null, isMonth: false },
          { kind: 'date', day: '2026-10-01', time: null, isMonth: true },
          { kind: 'number', text: '5.1', isPercent: false, currency: 'EUR' },
        ],
      },
      {
        line: 6,
        cells: [
          { kind: 'date', day: '2026-11-01', time: '04:00:00', isMonth: false },
          { kind: 'error', text: '#REF!' },
          { kind: 'error', text: '' },
          { kind: 'flag', value: true },
        ],
      },
    ]);
  });

  test('can count days from 1904 instead of 1900', async () => {
    const rows = '<row><c s="1"><v>44864</v></c></row>';
    const sheet = await open(workbook({ rows, codes: ['d/m/yy'], properties: 'date1904="1"' }));
    expect(sheet.rows[0]?.cells).toEqual([
      { kind: 'date', day: '2026-10-31', time: null, isMonth: false },
    ]);
  });

  test('is refused if its cells repeat long shared texts beyond the limit of characters', async () => {
    const texts = ['x'.repeat(32_000), ' '.repeat(32_000)];
    const rowsOf = (text: number) => `<row>${`<c t="s"><v>${text}</v></c>`.repeat(1_500)}</row>`;
    expect(await refusal(workbook({ rows: rowsOf(0), texts }))).toBe('large_workbook');
    expect(await refusal(workbook({ rows: rowsOf(1), texts }))).toBe('taken');
    const long = workbook({ rows: '', texts: ['x'.repeat(40_000)] });
    expect(await refusal(long)).toBe('large_workbook');
  });

  test('is read without a number format that is longer than spreadsheet programs allow', async () => {
    const rows = '<row><c s="1"><v>1</v></c></row>';
    const long = await open(workbook({ rows, codes: [`0&quot;${' '.repeat(100_000)}`] }));
    expect(long.rows[0]?.cells).toMatchObject([{ text: '1', currency: null }]);
  });

  test('is refused if its zip directory lists parts above the size limit', async () => {
    expect(await refusal(workbook({ rows: ' '.repeat(70 * 1_048_576) }))).toBe('large_workbook');
  });

  test.each([
    ['rows', '<row><c><v>1</v></c></row>'.repeat(10_200), 'too_many_rows'],
    ['columns', '<row><c r="ZZZ1"><v>1</v></c></row>', 'large_workbook'],
    ['places', '<row><c r="AAA1"><v>1</v></c></row>'.repeat(3_000), 'large_workbook'],
    ['elements', `<row>${'<c/>'.repeat(2_000_000)}</row>`, 'large_workbook'],
    ['characters', `<row><c t="str"><v>${'x'.repeat(40_000)}</v></c></row>`, 'large_workbook'],
    ['entities', '<row><c t="str"><v>&bomb;</v></c></row>', 'broken_workbook'],
    ['tags', '<row><c>', 'broken_workbook'],
  ])('is refused if it has too many or invalid %s', async (_what, rows, code) => {
    expect(await refusal(workbook({ rows }), undefined, 10_000)).toBe(code);
  });

  test.each([
    ['#,##0 &quot;T€&quot;', '5 T€'],
    ['#,##0 &quot;Mio. €&quot;', '5 Mio. €'],
    ['#,##0\\k', '5 k'],
    ['#,##0,&quot;T€&quot;', { kind: 'number', text: '5', isPercent: false, currency: 'EUR' }],
    ['0 &quot;FTE&quot;', { kind: 'number', text: '5', isPercent: false, currency: null }],
  ])('shows a number according to the format %s', async (format, cell) => {
    const sheet = await open(
      workbook({ rows: '<row><c s="1"><v>5</v></c></row>', codes: [format] }),
    );
    expect(sheet.rows[0]?.cells).toEqual([cell]);
  });

  const zip = (...names: readonly string[]) =>
    zipSync(Object.fromEntries(names.map((name) => [name, strToU8('a')])));
  const compound = Buffer.from('d0cf11e0a1b11ae1', 'hex');

  test.each([
    [
      'a protected workbook',
      Buffer.concat([compound, Buffer.from('EncryptedPackage', 'utf16le')]),
      'a.xlsx',
      'encrypted',
    ],
    ['an old workbook with a new extension', compound, 'a.xlsx', 'old_workbook'],
    [
      'a text with the extension of a workbook',
      Buffer.from('key,period'),
      'a.xlsx',
      'renamed_text',
    ],
    ['a binary workbook', zip('xl/workbook.bin'), 'a.xlsb', 'binary_workbook'],
    ['an OpenDocument sheet', zip('mimetype', 'content.xml'), 'a.ods', 'other_program'],
    ['another archive', zip('a.txt'), 'a.zip', 'not_a_table'],
    ['a damaged workbook', workbook({ rows: '' }).subarray(0, 500), 'a.xlsx', 'broken_workbook'],
    ['an HTML page', Buffer.from('\ufeff<html><table>'), 'a.xls', 'not_a_table'],
  ])('is distinguished from other files: %s', async (_what, bytes, name, code) => {
    expect(await refusal(bytes, name)).toBe(code);
  });
});
