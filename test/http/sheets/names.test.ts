import { describe, expect, test } from 'vitest';
import { openSheet, readSheet } from '#http';

const metric = (key: string, label: string) => ({
  ...{ key, label, currency: null, period: '2026-09-30' },
  ...{ rawValue: '1', value: '1' },
});

async function read(names: readonly string[], known = [metric('revenue', 'Revenue')]) {
  const rows = names.map((name) => `${name};1;2`);
  const text = ['Kennzahl;Sep 2026;Okt 2026', ...rows].join('\n');
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

const keysOf = ({ records }: Awaited<ReturnType<typeof read>>) =>
  records.map(({ fields }) => fields.key);

describe('the name of a metric in a file', () => {
  test.each(['Umsatz', 'UMSATZ', 'Revenue'])(
    'finds the company’s standard metric in each language: %s',
    async (name) => {
      const sheet = await read([name]);
      expect(keysOf(sheet)).toEqual(['revenue', 'revenue']);
      expect(sheet.notes).toContainEqual({
        code: 'by_label',
        labels: new Map([[name, 'revenue']]),
      });
    },
  );

  test('creates a standard metric under its standard key and English label', async () => {
    const { records, notes } = await read(['Liquide Mittel', 'Cash balance', 'Kunden'], []);
    expect(records.map(({ fields: { key, label } }) => [key, label])).toEqual([
      ...Array.from({ length: 2 }, () => ['cash', 'Cash']),
      ...Array.from({ length: 2 }, () => ['cash_balance', 'Cash balance']),
      ...Array.from({ length: 2 }, () => ['customers', 'Customers']),
    ]);
    expect(notes.map(({ code }) => code)).toContain('by_label');
  });

  test('is a new key if it is written like one', async () => {
    expect(keysOf(await read(['EBITDA', 'umsatz'], []))).toEqual([
      ...['EBITDA', 'EBITDA', 'umsatz', 'umsatz'],
    ]);
  });

  test('causes a question if the company has the key under another label', async () => {
    const { questions } = await read(
      ['Jährlich wiederkehrender Umsatz'],
      [metric('arr', 'Run rate')],
    );
    expect(questions).toMatchObject([
      { id: 'keys', examples: [{ readings: ['arr', 'Jährlich wiederkehrender Umsatz'] }] },
    ]);
  });

  test('has one problem in a row of a wide table if it is unknown', async () => {
    const { problems } = await read(['Umsatz', 'Offene Posten der Kunden', '']);
    expect(problems).toMatchObject([
      { line: 3, code: 'bad_key' },
      { line: 4, code: 'no_key' },
    ]);
  });
});
