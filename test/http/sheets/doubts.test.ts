import { describe, expect, test } from 'vitest';
import { openSheet, type RefusedFile, readSheet } from '#http';

async function read(text: string) {
  const opened = await openSheet({
    ...{ bytes: Buffer.from(text), name: 'figures.csv', sheet: null, encoding: undefined },
    maxRows: 100,
  });
  return readSheet(opened, {
    known: [],
    answers: {},
    source: { system: 'figures.csv', method: 'upload', lastSynced: new Date(0) },
    maxRecords: 100,
  });
}

describe('a file with ambiguous numbers', () => {
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

  test('is read if its title contains no scale', async () => {
    const { records } = await read('Metrics of October,,\nkey,period,raw_value\narr,2026-10-31,5');
    expect(records).toHaveLength(1);
  });

  test('has a problem in a row if its date may begin with the year', async () => {
    const { records, problems } = await read('key,period,raw_value\narr,26-10-12,5');
    expect([records.length, problems.length]).toEqual([0, 1]);
  });
});
