import type { Metric, MetricHistory, Periods } from '../../model/company-data/metric.ts';
import {
  type AccessTerms,
  allowsMetric,
  allowsPeriod,
  termsKey,
} from '../../model/consent/terms.ts';
import type { CompanyData, VersionedCompany } from '../../ports/company-data.ts';

const nothing = Promise.resolve([]);
const anyPeriod: Periods = { from: null, to: null };

/**
 * Applies the terms of a grant to all reads of company data. Metrics and periods outside the terms are absent. All use
 * cases read company data through this function, so no read can forget the terms.
 */
export function withinTerms(data: CompanyData): CompanyData {
  const narrow = createListNarrower();
  return {
    ...data,

    latestMetrics(company) {
      const { terms } = company;
      const all = data.latestMetrics(company);
      return terms === null ? all : all.then((metrics) => narrow(metrics, terms));
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

/**
 * Returns a function that removes the metrics outside the terms. For the same list and terms, the function returns the
 * same object. So an adapter can cache the encoded list by its identity.
 */
function createListNarrower() {
  const narrowed = new WeakMap<readonly Metric[], Map<string, readonly Metric[]>>();
  return (metrics: readonly Metric[], terms: AccessTerms): readonly Metric[] =>
    narrowed
      .getOrInsertComputed(metrics, () => new Map())
      .getOrInsertComputed(termsKey(terms), () =>
        metrics.filter(
          ({ key, period }) => allowsMetric(terms, key) && allowsPeriod(terms, period),
        ),
      );
}

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
