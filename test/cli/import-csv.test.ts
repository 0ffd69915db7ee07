import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { asOfNow } from '../support/call.ts';
import { closedAfterAll } from '../support/closed.ts';
import { openOwnDatabase } from './database.ts';
import { runCommand } from './harness.ts';

const { composition, folder } = await closedAfterAll(openOwnDatabase());
let company: string;
let count = 0;

beforeEach(async () => {
  count += 1;
  company = `co_csv_${count}`;
  await addCompany(company);
});

async function addCompany(id: string): Promise<void> {
  const line = JSON.stringify({ type: 'company', id, name: id, environment: 'test' });
  await runCommand(['import', '-'], { composition, stdin: [line] });
}

const shared = () => ({
  company_id: { value: company },
  currency: { value: 'EUR' },
  'source.system': { value: 'DATEV' },
  'source.method': { value: 'file' },
  'source.last_synced': { value: '2026-11-01T04:00:00Z' },
});

/** Maps the columns Day and Amount to one metric. */
const simple = (changes: object = {}) => ({
  numbers: { decimal_mark: '.' },
  dates: { formats: ['YYYY-MM-DD'] },
  fields: shared(),
  records: metric(),
  ...changes,
});
const metric = (fields: object = {}, more: object = {}) => [
  {
    type: 'metric',
    fields: {
      key: { value: 'cash' },
      period: { column: 'Day' },
      raw_value: { column: 'Amount' },
      ...fields,
    },
    ...more,
  },
];

async function importCsv(file: string | Uint8Array, mapping: object, ...options: string[]) {
  const path = join(folder, `file-${count}.csv`);
  const mappingPath = join(folder, `mapping-${count}.json`);
  await Promise.all([writeFile(path, file), writeFile(mappingPath, JSON.stringify(mapping))]);
  return runCommand(['import', path, '--mapping', mappingPath, '--json', ...options], {
    composition,
  });
}

async function history(key = 'cash', of = company) {
  const { companyData } = composition.database.repositories;
  const metrics = await companyData.metricHistory(asOfNow(of), key);
  return Object.fromEntries(metrics.map(({ period, rawValue }) => [period, rawValue]));
}

async function expectImported(
  file: string | Uint8Array,
  mapping: object,
  expected: Record<string, string>,
) {
  const outcome = await importCsv(file, mapping);
  expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await history()).toEqual(expected);
}

const plain = 'Day,Amount\n2026-01-31,1.50\n2026-02-28,2\n';
const umlaut = 'Täg,Amount\n2026-01-31,1.50\n';
const plainValues = { '2026-01-31': '1.5', '2026-02-28': '2' };

