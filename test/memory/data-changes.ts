import {
  type DataChange,
  type DataTotals,
  failedStatus,
  type ImportRecord,
  type LimitedKind,
  nameOfSource,
  type SourceName,
  sourceStatusAt,
} from '#core';
import type { Store } from './store.ts';

interface Gathered {
  readonly metricKeys: Set<string>;
  readonly corrections: Map<string, number>;
  hasSources: boolean;
  hasAccounts: boolean;
  readonly failedSources: SourceName[];
  readonly recoveredSources: SourceName[];
}

interface Former {
  readonly hasFailed: boolean;
  readonly isStale: boolean;
  /** True if the record replaces a stored value with another one. */
  readonly isCorrected: boolean;
}

type Held = Pick<Store, 'series' | 'sources' | 'accounts'>;

function namesIn({ series, sources, accounts }: Held, companyId: string) {
  const isOwn = (one: { readonly companyId: string }) => one.companyId === companyId;
  const metrics = [...series.keys()].map((name) => JSON.parse(name) as [string, string]);
  return {
    metrics: metrics.filter(([owner]) => owner === companyId).map(([, key]) => key),
    sources: [...sources.values()]
      .filter(isOwn)
      .map(({ provider, accountName }) => nameOfSource(provider, accountName)),
    accounts: [...accounts.values()].filter(isOwn).map(({ id }) => id),
  };
}

export class DataChanges {
  readonly #store: Store;
  readonly #before: Held;
  readonly #byCompany = new Map<string, Gathered>();

  constructor(store: Store) {
    this.#store = store;
    const { series, sources, accounts } = store;
    this.#before = {
      series: new Map(series),
      sources: new Map(sources),
      accounts: new Map(accounts),
    };
  }

  /** @param former the state of the item before the change */
  add(record: ImportRecord, former: Former, now: Date): void {
    if (record.type === 'metric' || record.type === 'revision') {
      const { metricKeys, corrections } = this.#of(record.metric.companyId);
      const { key } = record.metric;
      metricKeys.add(key);
      if (former.isCorrected) corrections.set(key, (corrections.get(key) ?? 0) + 1);
    }
    if (record.type === 'account') this.#of(record.account.companyId).hasAccounts = true;
    if (record.type !== 'source') return;
    const { companyId, provider, accountName } = record.source;
    const change = this.#of(companyId);
    change.hasSources = true;
    const status = sourceStatusAt(record.source, now);
    if (status === failedStatus) {
      if (!former.hasFailed) change.failedSources.push({ provider, accountName });
    } else if (former.hasFailed || (former.isStale && status !== 'stale')) {
      change.recoveredSources.push({ provider, accountName });
    }
  }

  list(): DataChange[] {
    return [...this.#byCompany]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([companyId, { metricKeys, corrections, ...change }]) => ({
        ...change,
        companyId,
        metricKeys: [...metricKeys].toSorted(),
        ...(corrections.size > 0 && { corrections: Object.fromEntries(corrections) }),
        dataVersion: `${this.#store.dataVersions.get(companyId) ?? 0}`,
        ...this.#heldBy(companyId),
      }));
  }

  #heldBy(companyId: string): DataTotals {
    const now = namesIn(this.#store, companyId);
    const before = namesIn(this.#before, companyId);
    const kinds = Object.keys(now) as LimitedKind[];
    const added = (kind: LimitedKind) => now[kind].filter((name) => !before[kind].includes(name));
    const of = <T>(value: (kind: LimitedKind) => T) =>
      Object.fromEntries(kinds.map((kind) => [kind, value(kind)])) as Record<LimitedKind, T>;
    return {
      added: of(added),
      totals: of((kind) => (added(kind).length > 0 ? now[kind].length : 0)),
    };
  }

  #of(companyId: string): Gathered {
    return this.#byCompany.getOrInsertComputed(companyId, () => ({
      metricKeys: new Set(),
      corrections: new Map(),
      hasSources: false,
      hasAccounts: false,
      failedSources: [],
      recoveredSources: [],
    }));
  }
}
