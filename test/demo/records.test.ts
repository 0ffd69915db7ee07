import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type Account,
  type ImportedMetric,
  type LineRecord,
  parseImportLine,
  type ReportedSource,
  reasonOf,
} from '#core';
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
const sources = records.flatMap((record): ReportedSource[] =>
  record.type === 'source' ? [record.source] : [],
);
const accounts = records.flatMap((record): Account[] =>
  record.type === 'account' ? [record.account] : [],
);

describe('the demo data', () => {
  test('is the same at any time of a month', async () => {
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

  test('includes the end of a year and a leap day', async () => {
    const periods = (await recordsAt(new Date('2028-03-01T00:00:00Z'))).flatMap((record) =>
      record.type === 'metric' ? record.metric.period : [],
    );
    expect(periods).toContain('2028-02-29');
    expect(periods).toContain('2027-12-31');
  });

  test.each(demoCompanies)(
    'is plausible for $id: no amount or headcount reaches zero, and each value can be shown',
    ({ id, currency }) => {
      for (const metric of metrics.filter(({ companyId }) => companyId === id)) {
        expect(Number(metric.rawValue), `${metric.key} ${metric.period}`).toBeGreaterThan(0);
        expect(metric.value).not.toBe('');
        expect([currency, null]).toContain(metric.currency);
        expect(metric.asOf.getTime()).toBeLessThan(metric.source.lastSynced.getTime());
      }
    },
  );

  test('names the source of each value, and has the lowest confidence in manual ones', () => {
    const [typedIn] = metrics.filter(({ source }) => source.method === 'manual');
    expect(typedIn).toMatchObject({
      key: 'headcount',
      confidence: 'low',
      verification: { verified: false },
    });
    expect(new Set(metrics.map(({ source }) => source.method))).toEqual(
      new Set(['api', 'computed', 'manual']),
    );
  });

  test('is never in the future', async () => {
    const firstHour = new Date('2026-11-01T01:00:00Z');
    for (const record of await recordsAt(firstHour)) {
      if (record.type === 'source') {
        expect(record.source.lastSyncedAt.getTime()).toBeLessThan(firstHour.getTime());
      }
    }
  });

  test('has one disconnected source, at a readable company', () => {
    const broken = sources.filter(({ status }) => status !== 'connected');
    expect(broken).toHaveLength(1);
    expect(demoCompanies.find(({ id }) => id === broken[0]?.companyId)?.access).toBe('approved');
  });

  test.each(demoCompanies)(
    'has bank accounts for $id that add up to the latest cash balance',
    ({ id }) => {
      const own = accounts.filter(({ companyId }) => companyId === id);
      expect(new Set(own.map(({ type }) => type))).toEqual(new Set(['bank', 'credit', 'ledger']));
      const held = own
        .filter(({ type }) => type === 'bank')
        .reduce((sum, { rawBalance }) => sum + Number(rawBalance), 0);
      const cash = metrics.findLast(
        ({ companyId, key }) => companyId === id && key === 'cash_balance',
      );
      expect(held).toBeCloseTo(Number(cash?.rawValue), 2);
    },
  );
});
