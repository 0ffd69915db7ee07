import type { Account } from '../../model/company-data/account.ts';
import type { Company } from '../../model/company-data/company.ts';
import { type Decimal, formatAmount } from '../../model/company-data/decimal.ts';
import type { ImportRecord } from '../../model/company-data/import-record.ts';
import type { ImportedMetric } from '../../model/company-data/metric.ts';

const monthsOfHistory = 12;

interface Month {
  readonly period: string;
  readonly asOf: Date;
  /** One minute after the start of the next month. */
  readonly syncedAt: Date;
}

const startOfMonth = (now: Date, monthsLater: number): number =>
  Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsLater);

const syncedIn = (month: number) => new Date(month + 60_000);

function completeMonths(now: Date): Month[] {
  return Array.from({ length: monthsOfHistory }, (_, index) => {
    const next = startOfMonth(now, index + 1 - monthsOfHistory);
    const asOf = new Date(next - 1000);
    return { period: asOf.toISOString().slice(0, 10), asOf, syncedAt: syncedIn(next) };
  });
}

interface Definition extends Pick<ImportedMetric, 'key' | 'label' | 'category' | 'currency'> {
  readonly system: string;
  valueIn(month: number): number;
}

const cashInMonth = (month: number): number => 2_400_000 - 65_000 * month;

const definitions: readonly Definition[] = [
  {
    key: 'cash_balance',
    label: 'Cash balance',
    category: 'liquidity',
    currency: 'USD',
    system: 'Sandbox Bank',
    valueIn: cashInMonth,
  },
  {
    key: 'mrr',
    label: 'Monthly recurring revenue',
    category: 'revenue',
    currency: 'USD',
    system: 'Sandbox Billing',
    valueIn: (month) => 118_000 + 3_500 * month,
  },
  {
    key: 'headcount',
    label: 'Headcount',
    category: 'team',
    currency: null,
    system: 'Sandbox Payroll',
    valueIn: (month) => 24 + Math.floor(month / 3),
  },
];

/** Expects a whole number. */
const toDecimal = (value: number) => String(value) as Decimal;

export function sandboxRecords(company: Pick<Company, 'id' | 'name'>, now: Date): ImportRecord[] {
  const months = completeMonths(now);
  return [
    { type: 'company', company: { ...company, environment: 'test' } },
    ...months.flatMap((month, index) =>
      definitions.map(
        (definition): ImportRecord => ({
          type: 'metric',
          metric: toMetric(company.id, definition, month, toDecimal(definition.valueIn(index))),
        }),
      ),
    ),
    ...sourcesAndAccounts(company.id, syncedIn(startOfMonth(now, 0))),
  ];
}

function toMetric(
  companyId: string,
  { system, valueIn: _, ...definition }: Definition,
  { period, asOf, syncedAt }: Month,
  rawValue: Decimal,
): ImportedMetric {
  return {
    ...definition,
    companyId,
    period,
    asOf,
    source: { system, method: 'api', lastSynced: syncedAt },
    verification: { verified: true, signed: false },
    confidence: 'high',
    rawValue,
    value: formatAmount(rawValue, definition.currency),
  };
}

function sourcesAndAccounts(companyId: string, syncedAt: Date): ImportRecord[] {
  const source = (provider: string, accountName: string): ImportRecord => ({
    type: 'source',
    source: {
      companyId,
      provider,
      accountName,
      status: 'connected',
      lastSyncedAt: syncedAt,
      expectedEvery: null,
      staleAt: null,
    },
  });
  const account = (
    name: string,
    own: Pick<Account, 'id' | 'type' | 'lastFour'>,
    balance: number,
  ): ImportRecord => {
    const currency = 'USD';
    const rawBalance = toDecimal(balance);
    return {
      type: 'account',
      account: {
        ...own,
        companyId,
        provider: 'Sandbox Bank',
        name,
        currency,
        rawBalance,
        balance: formatAmount(rawBalance, currency),
        lastSyncedAt: syncedAt,
      },
    };
  };
  const id = `acc_${companyId.slice('co_'.length)}`;
  const operating = { id: `${id}_operating`, type: 'bank', lastFour: '4242' } as const;
  const cards = { id: `${id}_cards`, type: 'credit', lastFour: '0005' } as const;
  return [
    source('Sandbox Bank', 'Operating account'),
    source('Sandbox Billing', 'Subscriptions'),
    source('Sandbox Payroll', 'Payroll'),
    account('Operating account', operating, cashInMonth(monthsOfHistory - 1)),
    account('Company cards', cards, -18_200),
  ];
}
