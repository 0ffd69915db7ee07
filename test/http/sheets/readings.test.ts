import { describe, expect, test } from 'vitest';
import { openSheet, type RefusedFile, readSheet } from '#http';

const metric = (key: string, label: string) => ({
  ...{ key, label, currency: null, period: '2026-09-30' },
  ...{ rawValue: '1', value: '1' },
});

async function read(text: string, known: readonly ReturnType<typeof metric>[] = []) {
  const opened = await openSheet({
    ...{ bytes: Buffer.from(text), name: 'figures.csv', sheet: null, encoding: undefined },
    maxRows: 100,
  });
  return readSheet(opened, {
    known,
    answers: {},
    source: { system: 'figures.csv', method: 'upload', lastSynced: new Date(0) },
    maxRecords: 100,
  });
}

/** Reads a table with one column per period and a row for each name. */
const readNames = (names: readonly string[], known = [metric('revenue', 'Revenue')]) =>
  read(['Kennzahl;Sep 2026;Okt 2026', ...names.map((name) => `${name};1;2`)].join('\n'), known);

const keysOf = ({ records }: Awaited<ReturnType<typeof read>>) =>
  records.map(({ fields }) => fields.key);

describe('an uploaded file with ambiguous numbers', () => {
  test.each([
    'All figures in EUR thousands',
    'Alle Angaben in TEUR',
    'Werte in Mio. €',
    'Amounts in $m',
    "USD '000",
  ])('is refused if its title contains a scale: "%s"', async (title) => {
    const error: RefusedFile = await read(
      `${title},,\nkey,period,raw_value\narr,2026-10-31,5`,
    ).catch((thrown) => thrown);
    expect(error.refusal).toEqual({ code: 'scaled', line: 1, text: title });
  });

  test('is accepted if its title contains no scale', async () => {
    const { records } = await read('Metrics of October,,\nkey,period,raw_value\narr,2026-10-31,5');
    expect(records).toHaveLength(1);
  });

  test('has a problem in a row whose date begins with either the day or the year', async () => {
    const { records, problems } = await read('key,period,raw_value\narr,26-10-12,5');
    expect([records.length, problems.length]).toEqual([0, 1]);
  });
});

describe('the name of a metric in a file', () => {
  test.each(['Umsatz', 'UMSATZ', 'Revenue'])(
    'matches the company’s standard metric in each language: %s',
    async (name) => {
      const sheet = await readNames([name]);
      expect(keysOf(sheet)).toEqual(['revenue', 'revenue']);
      expect(sheet.notes).toContainEqual({
        code: 'by_label',
        labels: new Map([[name, 'revenue']]),
      });
    },
  );

  test('creates a new standard metric with its standard key and English label', async () => {
    const { records, notes } = await readNames(['Liquide Mittel', 'Cash balance', 'Kunden'], []);
    expect(records.map(({ fields: { key, label } }) => [key, label])).toEqual([
      ...Array.from({ length: 2 }, () => ['cash', 'Cash']),
      ...Array.from({ length: 2 }, () => ['cash_balance', 'Cash balance']),
      ...Array.from({ length: 2 }, () => ['customers', 'Customers']),
    ]);
    expect(notes.map(({ code }) => code)).toContain('by_label');
  });

  test('becomes the key of a new metric if it is written like a key', async () => {
    expect(keysOf(await readNames(['EBITDA', 'umsatz'], []))).toEqual([
      ...['EBITDA', 'EBITDA', 'umsatz', 'umsatz'],
    ]);
  });

  test('causes a question if the company already has this key with another label', async () => {
    const { questions } = await readNames(
      ['Jährlich wiederkehrender Umsatz'],
      [metric('arr', 'Run rate')],
    );
    expect(questions).toMatchObject([
      { id: 'keys', examples: [{ readings: ['arr', 'Jährlich wiederkehrender Umsatz'] }] },
    ]);
  });

  test('causes one problem per row of a table with one column per period if it is unknown', async () => {
    const { problems } = await readNames(['Umsatz', 'Offene Posten der Kunden', '']);
    expect(problems).toMatchObject([
      { line: 3, code: 'bad_key' },
      { line: 4, code: 'no_key' },
    ]);
  });
});