describe('a CSV file', () => {
  test('is read with LF, CRLF or CR as line breaks, and without a line break at its end', async () => {
    await expectImported(plain, simple(), plainValues);
    await expectImported(plain.replaceAll('\n', '\r\n'), simple(), plainValues);
    await expectImported(plain.replaceAll('\n', '\r'), simple(), plainValues);
    await expectImported(plain.trimEnd(), simple(), plainValues);
  });

  test.each([
    ['UTF-8 with a byte-order mark', Buffer.from(`\ufeff${umlaut}`), undefined],
    ['UTF-16LE with a byte-order mark', Buffer.from(`\ufeff${umlaut}`, 'utf16le'), undefined],
    [
      'UTF-16BE with a byte-order mark',
      Buffer.from(`\ufeff${umlaut}`, 'utf16le').swap16(),
      undefined,
    ],
    ['UTF-16LE by name', Buffer.from(umlaut, 'utf16le'), 'utf-16le'],
    ['windows-1252 by name', Buffer.from(umlaut, 'latin1'), 'windows-1252'],
    ['Latin-1 by name', Buffer.from(umlaut, 'latin1'), 'latin-1'],
  ])('is read in the encoding %s', async (_, file, encoding) => {
    const records = metric({ period: { column: 'Täg' } });
    const mapping = simple({ records, ...(encoding && { encoding }) });
    await expectImported(file, mapping, { '2026-01-31': '1.5' });
  });

  test('is read with the euro sign of windows-1252', async () => {
    const file = Buffer.concat([
      Buffer.from('Day,Amount\n2026-01-31,1.50 '),
      Buffer.of(0x80, 0x0a),
    ]);
    const numbers = { decimal_mark: '.', symbols: ['€'] };
    await expectImported(file, simple({ encoding: 'windows-1252', numbers }), {
      '2026-01-31': '1.5',
    });
  });

  test('is read with lines before the header, tabs, another quote, blank rows and a trailing delimiter', async () => {
    const file =
      "Report \"of\nno form\n\nDay\tAmount\n2026-01-31\t'1.50'\t\n\t\n\n2026-02-28\t2\t\n";
    const mapping = simple({ delimiter: '\t', quote: "'", skip_lines: 3 });
    await expectImported(file, mapping, plainValues);
  });

  test('is read by column numbers if it has no header', async () => {
    const records = metric({ period: { column: 2 }, raw_value: { column: 1 } });
    const mapping = simple({ header: false, records });
    await expectImported('1.50,2026-01-31\n2,2026-02-28', mapping, plainValues);
  });

  test('can have several types of records in one row', async () => {
    const id = `${company}_new`;
    const file = `Id,Name,Bank,Kind,Number,Balance,Cash,Staff,Synced\n${id},Neu,Qonto,Giro,1234,"1,5",2,,01/11/2026 05:00\n`;
    const own = { ...shared(), company_id: { column: 'Id' } };
    const outcome = await importCsv(file, {
      numbers: { decimal_mark: ',' },
      dates: { formats: ['DD/MM/YYYY HH:mm'], utc_offset: '+01:00' },
      fields: { ...own, 'source.last_synced': { column: 'Synced' } },
      records: [
        {
          type: 'company',
          fields: {
            id: { column: 'Id' },
            name: { column: 'Name' },
            environment: { value: 'test' },
          },
        },
        {
          type: 'source',
          fields: {
            provider: { column: 'Bank' },
            status: { value: 'connected' },
            account_name: { column: 'Kind' },
            last_synced_at: { column: 'Synced' },
            expected_every: { value: 'P1D' },
          },
        },
        {
          type: 'account',
          fields: {
            provider: { column: 'Bank' },
            name: { column: 'Kind' },
            account_type: { column: 'Kind', values: { Giro: 'bank' } },
            raw_balance: { column: 'Balance' },
            last_four: { column: 'Number' },
            last_synced_at: { column: 'Synced' },
          },
        },
        {
          type: 'metric',
          fields: {
            key: { value: 'cash' },
            raw_value: { column: 'Cash' },
            period: { value: '2026-10-31' },
            'verification.verified': { value: true },
          },
        },
        {
          type: 'metric',
          fields: {
            key: { value: 'headcount' },
            currency: { value: null },
            raw_value: { column: 'Staff', empty: 'skip' },
            period: { value: '2026-10-31' },
          },
        },
      ],
    });
    expect(outcome.stderr).toBe('');
    expect(outcome.json).toMatchObject({ inserted: 4, bad_lines: 0 });
    const { companyData } = composition.database.repositories;
    expect(await companyData.latestMetrics(asOfNow(id))).toMatchObject([
      {
        key: 'cash',
        verification: { verified: true },
        source: { lastSynced: new Date('2026-11-01T04:00:00Z') },
      },
    ]);
    expect(await companyData.accounts(asOfNow(id))).toMatchObject([
      { type: 'bank', rawBalance: '1.5', lastFour: '1234' },
    ]);
    expect(await companyData.sources(asOfNow(id))).toMatchObject([
      { accountName: 'Giro', expectedEvery: 'P1D', staleAt: new Date('2026-11-02T04:00:00Z') },
    ]);
  });

  test.each([
    ['dates', 'Jan 2026,2026 total,Feb 2026', { formats: ['MMM YYYY'] }],
    ['any text', 'A,B,C', { days: { A: '2026-01-31', C: '2026-02-28' } }],
  ])(
    'is read with one column per period if the headings are %s',
    async (_, headings, period_columns) => {
      const mapping = simple({
        dates: { month: 'last_day' },
        records: [
          {
            type: 'metric',
            period_columns,
            fields: {
              key: { column: 'Metric', values: { Cash: 'cash' }, others: 'skip' },
              raw_value: { empty: 'skip', negate: true },
            },
          },
        ],
      });
      const file = `Metric,${headings}\nCash,-1.5,,-2\nOther,1,2,3\n`;
      await expectImported(file, mapping, plainValues);
    },
  );

  test('is read with the mapping’s rules for empty cells', async () => {
    const mapping = simple({
      empty_texts: ['n/a'],
      records: metric({
        period: { column: 'Day', empty: 'skip' },
        raw_value: { column: 'Amount', empty: { value: null } },
        label: { column: 'Label', empty: 'omit' },
        currency: { column: 'Currency', empty: { value: null } },
      }),
    });
    const file = 'Day,Amount,Label,Currency\n2026-01-31,1.5,,n/a\nn/a,7,,\n2026-02-28,,,\n';
    const { exitCode, stderr } = await importCsv(file, mapping, '--skip-bad-lines');
    expect(exitCode).toBe(0);
    expect(stderr).toBe('line 4: raw_value in column "Amount": must be a number, not null\n');
    const { companyData } = composition.database.repositories;
    expect(await companyData.latestMetrics(asOfNow(company))).toMatchObject([
      { label: 'Cash', currency: null, rawValue: '1.5' },
    ]);
  });
});

