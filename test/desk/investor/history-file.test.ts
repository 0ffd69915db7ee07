import * as xlsx from '@e965/xlsx';
import { unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { openSheet } from '#http';
import { importLines } from '../../support/fixtures.ts';
import type { TestService } from '../../support/service.ts';
import { aValue, describeDesk, deskCookie } from '../desk.ts';
import { deskRecords, openShared } from './portfolios.ts';

async function openHistory(service: TestService) {
  const opened = await openShared(service);
  await importLines(service.operator, [
    aValue(opened.company.id, {
      ...{ key: 'x', label: '=HYPERLINK("http://x")', value: '@12345678901234567890' },
      raw_value: JSON.rawJSON('12345678901234567890'),
      source: { system: '+cmd', method: 'api', last_synced: '2026-11-01T00:00:00Z' },
    }),
  ]);
  return opened;
}

const fileOf = (companyId: string, form: string) =>
  `/desk/portfolio/${companyId}/history.${form}?key=x&key=cash_balance&key=headcount`;

async function download(service: TestService, session: string, path: string) {
  const response = await fetch(service.url + path, {
    headers: { cookie: `${deskCookie}=${session}` },
  });
  return new Uint8Array(await response.arrayBuffer());
}

/** Returns the texts and numbers in a metric's row by column, as the library SheetJS reads them. */
function readBySheetJs(bytes: Uint8Array, key: string) {
  const { Sheets, SheetNames } = xlsx.read(bytes, { cellDates: true, cellNF: true, UTC: true });
  const sheet = Sheets[SheetNames[0] ?? ''] ?? {};
  const rows: unknown[][] = xlsx.utils.sheet_to_json(sheet, { header: 1, raw: false });
  const columns = rows[0] as string[];
  const line = rows.findLastIndex((row) => row[columns.indexOf('key')] === key);
  const cell = (name: string): xlsx.CellObject =>
    sheet[xlsx.utils.encode_cell({ r: line, c: columns.indexOf(name) })];
  return { names: SheetNames, columns, cell };
}

describeDesk('the file of a history', (given) => {
  it('contains dates, numbers and booleans that two different libraries can read', async () => {
    const { person, company } = await openHistory(given());
    const bytes = await download(given(), person.session, fileOf(company.id, 'xlsx'));
    const { names, cell } = readBySheetJs(bytes, 'cash_balance');
    expect(names).toEqual(['Metrics']);
    expect(cell('raw_value')).toMatchObject({
      t: 'n',
      v: 990_000.25,
      z: '#,##0.00',
      w: '990,000.25',
    });
    expect(cell('period')).toMatchObject({ t: 'd', v: new Date('2026-10-31'), w: '2026-10-31' });
    expect(cell('as_of')).toMatchObject({ t: 'd', v: new Date('2026-10-31T23:59:59Z') });
    expect(cell('verification.verified')).toMatchObject({ t: 'b', v: true });
    const headcount = readBySheetJs(bytes, 'headcount').cell('raw_value');
    expect(headcount).toMatchObject({ t: 'n', v: 48, z: '#,##0' });

    const own = await openSheet({
      ...{ bytes, name: 'history.xlsx', sheet: null, encoding: undefined, maxRows: 100 },
    });
    const heading = own.rows[0]?.cells ?? [];
    const row = own.rows.find(({ cells }) => cells.includes('cash_balance'));
    const ownCell = (name: string) => row?.cells[heading.indexOf(name)];
    expect(own.name).toBe('Metrics');
    expect(ownCell('period')).toMatchObject({ kind: 'date', day: '2026-08-31' });
    expect(ownCell('raw_value')).toMatchObject({ kind: 'number', text: '1500000' });
    expect(ownCell('verification.verified')).toEqual({ kind: 'flag', value: true });
  });

  it.each(['csv', 'xlsx'])(
    'contains signatures in %s only if the address asks for them',
    async (form) => {
      const { person, company } = await openHistory(given());
      const columnsOf = async (more: string) => {
        const path = fileOf(company.id, form) + more;
        return readBySheetJs(await download(given(), person.session, path), 'headcount').columns;
      };
      const [usual, all] = [await columnsOf(''), await columnsOf('&signatures=yes')];
      expect(all.filter((name) => !usual.includes(name))).toEqual([
        ...['verification.signature', 'verification.public_key_url'],
        ...['verification.source_signature', 'signed_at', 'key_id'],
      ]);
    },
  );

  it('starts with the byte order mark of UTF-8 in CSV', async () => {
    const { person, company } = await openHistory(given());
    const bytes = await download(given(), person.session, fileOf(company.id, 'csv'));
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(readBySheetJs(bytes, 'headcount').columns[0]).toBe('company_id');
  });

  it('has every value of the chosen metrics, and counts as one read', async () => {
    const service = given();
    const { person, company } = await openHistory(service);
    const { text, headers } = await person.get(
      `/desk/portfolio/${company.id}/history.csv?key=cash_balance&key=headcount`,
    );
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    expect(headers.get('cache-control')).toBe('no-store');
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^company_id,key,label,currency,period,raw_value/);
    expect(lines[3]).toMatch(/,cash_balance,Cash balance,USD,2026-10-31,990000.25,/);
    expect(await deskRecords(service, company.id)).toMatchObject([
      { resource: 'metric_history', outcome: 'allowed', count: 1 },
    ]);
  });

  it('contains no text of a company as a formula in a workbook, and keeps all digits', async () => {
    const service = given();
    const { person, company } = await openHistory(service);
    const response = await fetch(
      `${service.url}/desk/portfolio/${company.id}/history.xlsx?key=x&key=cash_balance`,
      { headers: { cookie: `${deskCookie}=${person.session}` } },
    );
    expect(response.headers.get('content-type')).toMatch(/spreadsheetml/);
    expect(response.headers.get('content-disposition')).toContain(`history-${company.id}.xlsx`);
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
    const texts = Object.entries(files).map(([name, bytes]) => [
      name,
      new TextDecoder().decode(bytes),
    ]);
    const sheet = texts.find(([name]) => /worksheets\/sheet1\.xml$/.test(name ?? ''))?.[1] ?? '';
    const everything = texts.map(([, text]) => text).join('');
    expect(sheet).not.toMatch(/<f[ >]/);
    expect(everything).toContain('=HYPERLINK(');
    expect(everything).toContain('12345678901234567890');
    // Only an exact number is a number in the spreadsheet.
    expect(sheet).toMatch(/<v>990000\.25<\/v>/);
    // The days from 1900 to 2026-10-31 and to 2026-11-01T04:00:00Z. The format of the cells shows dates.
    expect(sheet).toMatch(/<c r="[A-Z]+\d+" s="\d+"><v>46326<\/v>/);
    expect(sheet).toMatch(/<c r="[A-Z]+\d+" s="\d+"><v>46327\.1666\d+<\/v>/);
    expect(everything).toContain('formatCode="yyyy-mm-dd"');
    expect(everything).toContain('formatCode="yyyy-mm-dd hh:mm:ss"');
    expect(everything).not.toContain('2026-1');
  });

  it('is refused if no metric is chosen', async () => {
    const { person, company } = await openHistory(given());
    expect((await person.get(`/desk/portfolio/${company.id}/history.csv`)).status).toBe(400);
  });
});
