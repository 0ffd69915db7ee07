import type { RawBuilder } from 'kysely';
import type { Account, AccountType, CompanyAt, CompanyData, Metric, Periods, Source } from '#core';
import { type BatchLimits, batched } from '../batch.ts';
import { sql } from '../store.ts';
import type { Stores } from '../stores.ts';
import { toDecimal, toInstant } from './rows.ts';

interface PointRow {
  label: string;
  category: string;
  currency: string | null;
  period: string;
  raw_value: string;
  value: string;
  as_of: string;
  confidence: string;
  source_system: string;
  source_method: string;
  last_synced: string;
  verified: boolean;
}

interface MetricRow extends PointRow {
  company_id: string;
  key: string;
}

const pointColumns = sql`series.label, series.category, point.currency, point.period,
  point.raw_value, point.value, point.as_of, point.confidence, point.source_system, point.source_method, point.last_synced, point.verified`;

/** The latest point of each series by one step into the primary key, however long its history. */
const latestPoint = sql`cross join lateral (
    select * from metric_point where series_id = series.id order by period desc limit 1
  ) as point`;

interface HistoryQuestion {
  readonly companyId: string;
  readonly key: string;
  readonly periods: Periods;
}

interface Asked {
  /** Which of the questions the row answers, counted from 1. */
  position: string;
}

/** Exported for the test that looks at their plans. */
export const statements = {
  latestMetrics: (companyIds: readonly string[]) => sql<MetricRow>`
    select series.company_id, series.key, ${pointColumns} from metric_series as series ${latestPoint}
    where series.company_id = any(${companyIds}::text[])
    order by series.key collate "C"`,

  // Without the offset the planner merges the inner query and then reads the whole history to throw it away.
  metricHistory: (questions: readonly HistoryQuestion[]) => sql<PointRow & Asked>`
    select asked.position, ${pointColumns}
    from unnest(
      ${questions.map(({ companyId }) => companyId)}::text[],
      ${questions.map(({ key }) => key)}::text[],
      ${questions.map(({ periods }) => periods.from ?? '-infinity')}::date[],
      ${questions.map(({ periods }) => periods.to ?? 'infinity')}::date[]
    ) with ordinality as asked (company_id, key, first, last, position)
    join metric_series as series
      on series.company_id = asked.company_id and series.key = asked.key
    cross join lateral (
      select * from metric_point
      where series_id = series.id and period between asked.first and asked.last
      offset 0
    ) as point
    order by asked.position, point.period`,
};

/** Rows that follow each other and come from one synchronisation share its source: there are thousands of them. */
function toMetrics<Row extends PointRow>(
  rows: readonly Row[],
  nameOf: (row: Row) => Pick<Metric, 'companyId' | 'key'>,
): Metric[] {
  let previous: Row | undefined;
  let source: Metric['source'] | undefined;
  return rows.map((row) => {
    if (previous === undefined || source === undefined || !isOneSource(previous, row)) {
      source = {
        system: row.source_system,
        method: row.source_method,
        lastSynced: toInstant(row.last_synced),
      };
    }
    previous = row;
    return toMetric(row, nameOf(row), source);
  });
}

const isOneSource = (one: PointRow, other: PointRow): boolean =>
  one.last_synced === other.last_synced &&
  one.source_system === other.source_system &&
  one.source_method === other.source_method;

const unsigned = {
  verified: { verified: true, signed: false },
  unverified: { verified: false, signed: false },
} as const;

function toMetric(
  row: PointRow,
  { companyId, key }: Pick<Metric, 'companyId' | 'key'>,
  source: Metric['source'],
): Metric {
  return {
    companyId,
    key,
    label: row.label,
    currency: row.currency,
    period: row.period,
    source,
    verification: row.verified ? unsigned.verified : unsigned.unverified,
    confidence: row.confidence,
    value: row.value,
    rawValue: toDecimal(row.raw_value),
    category: row.category,
    asOf: toInstant(row.as_of),
  };
}

interface SourceRow {
  company_id: string;
  provider: string;
  status: string;
  account_name: string;
  last_synced_at: string;
}

function toSource(row: SourceRow): Source {
  return {
    companyId: row.company_id,
    provider: row.provider,
    status: row.status,
    accountName: row.account_name,
    lastSyncedAt: toInstant(row.last_synced_at),
  };
}

interface AccountRow {
  id: string;
  company_id: string;
  provider: string;
  name: string;
  type: AccountType;
  currency: string;
  balance: string;
  raw_balance: string;
  last_four: string | null;
  last_synced_at: string;
}

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    companyId: row.company_id,
    provider: row.provider,
    name: row.name,
    type: row.type,
    currency: row.currency,
    balance: row.balance,
    rawBalance: toDecimal(row.raw_balance),
    lastFour: row.last_four,
    lastSyncedAt: toInstant(row.last_synced_at),
  };
}

/** Years of daily values, of so many questions at once, are enough for one statement. */
const historiesAtOnce = 8;

const all: Periods = { from: null, to: null };

export function createCompanyData(
  { questions }: Pick<Stores, 'questions'>,
  limits: BatchLimits,
): CompanyData {
  /** Answers with rows that name their company. */
  function byCompany<Row extends { company_id: string }, Item>(
    statement: (companyIds: readonly string[]) => RawBuilder<Row>,
    present: (rows: readonly Row[]) => Item[],
  ) {
    const ask = batched(async (companyIds: readonly string[]) => {
      const rows = await questions.run(statement([...new Set(companyIds)]));
      const found = Map.groupBy(rows, (row) => row.company_id);
      const items = new Map([...found].map(([companyId, own]) => [companyId, present(own)]));
      return companyIds.map((companyId) => items.get(companyId) ?? []);
    }, limits);
    return ({ companyId }: CompanyAt) => ask(companyId);
  }

  const askForHistory = batched(
    async (asked: readonly HistoryQuestion[]) => {
      const rows = await questions.run(statements.metricHistory(asked));
      const found = Map.groupBy(rows, (row) => Number(row.position));
      return asked.map((question, index) => toMetrics(found.get(index + 1) ?? [], () => question));
    },
    { ...limits, size: historiesAtOnce },
  );

  return {
    latestMetrics: byCompany(statements.latestMetrics, (rows) =>
      toMetrics(rows, ({ company_id: companyId, key }) => ({ companyId, key })),
    ),

    metricHistory: ({ companyId }, key, periods = all) =>
      askForHistory({ companyId, key, periods }),

    sources: byCompany(
      (companyIds) => sql<SourceRow>`
        select company_id, provider, status, account_name, last_synced_at
        from source where company_id = any(${companyIds}::text[])
        order by provider collate "C", account_name collate "C"`,
      (rows) => rows.map(toSource),
    ),

    accounts: byCompany(
      (companyIds) => sql<AccountRow>`
        select id, company_id, provider, name, type, currency, balance,
          raw_balance, last_four, last_synced_at
        from account where company_id = any(${companyIds}::text[])
        order by provider collate "C", name collate "C", id collate "C"`,
      (rows) => rows.map(toAccount),
    ),
  };
}
