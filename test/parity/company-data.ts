import type { NormalizedAccount, NormalizedMetric, NormalizedSource } from './drivers/driver.ts';
import { linesOf } from './import-lines.ts';

/** Long amounts and unusual texts, which no protocol may change, as import lines and as expected answers. */
export interface GivenData {
  readonly lines: readonly object[];
  readonly latest: readonly NormalizedMetric[];
  /** The history of cash_balance, oldest first. */
  readonly history: readonly NormalizedMetric[];
  readonly sources: readonly NormalizedSource[];
  readonly accounts: readonly NormalizedAccount[];
}

/** These amounts have too many digits for a binary floating-point number. */
const exactAmounts = [
  '1234567890123456789012345.123456789012',
  '-9999999999999999999999999.999999999999',
  '0.1',
  '9007199254740993',
  '-0.000000000001',
  '0',
] as const;

const name = 'Größe & Söhne ½ “高” 🏦 <b>\\n</b> ; drop table';
const synced = '2026-11-01T04:00:00.123Z';

export function givenData(companyId: string): GivenData {
  const metric = (key: string, period: string, rawValue: string): NormalizedMetric => ({
    companyId,
    key,
    label: `${key}: ${name}`,
    currency: key === 'cash_balance' ? 'EUR' : null,
    period,
    source: { system: name, method: 'api', lastSynced: synced },
    verification: { verified: key === 'cash_balance', signed: true },
    confidence: 'high',
    value: `≈ ${rawValue} €`,
    rawValue,
    category: 'liquidity',
    asOf: `${period}T23:59:59.999Z`,
  });
  const source = (provider: string, status: string): NormalizedSource => ({
    provider,
    status,
    accountName: name,
    lastSyncedAt: synced,
  });
  const account = (
    id: string,
    type: NormalizedAccount['type'],
    rawBalance: string,
    lastFour: string | null,
  ): NormalizedAccount => ({
    id,
    companyId,
    provider: 'Ålandsbanken',
    name: `${name} ${id}`,
    type,
    currency: 'EUR',
    balance: `≈ ${rawBalance} €`,
    rawBalance,
    lastFour,
    lastSyncedAt: synced,
  });
  const [big, negative, tenth, beyond, tiny, zero] = exactAmounts;
  const history = [
    metric('cash_balance', '2024-02-29', negative),
    metric('cash_balance', '2026-09-30', tenth),
    metric('cash_balance', '2026-10-31', big),
  ];
  const others = [
    metric('Burn.Rate-2', '2026-10-31', tiny),
    metric('headcount', '2026-10-31', beyond),
    metric('zero', '2026-10-31', zero),
  ];
  const sources = [source('Ålandsbanken', 'error'), source('mercury', 'connected')];
  const accounts = [
    account('acc-1', 'bank', big, '4821'),
    account('acc-2', 'credit', negative, null),
    account('acc-3', 'ledger', tiny, '000X'),
  ];
  return {
    // The lines are newest first, so that the order of the answers can't come from the import.
    lines: linesOf(companyId, {
      metrics: [...others, ...history].toReversed(),
      sources: sources.toReversed(),
      accounts: accounts.toReversed(),
    }),
    latest: [...others, ...history.slice(-1)].toSorted(by(({ key }) => key)),
    history,
    sources: sources.toSorted(by(({ provider }) => provider)),
    accounts,
  };
}

const by =
  <T>(word: (item: T) => string) =>
  (a: T, b: T): number =>
    word(a) < word(b) ? -1 : 1;
