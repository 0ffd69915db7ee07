import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type ImportedMetric, type LineRecord, parseImportLine, reasonOf } from '#core';
import { demoCompanies } from '../../demo/companies.ts';
import { demoLines } from '../../demo/records.ts';

const cryptography = {
  randomBytes: (count: number) => randomBytes(count),
  sha256: (text: string) => createHash('sha256').update(text).digest('hex'),
};
const today = new Date('2026-11-21T09:00:00Z');

async function tell(when: Date): Promise<string[]> {
  return Array.fromAsync(demoLines(demoCompanies, when));
}

async function recordsAt(when: Date): Promise<LineRecord[]> {
  return (await tell(when)).map((line) => {
    const parsed = parseImportLine(line, cryptography);
    if (!parsed.ok) throw new Error(`${line} ${reasonOf(parsed.problems)}`);
    return parsed.record;
  });
}

const records = await recordsAt(today);
const metrics = records.flatMap((record): ImportedMetric[] =>
  record.type === 'metric' && record.metric.rawValue !== null ? [record.metric] : [],
);
describe('the demo data', () => {
  test('is the same whenever it is created within a month', async () => {
    expect(await tell(new Date('2026-11-01T00:00:00Z'))).toEqual(
      await tell(new Date('2026-11-30T23:59:59Z')),
    );
  });

  test.each(demoCompanies)(
    'has two years of every metric for $id, up to the last complete month',
    ({ id }) => {
      const byKey = Map.groupBy(
        metrics.filter(({ companyId }) => companyId === id),
        ({ key }) => key,
      );
      expect([...byKey.keys()].sort()).toEqual([
        'arr',
        'burn_rate',
        'cash_balance',
        'gross_margin',
        'headcount',
        'mrr',
        'revenue',
        'runway',
      ]);
      for (const series of byKey.values()) {
        const periods = series.map(({ period }) => period);
        expect(new Set(periods).size).toBe(24);
        expect(periods[0]).toBe('2024-11-30');
        expect(periods.at(-1)).toBe('2026-10-31');
        expect(periods).toContain('2026-02-28');
      }
    },
  );

  test('has no sync times in the future', async () => {
    const firstHour = new Date('2026-11-01T01:00:00Z');
    for (const record of await recordsAt(firstHour)) {
      if (record.type === 'source') {
        expect(record.source.lastSyncedAt.getTime()).toBeLessThan(firstHour.getTime());
      }
    }
  });
});
