import { expect } from 'vitest';
import type { Metric } from '#core';
import { importLines, type Portfolio } from '../../support/fixtures.ts';
import { type GivenData, givenData } from '../company-data.ts';
import { dataOf, expectRefused } from '../outcomes.ts';
import type { Given, Topic } from '../scenario.ts';

/** A company that has granted everything. Its data is hard to represent exactly. */
async function readable({ fixtures, operator }: Given): Promise<Portfolio & GivenData> {
  const made = await fixtures.portfolio();
  await fixtures.grant(made);
  const data = givenData(made.company.id);
  await importLines(operator, data.lines);
  return { ...made, ...data };
}

/** A metric as a service without a signing key stores it. */
const unsigned = (companyId: string) =>
  ({
    companyId,
    key: 'cash_balance',
    label: 'Cash balance',
    currency: null,
    period: '2026-10-31',
    source: { system: 'mercury', method: 'api', lastSynced: new Date(0) },
    verification: { verified: true, signed: false },
    confidence: 'high',
    value: '12',
    rawValue: '12' as Metric['rawValue'],
    category: 'other',
    asOf: new Date(1),
    revision: 1,
  }) satisfies Metric;

const normalizeUnsigned = (companyId: string) => {
  const { revision: _, ...metric } = unsigned(companyId);
  return {
    ...metric,
    source: { system: 'mercury', method: 'api', lastSynced: '1970-01-01T00:00:00.000Z' },
    asOf: '1970-01-01T00:00:00.001Z',
  };
};