describe('bad rows', () => {
  test('are all reported in one run with their lines, and nothing is imported', async () => {
    const file = [
      'Day,Amount,Note',
      '2026-01-31,1.50,fine',
      '31.01.2026,"1,5","two',
      'lines"',
      '2026-02-30,2,',
      '2026-03-31,3',
      '2026-04-30,4,5,6',
      '2026-05-31,5,an inch is 1" here',
      '2026-06-30,12345678901234567890123456,',
      ',,not empty',
      '2026-07-31,1e3,"never closed',
      '2026-08-31,-8,',
    ].join('\r\n');
    const outcome = await importCsv(file, simple());
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '' });
    expect(outcome.stderr.split('\n')).toEqual([
      'line 3: period in column "Day": "31.01.2026" is not a date of the form YYYY-MM-DD; raw_value in column "Amount": "1,5" is not a number like 1234567.89',
      'line 5: period in column "Day": "2026-02-30" is not a date of the form YYYY-MM-DD',
      'line 6: has 2 cells, but the header has 3',
      'line 7: has 4 cells, but the header has 3',
      'line 8: has a broken quote',
      'line 9: raw_value in column "Amount": has more than 25 digits before or after the point',
      'line 10: period in column "Day": is empty; raw_value in column "Amount": is empty',
      'line 11: opens a quote that is not closed',
      expect.stringMatching(/^error: 8 bad lines, so nothing was imported/),
      '',
    ]);
    expect(await history()).toEqual({});
  });

  test('are rejected like lines of newline-delimited JSON', async () => {
    const file =
      'Day,Amount,Key,Company,Currency\n2026-01-31,1,not a key,co_nobody,euro\n2026-01-31,1,cash,co_nobody,EUR\n';
    const mapping = (confidence: string) =>
      simple({
        records: metric({
          company_id: { column: 'Company' },
          key: { column: 'Key' },
          currency: { column: 'Currency' },
          confidence: { value: confidence },
        }),
      });
    const { stderr } = await importCsv(file, mapping(''));
    expect(stderr).toMatch(
      /^line 2: key in column "Key": is not a metric key; currency in column "Currency": is not a three-letter currency code; confidence, which the mapping sets: is empty$/m,
    );
    expect(stderr).toMatch(/^line 3: confidence, which the mapping sets: is empty$/m);
    const { stderr: unknown } = await importCsv(file, mapping('high'));
    expect(unknown).toMatch(/^line 2: key in column "Key": is not a metric key; currency/m);
    expect(unknown).toMatch(/^line 3: company_id: the company co_nobody is unknown$/m);
  });

  test('include rows that aren’t in the declared encoding', async () => {
    const file = Buffer.from(
      'Day,Amount,Note\n2026-01-31,1.50,fine\n2026-02-28,2,schön\n',
      'latin1',
    );
    const { stderr, exitCode } = await importCsv(file, simple());
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^line 3: is not valid UTF-8; another encoding must be named/);
    const mark = Buffer.concat([
      Buffer.from('Day,Amount,Note\n2026-01-31,1.50,'),
      Buffer.of(0x81, 0x0a),
    ]);
    for (const encoding of ['windows-1252', 'latin-1']) {
      const refused = await importCsv(mark, simple({ encoding }));
      expect(refused.stderr).toMatch(/^line 2: contains a byte that isn't a character of/);
    }
    const half = Buffer.concat([
      Buffer.from('\ufeffDay,Amount\n', 'utf16le'),
      Buffer.of(0x00, 0xd8),
      Buffer.from('\n', 'utf16le'),
    ]);
    expect((await importCsv(half, simple())).stderr).toMatch(/^line 2: is not valid UTF-16$/m);
  });
});

