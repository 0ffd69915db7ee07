import type { ImportRecord } from './import-record.ts';

/** The limits per company. A read returns all data of a company at once, so the amount of data must be limited. */
export const maxPerCompany = { metrics: 2_000, sources: 500, accounts: 500 } as const;

export type LimitedKind = keyof typeof maxPerCompany;

export interface DataTotals {
  /** The names of the added items, as `limitedItemOf` returns them. */
  readonly added: Readonly<Record<LimitedKind, readonly string[]>>;
  /** The number of the company's items per kind, for kinds with added items. A number above the limit isn't exact. */
  readonly totals: Readonly<Record<LimitedKind, number>>;
}

export const nameOfSource = (provider: string, accountName: string): string =>
  JSON.stringify([provider, accountName]);

export function limitedItemOf(record: ImportRecord): { kind: LimitedKind; name: string } | null {
  switch (record.type) {
    case 'metric':
    case 'revision':
      return { kind: 'metrics', name: record.metric.key };
    case 'source': {
      const { provider, accountName } = record.source;
      return { kind: 'sources', name: nameOfSource(provider, accountName) };
    }
    case 'account':
      return { kind: 'accounts', name: record.account.id };
    default:
      return null;
  }
}

/** Returns the first kind whose limit the change exceeds. Above a limit, existing items can still change. */
export const findExcess = ({ added, totals }: DataTotals): LimitedKind | null =>
  (Object.keys(maxPerCompany) as LimitedKind[]).find(
    (kind) => added[kind].length > 0 && totals[kind] > maxPerCompany[kind],
  ) ?? null;