export const data: Topic = {
  title: 'company data',
  scenarios: [
    {
      name: 'metrics, histories, sources and accounts have every digit and every character, in their order',
      async run(given) {
        const { key, company, latest, history, sources, accounts } = await readable(given);
        const { driver } = given;
        expect(dataOf(await driver.readLatestMetrics(key, company.id))).toEqual(latest);
        for (const metric of latest) {
          const answer = await driver.readLatestMetric(key, company.id, metric.key);
          expect(dataOf(answer)).toEqual(metric);
        }
        const values = await driver.readMetricHistory(key, company.id, 'cash_balance');
        expect(dataOf(values)).toEqual(history);
        expect(dataOf(await driver.readSources(key, company.id))).toEqual(sources);
        expect(dataOf(await driver.readAccounts(key, company.id))).toEqual(accounts);
      },
    },
    {
      name: 'a voided value is left out, and a metric without any other value returns metric_not_found',
      async run(given) {
        const { key, company, latest, history } = await readable(given);
        const { driver, operator } = given;
        await driver.readLatestMetrics(key, company.id);
        const voids = [...latest.filter((metric) => metric.key === 'cash_balance'), ...latest]
          .filter((metric) => ['cash_balance', 'zero'].includes(metric.key))
          .map((metric) => ({
            type: 'void',
            company_id: company.id,
            key: metric.key,
            period: metric.period,
          }));
        await importLines(operator, voids);
        const kept = history.slice(0, -1);
        const told = latest.flatMap((metric) =>
          metric.key === 'zero' ? [] : metric.key === 'cash_balance' ? kept.slice(-1) : [metric],
        );
        expect(dataOf(await driver.readLatestMetrics(key, company.id))).toEqual(told);
        expectRefused(await driver.readLatestMetric(key, company.id, 'zero'), 'metric_not_found');
        const answer = await driver.readMetricHistory(key, company.id, 'cash_balance');
        expect(dataOf(answer)).toEqual(kept);
        expect(answer.wire.text).not.toContain('voidReason');
      },
    },
    {
      name: 'a read after an import returns the changed data',
      async run(given) {
        const { key, company, latest, sources, lines } = await readable(given);
        const { driver, operator } = given;
        await driver.readLatestMetrics(key, company.id);
        await driver.readSources(key, company.id);
        const changed = lines.map((line) =>
          'value' in line
            ? { ...line, value: `changed: ${line.value}` }
            : { ...line, ...('status' in line && { status: 'paused' }) },
        );
        await importLines(operator, changed);
        expect(dataOf(await driver.readLatestMetrics(key, company.id))).toEqual(
          latest.map((metric) => ({ ...metric, value: `changed: ${metric.value}` })),
        );
        expect(dataOf(await driver.readSources(key, company.id))).toEqual(
          sources.map((source) => ({ ...source, status: 'paused' })),
        );
      },
    },
    {
      name: 'a source becomes stale when its next sync is late, and connected again after a sync',
      async run({ driver, fixtures, operator, setClock }) {
        const made = await fixtures.portfolio();
        await fixtures.grant(made);
        const { key, company } = made;
        const hour = 3_600_000;
        const start = Date.now();
        const bring = (syncedAt: number) =>
          importLines(operator, [
            {
              type: 'source',
              company_id: company.id,
              provider: 'mercury',
              status: 'connected',
              account_name: 'Operating account',
              last_synced_at: new Date(syncedAt).toISOString(),
              expected_every: 'PT1H',
            },
          ]);
        // Several reads fill each cache and then use it.
        const read = async () => {
          const told = [];
          for (let round = 0; round < 3; round += 1) {
            told.push(...dataOf(await driver.readSources(key, company.id)));
          }
          return new Set(told.map(({ status }) => status));
        };
        await bring(start);
        setClock(new Date(start + hour - 1));
        expect(await read()).toEqual(new Set(['connected']));
        setClock(new Date(start + hour));
        expect(await read()).toEqual(new Set(['stale']));
        await bring(start + 1);
        expect(await read()).toEqual(new Set(['connected']));
        setClock(new Date(start + hour + 1));
        expect(await read()).toEqual(new Set(['stale']));
      },
    },
    {
      name: 'an unsigned value has no signature and no public key',
      async run({ driver, fixtures, standIns }) {
        const { key, company } = await fixtures.portfolio();
        standIns.replaceData('readLatestMetrics', 'metrics', [unsigned(company.id)]);
        standIns.replaceData('readLatestMetric', 'metric', unsigned(company.id));
        const told = normalizeUnsigned(company.id);
        expect(dataOf(await driver.readLatestMetrics(key, company.id))).toEqual([told]);
        expect(dataOf(await driver.readLatestMetric(key, company.id, 'cash_balance'))).toEqual(
          told,
        );
      },
    },
    {
      name: 'the lists of a company without data are empty',
      async run({ driver, fixtures }) {
        const made = await fixtures.portfolio();
        await fixtures.grant(made);
        const { key, company } = made;
        expect(dataOf(await driver.readLatestMetrics(key, company.id))).toEqual([]);
        expect(dataOf(await driver.readSources(key, company.id))).toEqual([]);
        expect(dataOf(await driver.readAccounts(key, company.id))).toEqual([]);
      },
    },
    {
      // In GraphQL the history is a field of the metric, and a metric without data is missing.
      name: 'a metric without data returns metric_not_found, and its history is empty except in GraphQL',
      async run({ driver, fixtures }) {
        const { key, company } = await fixtures.readablePortfolio();
        for (const metric of ['no_such_metric', 'CASH_BALANCE', 'no key at all', '½', '\u0000']) {
          expectRefused(await driver.readLatestMetric(key, company.id, metric), 'metric_not_found');
          const answer = await driver.readMetricHistory(key, company.id, metric);
          if (driver.protocol === 'graphql') expectRefused(answer, 'metric_not_found');
          else expect(dataOf(answer)).toEqual([]);
        }
      },
    },
    {
      name: 'the latest metrics can be limited to up to 200 keys, and unknown keys are left out',
      async run(given) {
        const { key, company, latest } = await readable(given);
        const wanted = ['zero', 'cash_balance', 'no_such_metric', 'zero'];
        expect(dataOf(await given.driver.readLatestMetricsOf(key, company.id, wanted))).toEqual(
          latest.filter((metric) => wanted.includes(metric.key)),
        );
        expect(dataOf(await given.driver.readLatestMetricsOf(key, company.id, []))).toEqual([]);
        const many = Array.from({ length: 201 }, (_, index) => `key_${index}`);
        const refused = await given.driver.readLatestMetricsOf(key, company.id, many);
        expectRefused(refused, 'invalid_parameter');
      },
    },
    {
      name: 'a history can be limited to two periods, which are included',
      async run(given) {
        const { key, company, history } = await readable(given);
        const between = async (bounds: { from?: string; to?: string }) =>
          dataOf(
            await given.driver.readMetricHistoryBetween(key, company.id, 'cash_balance', bounds),
          );
        expect(await between({ from: '2026-09-30' })).toEqual(history.slice(1));
        expect(await between({ to: '2026-09-30' })).toEqual(history.slice(0, 2));
        expect(await between({ from: '2024-03-01', to: '2026-10-30' })).toEqual([history[1]]);
        expect(await between({ from: '2026-10-31', to: '2024-02-29' })).toEqual([]);
      },
    },
  ],
};
