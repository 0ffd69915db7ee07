import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AccessTerms,
  allowsMetric,
  type CompanyData,
  type MetricHistory,
  type MetricRevision,
  noLimits,
} from '#core';
import { withinTerms } from '../../../../core/use-cases/company-data/within-terms.ts';
import { asOfNow } from '../../../support/call.ts';
import { importLines } from '../../../support/fixtures.ts';
import { anyTerms, metricLine, termKeys, termPeriods } from '../../builders.ts';
import { createWorld } from '../../world.ts';

const keys = [...termKeys, 'other'];
const periods = ['2024-12-31', ...termPeriods, '2026-07-31'];

/** A company with a corrected value of each metric for each period, except that the latest value of `mrr` is old. */
async function aCompany() {
  const world = createWorld();
  const { id } = await world.company();
  const lines = keys.flatMap((key) =>
    periods
      .filter((period) => key !== 'mrr' || period < '2026')
      .flatMap((period) => [1, 2].map((raw_value) => metricLine(id, { key, period, raw_value }))),
  );
  for (const line of lines) await importLines(world.operator, [line]);
  return { id, data: world.ports.companyData };
}

const { id, data } = await aCompany();

type Reads = { readonly from: string | null; readonly to: string | null };

/** Each read of figures, with the same input for all terms. */
const reads = {
  latestMetrics: ({ latestMetrics }, company) => latestMetrics(company),
  metricHistory: ({ metricHistory }, company, within) => metricHistory(company, 'arr', within),
  metricHistories: ({ metricHistories }, company, within) => metricHistories(company, keys, within),
  recentValues: ({ recentValues }, company, within) => recentValues(company, keys, 9, within),
  metricRevisions: ({ metricRevisions }, company, within) =>
    metricRevisions(company, 'cash', within),
} satisfies Record<
  string,
  (
    data: CompanyData,
    company: ReturnType<typeof asOfNow>,
    within: Reads,
  ) => Promise<readonly (MetricRevision | MetricHistory)[]>
>;

function cut(terms: AccessTerms | null, found: readonly (MetricRevision | MetricHistory)[]) {
  const isAllowed = ({ key, period }: MetricRevision) =>
    allowsMetric(terms, key) && period >= (terms?.historyFrom ?? '');
  return found.flatMap((each): (MetricRevision | MetricHistory)[] =>
    'values' in each
      ? [{ ...each, values: each.values.filter(isAllowed) }]
      : isAllowed(each)
        ? [each]
        : [],
  );
}

const period = fc.option(fc.constantFrom(...periods));

test.each(Object.entries(reads))(
  '%s returns exactly the figures within the terms',
  async (_name, read) => {
    const bounds = fc.record({ from: period, to: period });
    await fc.assert(
      fc.asyncProperty(anyTerms, bounds, async (terms, within) => {
        const limited = { ...asOfNow(id), terms } as ReturnType<typeof asOfNow>;
        const found = await read(withinTerms(data), limited, within);
        expect(found).toEqual(cut(terms, await read(data, asOfNow(id), within)));
      }),
      { numRuns: 100 },
    );
  },
);

test('every other read returns no figures, or returns them only to the company and to operators', () => {
  const others = [
    ...['accounts', 'countUnhealthySources', 'findCompaniesWithUnhealthySources', 'metricEntries'],
    ...['metricNames', 'nearestValues', 'sources', 'version'],
  ];
  expect(Object.keys(data).toSorted()).toEqual([...others, ...Object.keys(reads)].toSorted());
});

test('the latest metrics are the same list object for the same stored list and terms, so adapters can cache them', async () => {
  const list = await data.latestMetrics(asOfNow(id));
  const { latestMetrics } = withinTerms({ ...data, latestMetrics: async () => list });
  const within = (metricKeys: string[]) =>
    latestMetrics({ ...asOfNow(id), terms: { ...noLimits, metricKeys } });
  expect(await within(['arr'])).toBe(await within(['arr']));
  expect(await within(['arr'])).not.toBe(await within(['cash']));
});
