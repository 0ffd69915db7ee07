import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RowReader } from '../../http/csv/rows.ts';
import { isFull, propertyRuns } from '../support/property-runs.ts';

interface Options {
  readonly delimiter?: string;
  readonly quote?: string | null;
  readonly skipLines?: number;
}

/** Returns rows as `[line, …cells]` and problems as `line: reason`, without empty rows. */
async function read(
  pieces: Iterable<string>,
  { delimiter = ',', quote = '"', skipLines = 0 }: Options = {},
) {
  const reader = new RowReader({ delimiter, quote, skipLines });
  const batches = await Array.fromAsync(pieces, (piece) => Array.fromAsync(reader.read(piece)));
  return [...batches, await Array.fromAsync(reader.end())]
    .flat(2)
    .filter((row) => 'reason' in row || row.cells.join('') !== '')
    .map((row) => ('reason' in row ? `${row.line}: ${row.reason}` : [row.line, ...row.cells]));
}

const mebibyte = 1_048_576;

describe('the rows of a CSV file', () => {
  test('have the number of the line in which they begin, even if cells contain line breaks', async () => {
    const text = 'a,b\r\n"1\r\n\r\n2",x\r\n\r\nc,"d"\r\n';
    expect(await read([text])).toEqual([
      [1, 'a', 'b'],
      [2, '1\r\n\r\n2', 'x'],
      [6, 'c', 'd'],
    ]);
  });

  test('are read again from the line after a broken quote', async () => {
    const text = 'a,b\n1,5" pipe\n2,x\n3,"open\n4,y\n"5"z,6\n7,8';
    expect(await read([text])).toEqual([
      [1, 'a', 'b'],
      '2: has a broken quote',
      [3, '2', 'x'],
      '4: has a broken quote',
      [5, '4', 'y'],
      '6: has a broken quote',
      [7, '7', '8'],
    ]);
  });

  test.runIf(isFull)(
    'are read again from the line after a quote that is never closed',
    async () => {
      expect(await read(['a,b\n1,"open\n2,x\n3,y\n'])).toEqual([
        [1, 'a', 'b'],
        '2: opens a quote that is not closed',
        [3, '2', 'x'],
        [4, '3', 'y'],
      ]);
      const long = `${'x\n'.repeat(mebibyte)}`;
      const [first, second, ...rest] = await read([`"${long}`]);
      expect([first, second]).toEqual([
        '1: is longer than 1 MiB, or a quote is not closed',
        [2, 'x'],
      ]);
      expect(rest).toHaveLength(mebibyte - 2);
    },
  );

  test('are reported if they are longer than 1 MiB, and the rows after them are read', async () => {
    const long = 'x'.repeat(mebibyte);
    expect(await read([`${long.slice(1)}\n1,2\n`])).toEqual([
      [1, long.slice(1)],
      [2, '1', '2'],
    ]);
    expect(await read([`${long}\n1,2\n`])).toEqual(['1: is longer than 1 MiB', [2, '1', '2']]);
    expect(await read([long, long, 'x', '\n1,2\n'])).toEqual([
      '1: is longer than 1 MiB, or a quote is not closed',
      [2, '1', '2'],
    ]);
  });

  test('are refused if more than 1,000 of them have broken quotes', async () => {
    const rows = '"a"b\nc"\n'.repeat(501);
    await expect(read([rows])).rejects.toThrow(/^more than 1000 rows have broken quotes/);
  });

  test('end with LF, CRLF or CR, even if a file mixes these line ends', async () => {
    expect(await read(['a,b\r', '\n1,2\r3,4\n', '5,6\r'])).toEqual([
      [1, 'a', 'b'],
      [2, '1', '2'],
      [3, '3', '4'],
      [4, '5', '6'],
    ]);
  });

  test('are reported if they are longer than 1 MiB and contain only delimiters', async () => {
    expect(await read([','.repeat(1.5 * mebibyte), '\n1,2\n'])).toEqual([
      '1: is longer than 1 MiB, or a quote is not closed',
      [2, '1', '2'],
    ]);
  });

  test('can contain quotes as ordinary characters if the reader doesn’t treat quotes specially', async () => {
    expect(await read(['a,5"\n"b,"c"\n'], { quote: null })).toEqual([
      [1, 'a', '5"'],
      [2, '"b', '"c"'],
    ]);
  });

  test('begin after the lines that the reader must skip, whatever these lines contain', async () => {
    expect(await read(['"\n"', '"\n\na,b', '\n'], { skipLines: 3 })).toEqual([[4, 'a', 'b']]);
    expect(await read(['a\nb'], { skipLines: 3 })).toEqual([]);
  });
});

test('CSV that the service has written is read back unchanged, even if it arrives in pieces of any size', async () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', '"', ';', ',', '\n', '\r\n', ' ', 'é', '€', '😀'),
  });
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 8 });
  const lineBreaks = fc.constantFrom('\n', '\r\n');
  const property = fc.asyncProperty(
    rows,
    lineBreaks,
    fc.integer({ min: 1, max: 7 }),
    async (table, lineBreak, size) => {
      const text = [['first', 'row'], ...table]
        .map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(';') + lineBreak)
        .join('');
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? [];
      const whole = await read(pieces, { delimiter: ';' });
      const filled = table.filter((row) => row.join('') !== '');
      expect(whole.slice(1).map((row) => row.slice(1))).toEqual(filled);
      let line = 2;
      const lines = table.map((row) => {
        const begin = line;
        line += 1 + row.join('').split('\n').length - 1;
        return { begin, isFilled: row.join('') !== '' };
      });
      expect(whole.slice(1).map(([begin]) => begin)).toEqual(
        lines.filter(({ isFilled }) => isFilled).map(({ begin }) => begin),
      );
    },
  );
  await fc.assert(property, { numRuns: propertyRuns(1_000) });
});
