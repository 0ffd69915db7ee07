import {
  type CompanyData,
  type Metric,
  type MetricRevision,
  metricHeader,
  type Periods,
  type ReportedSource,
  StoredSignature,
  sourceStatusAt,
  unhealthyStatuses,
  type VersionedCompany,
} from '#core';
import { compare, mustExist, nameOfSeries, type Store, type StoredPoint } from './store.ts';

export function createMemoryCompanyData({
  series,
  points,
  revisions,
  signingKeys,
  sources,
  accounts,
  dataVersions,
  companies,
  settingsChanges,
}: Store): CompanyData {
  const isMetric = (revision: MetricRevision): revision is Metric => revision.rawValue !== null;

  const history = (company: VersionedCompany, key?: string): Metric[] =>
    revisionsOf(company, key).filter(isMetric);

  function revisionsOf(
    company: VersionedCompany,
    key?: string,
    stored: Iterable<StoredPoint> = points.values(),
  ): MetricRevision[] {
    return [...stored]
      .filter((point) => point.companyId === company.companyId && (key ?? point.key) === point.key)
      .toSorted(
        (a, b) => compare(a.key, b.key) || compare(a.period, b.period) || a.revision - b.revision,
      )
      .map((point) => present(point, company));
  }

  function present(
    { signed, entryId: _, ...point }: StoredPoint,
    company: VersionedCompany,
  ): MetricRevision {
    const names = mustExist(series.get(nameOfSeries(point)), point.key);
    const metric: MetricRevision = structuredClone({ ...point, ...names });
    if (signed === null) return metric;
    const keys = [...signingKeys.values()];
    const { kid } = mustExist(
      keys.find(({ number }) => number === signed.keyNumber),
      'signing key',
    );
    const context = { ...company, header: metricHeader(kid) };
    const verification = new StoredSignature(metric, metric.verification, signed, context);
    return { ...metric, verification };
  }

  const stoppedStatusOf = (source: ReportedSource, now: Date) =>
    unhealthyStatuses.find((each) => each === sourceStatusAt(source, now));

  const within =
    ({ from, to } = { from: null, to: null } as Periods) =>
    ({ period }: MetricRevision) =>
      period >= (from ?? period) && period <= (to ?? period);

  return {
    async version(companyId) {
      return String(dataVersions.get(companyId) ?? 0);
    },
    async latestMetrics(company) {
      const latest = new Map(history(company).map((metric) => [metric.key, metric]));
      return [...latest.values()];
    },
    async metricHistory(company, key, periods) {
      return history(company, key).filter(within(periods));
    },
    async metricHistories(company, keys, periods) {
      return keys.map((key) => ({ key, values: history(company, key).filter(within(periods)) }));
    },
    async nearestValues(company, places) {
      return places.map(({ key, period }) => {
        const values = history(company, key);
        return values.findLast((value) => value.period <= period) ?? values[0] ?? null;
      });
    },
    async metricNames(companyId) {
      const names = [...series].map(([name, value]) => [JSON.parse(name), value] as const);
      return new Map(
        names.filter(([[owner]]) => owner === companyId).map(([[, key], value]) => [key, value]),
      );
    },
    async metricEntries(companyId, key) {
      const stored = [...points.values(), ...revisions].toSorted(
        (a, b) => compare(a.period, b.period) || a.revision - b.revision,
      );
      return stored.flatMap((point) => {
        const { period, revision, entryId } = point;
        if (point.companyId !== companyId || point.key !== key || entryId === undefined) return [];
        const { actor, createdAt, changes } = mustExist(settingsChanges.get(entryId), entryId);
        const [method = null, reason = null] = [changes.method?.to, changes.reason?.to] as string[];
        return [{ period, revision, actor, enteredAt: createdAt, method, reason }];
      });
    },
    async recentValues(company, keys, count, periods) {
      return keys.map((key) => ({
        key,
        values: history(company, key).filter(within(periods)).slice(-count),
      }));
    },
    async metricRevisions(company, key, periods) {
      return revisionsOf(company, key, [...points.values(), ...revisions]).filter(within(periods));
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
    async countUnhealthySources(now) {
      const stopped = { live: { stale: 0, failed: 0 }, test: { stale: 0, failed: 0 } };
      for (const source of sources.values()) {
        const status = stoppedStatusOf(source, now);
        const { environment } = mustExist(companies.get(source.companyId), source.companyId);
        if (status !== undefined) stopped[environment][status] += 1;
      }
      return stopped;
    },
    async findCompaniesWithUnhealthySources(companyIds, now) {
      const stopped = [...sources.values()].filter(
        (source) => stoppedStatusOf(source, now) !== undefined,
      );
      return new Set(companyIds).intersection(new Set(stopped.map(({ companyId }) => companyId)));
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
