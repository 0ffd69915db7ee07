import type {
  NormalizedAccount,
  NormalizedMetric,
  NormalizedSource,
} from '../parity/drivers/driver.ts';
import type { DataPlan } from './plan.ts';
import type { Company } from './state.ts';

export type Imported = Pick<Company, 'metrics' | 'sources' | 'accounts'>;
type Data = Imported & Pick<Company, 'revisions'>;

export const noData: Data = { metrics: [], revisions: [], sources: [], accounts: [] };

const synced = '2026-11-01T04:00:00.000Z';

export function dataOf(company: { readonly id: string }, plan: DataPlan, word: string): Imported {
  return {
    metrics: Object.entries(plan.metrics).flatMap(([key, periods]) =>
      periods.map((period, index) => metric(company.id, key, period, word, index)),
    ),
    sources: numbers(plan.sources).map((index) => source(index, word)),
    accounts: numbers(plan.accounts).map((index) => account(company.id, index, word)),
  };
}

/**
 * A new item replaces the old item with the same identity. The result has the order of the
 * service's answers. Each import contains a new word, so a new value always differs.
 */
export function merge(old: Data, brought: Imported): Data {
  const newest = new Map(brought.metrics.map(({ key, label }) => [key, label]));
  // A metric has the same label in all periods.
  const relabel = (one: NormalizedMetric) => ({ ...one, label: newest.get(one.key) ?? one.label });
  return {
    metrics: together(old.metrics, brought.metrics, ({ key, period }) => `${key} ${period}`).map(
      relabel,
    ),
    revisions: [...old.revisions, ...brought.metrics].map(relabel),
    sources: together(old.sources, brought.sources, ({ provider }) => provider),
    accounts: together(old.accounts, brought.accounts, ({ id }) => id),
  };
}

function together<T>(old: readonly T[], brought: readonly T[], identity: (one: T) => string): T[] {
  const all = new Map([...old, ...brought].map((one) => [identity(one), one]));
  return [...all].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

const metric = (
  companyId: string,
  key: string,
  period: string,
  word: string,
  index: number,
): NormalizedMetric => ({
  companyId,
  key,
  label: `${key} of ${word}`,
  currency: index === 0 ? null : 'EUR',
  period,
  source: { system: word, method: 'api', lastSynced: synced },
  verification: { verified: index === 0, signed: true },
  confidence: 'high',
  value: `${Number.parseInt(word, 36)}.${index + 1} w${word}`,
  rawValue: `${Number.parseInt(word, 36)}.${index + 1}`,
  category: 'liquidity',
  asOf: synced,
});

const source = (index: number, word: string): NormalizedSource => ({
  provider: `provider ${index}`,
  status: word,
  accountName: 'Main',
  lastSyncedAt: synced,
});

const account = (companyId: string, index: number, word: string): NormalizedAccount => ({
  id: `${companyId}-${index}`,
  companyId,
  provider: 'bank',
  name: `Account ${index}`,
  type: 'bank',
  currency: 'EUR',
  balance: `-${index + 1}.5 w${word}`,
  rawBalance: `-${index + 1}.5`,
  lastFour: null,
  lastSyncedAt: synced,
});
