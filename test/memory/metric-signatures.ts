import type { Environment, MetricClaims, MetricSignatures } from '#core';
import { countVersion, mustExist, type Store, type StoredPoint } from './store.ts';

/** The fields of a value that its signature covers. */
export function toClaims(point: StoredPoint, environment: Environment): MetricClaims {
  const { companyId, key, period, rawValue, currency, asOf, source, revision } = point;
  return { environment, companyId, key, period, rawValue, currency, asOf, source, revision };
}

export function isActiveKey({ signingKeys }: Store, keyNumber: number): boolean {
  return [...signingKeys.values()].some(
    ({ number, retiredAt }) => number === keyNumber && retiredAt === null,
  );
}

const idOf = ({ companyId, key, period, revision }: StoredPoint) =>
  JSON.stringify([companyId, key, period, revision]);

export function createMemoryMetricSignatures(store: Store): MetricSignatures {
  const { points, revisions, companies } = store;
  return {
    async *listUnsigned() {
      const unsigned = [...points.values(), ...revisions].filter(({ signed }) => signed === null);
      if (unsigned.length === 0) return;
      yield unsigned.map((point) => {
        const { environment } = mustExist(companies.get(point.companyId), point.companyId);
        return { id: idOf(point), claims: structuredClone(toClaims(point, environment)) };
      });
    },
    async storeSignatures(signatures) {
      let kept = 0;
      for (const { id, ...signed } of signatures) {
        const isMeant = (point: StoredPoint) => idOf(point) === id && point.signed === null;
        const newest = points.entries().find(([, point]) => isMeant(point));
        const replaced = revisions.findIndex(isMeant);
        const point = newest?.[1] ?? revisions[replaced];
        if (point === undefined) continue;
        if (newest) points.set(newest[0], { ...point, signed });
        else revisions[replaced] = { ...point, signed };
        countVersion(store, point.companyId);
        kept += 1;
      }
      return kept;
    },
  };
}
