import type {
  Metric,
  MetricHistory,
  MetricRevision,
  Periods,
} from '../../model/company-data/metric.ts';
import { type AccessTerms, allowsMetric } from '../../model/consent/terms.ts';
import type { CompanyData, VersionedCompany } from '../../ports/company-data.ts';

const nothing = Promise.resolve([]);
const anyPeriod: Periods = { from: null, to: null };

/**
 * Applies the terms of a grant to all reads of company data. Metrics and periods outside the terms are absent. All use
 * cases read company data through this function, so no read can forget the terms.
 */
export function withinTerms(data: CompanyData): CompanyData {
  return {
    ...data,

    latestMetrics(company) {
      const { terms } = company;
      const all = data.latestMetrics(company);
      return terms === null ? all : all.then((metrics) => allowedMetrics(terms, metrics));
    },

    metricHistory: (company, key, periods = anyPeriod) =>
      allowsMetric(company.terms, key)
        ? data.metricHistory(company, key, allowedPeriods(company, periods))
        : nothing,

    metricHistories: (company, keys, periods) =>
      readAllowed(company, keys, (allowed) =>
        data.metricHistories(company, allowed, allowedPeriods(company, periods)),
      ),

    recentValues: (company, keys, count, periods = anyPeriod) =>
      readAllowed(company, keys, (allowed) =>
        data.recentValues(company, allowed, count, allowedPeriods(company, periods)),
      ),

    metricRevisions: (company, key, periods = anyPeriod) =>
      allowsMetric(company.terms, key)
        ? data.metricRevisions(company, key, allowedPeriods(company, periods))
        : nothing,
  };
}

const allowedMetrics = <One extends Metric | MetricRevision>(
  terms: AccessTerms,
  metrics: readonly One[],
): readonly One[] =>
  metrics.filter(
    ({ key, period }) => allowsMetric(terms, key) && period >= (terms.historyFrom ?? ''),
  );

function allowedPeriods({ terms }: VersionedCompany, { from, to }: Periods): Periods {
  const first = terms?.historyFrom ?? null;
  return { from: first === null || (from !== null && from > first) ? from : first, to };
}

/** Reads the histories of the allowed metrics. Every other metric gets an empty history. */
async function readAllowed(
  { terms }: VersionedCompany,
  keys: readonly string[],
  read: (allowed: readonly string[]) => Promise<readonly MetricHistory[]>,
): Promise<readonly MetricHistory[]> {
  if (terms === null) return read(keys);
  const histories = await read(keys.filter((key) => allowsMetric(terms, key)));
  const byKey = new Map(histories.map((history) => [history.key, history]));
  return keys.map((key) => byKey.get(key) ?? { key, values: [] });
}