describe('a CSV file', () => {
  const isRefused = async (file: string | Uint8Array, mapping: object, reason: string) => {
    const { exitCode, stderr } = await importCsv(file, mapping);
    expect(stderr).toBe(`error: ${reason}\n`);
    expect(exitCode).toBe(1);
  };

  test('is rejected as a whole if a column is missing or appears twice', async () => {
    await isRefused(
      'Day;Amount\n2026-01-31;1\n',
      simple(),
      'the file has no column "Day"; its columns are "Day;Amount"; does the mapping have the right delimiter?',
    );
    await isRefused(
      'Day,Amount,Amount\n',
      simple(),
      'the file has two columns "Amount": name one by its position, 2 or 3',
    );
    await isRefused('', simple(), 'the file has no header row');
    const records = metric({ period: { column: 3 }, raw_value: { column: 1 } });
    await isRefused(
      '1,2\n',
      simple({ header: false, records }),
      'the file has no column 3; it has 2',
    );
  });

  test('is rejected as a whole if no heading is a period, or if a heading fits several days', async () => {
    const mapping = (...formats: string[]) =>
      simple({
        records: [
          { type: 'metric', period_columns: { formats }, fields: { key: { value: 'cash' } } },
        ],
      });
    await isRefused(
      'A,B\n',
      mapping('YYYY-MM-DD'),
      'the file has no column whose heading is a date of the form YYYY-MM-DD; its columns are "A", "B"',
    );
    await isRefused(
      'A,01/02/2026\n',
      mapping('DD/MM/YYYY', 'MM/DD/YYYY'),
      'the file has a column "01/02/2026", which may be 2026-02-01 or 2026-01-02: the formats of the mapping allow both; its columns are "A", "01/02/2026"',
    );
  });

  test('is rejected as a whole if its bytes contradict its encoding', async () => {
    await isRefused(
      Buffer.from(plain, 'utf16le'),
      simple(),
      'the file contains NUL bytes, as UTF-16 does: name the encoding in its mapping, like "encoding": "utf-16le"',
    );
    await isRefused(
      Buffer.from(`\ufeff${plain}`, 'utf16le'),
      simple({ encoding: 'windows-1252' }),
      'the file begins with the byte-order mark of utf-16le, but its mapping says windows-1252',
    );
    await isRefused(
      Buffer.of(0xff, 0xfe, 0, 0, 0x44, 0, 0, 0),
      simple(),
      'the file is UTF-32, which is not supported: save it as UTF-8',
    );
    await isRefused(
      Buffer.from('Däy,Amount\n', 'latin1'),
      simple(),
      'the first row of the file, in line 1, is not valid UTF-8; another encoding must be named in the mapping, like "encoding": "windows-1252"',
    );
  });

  test('is rejected as a whole if it has no mapping and no heading row, or if it has a mapping but isn’t CSV', async () => {
    const refused = async (...words: string[]) =>
      (await runCommand(['import', ...words], { composition, stdin: [plain] })).stderr;
    expect(await refused('-', '--format', 'csv')).toMatch(/^error: it has no heading row/);
    expect(await refused('some.ndjson', '--mapping', 'm.json')).toBe(
      'error: --mapping is for CSV: add --format csv\n',
    );
    expect(await refused('some.csv', '--mapping', '/nowhere')).toMatch(
      /^error: cannot read \/nowhere: /,
    );
  });
});

test('the general ledger example in docs/import.md is imported as described', async () => {
  const document = readFileSync(new URL('../../docs/import.md', import.meta.url), 'utf8');
  const section = document.slice(document.indexOf('## CSV: an export'));
  const [, csv = ''] = /```csv\n(.*?)```/s.exec(section) ?? [];
  const [, mapping = ''] = /```json\n(.*?)```/s.exec(section) ?? [];
  await addCompany('co_harbor');
  const outcome = await importCsv(Buffer.from(csv, 'latin1'), JSON.parse(mapping));
  expect(outcome.stderr).toBe('');
  expect(outcome.json).toMatchObject({ inserted: 4, updated: 0, unchanged: 0, bad_lines: 0 });
  const { companyData } = composition.database.repositories;
  const metrics = await companyData.latestMetrics(asOfNow('co_harbor'));
  expect(metrics.map(({ key, label, period, rawValue }) => [key, label, period, rawValue])).toEqual(
    [
      ['cash_operating', 'Bank "Geschäftskonto"', '2026-10-31', '250718.05'],
      ['cash_savings', 'Tagesgeld', '2026-10-31', '-12345.67'],
      ['domestic_sales', 'Erlöse 19 % USt', '2026-10-31', '98450'],
      ['payables', 'Verbindlichkeiten aus Lieferungen', '2026-10-31', '21420.4'],
    ],
  );
});
