import type { ImportRecord } from './import-record.ts';

/** So much a company may have: whoever reads of it, and of others beside it, reads all of it at once. */
export const mostHeld = { metrics: 2_000, sources: 500, accounts: 500 } as const;

export type HeldKind = keyof typeof mostHeld;

/** What a change has added to what a company has, and how much that is now. */
export interface HeldData {
  /** By `nameOfHeld`. */
  readonly added: Readonly<Record<HeldKind, readonly string[]>>;
  /** Of a kind to which something was added; of more than there may be, any number that is more. */
  readonly held: Readonly<Record<HeldKind, number>>;
}

/** Tells it from all others of its kind and company. */
export const nameOfSource = (provider: string, accountName: string): string =>
  JSON.stringify([provider, accountName]);

/** What a record is about, of the kinds that are bounded. */
export function nameOfHeld(record: ImportRecord): { kind: HeldKind; name: string } | null {
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

/** The first kind to which a change adds what may not be there any more; null: none. What is too much already may stay. */
export const findExcess = ({ added, held }: HeldData): HeldKind | null =>
  (Object.keys(mostHeld) as HeldKind[]).find(
    (kind) => added[kind].length > 0 && held[kind] > mostHeld[kind],
  ) ?? null;
