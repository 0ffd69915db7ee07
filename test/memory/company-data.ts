import type { CompanyData, Metric } from '#core';
import { compare, mustExist, nameOfSeries, type Store } from './store.ts';

export function createMemoryCompanyData({ series, points, sources, accounts }: Store): CompanyData {
  function history(companyId: string, key?: string): Metric[] {
    return [...points.values()]
      .filter((point) => point.companyId === companyId && (key ?? point.key) === point.key)
      .toSorted((a, b) => compare(a.key, b.key) || compare(a.period, b.period))
      .map((point) => ({ ...point, ...mustExist(series.get(nameOfSeries(point)), point.key) }));
  }

  return {
    async latestMetrics({ companyId }) {
      const latest = new Map(history(companyId).map((metric) => [metric.key, metric]));
      return structuredClone([...latest.values()]);
    },
    async metricHistory({ companyId }, key, { from, to } = { from: null, to: null }) {
      return structuredClone(
        history(companyId, key).filter(
          ({ period }) => period >= (from ?? period) && period <= (to ?? period),
        ),
      );
    },
    async sources({ companyId }) {
      return structuredClone(
        [...sources.values()]
          .filter((source) => source.companyId === companyId)
          .toSorted(
            (a, b) => compare(a.provider, b.provider) || compare(a.accountName, b.accountName),
          ),
      );
    },
    async accounts({ companyId }) {
      return structuredClone(
        [...accounts.values()]
          .filter((account) => account.companyId === companyId)
          .toSorted(
            (a, b) =>
              compare(a.provider, b.provider) || compare(a.name, b.name) || compare(a.id, b.id),
          ),
      );
    },
  };
}
