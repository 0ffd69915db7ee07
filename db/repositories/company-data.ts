import type { Account, AccountType, CompanyData, Metric, Source } from '#core';
import { read, type Store, sql } from '../store.ts';
import { toDecimal, toInstant } from './rows.ts';

interface MetricRow {
  company_id: string;
  key: string;
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

const metricColumns = sql`series.company_id, series.key, series.label, series.category,
  point.currency, point.period, point.raw_value, point.value, point.as_of, point.confidence,
  point.source_system, point.source_method, point.last_synced, point.verified`;

/** The latest point of each series by one step into the primary key, however long its history. */
const latestPoint = sql`cross join lateral (
    select * from metric_point where series_id = series.id order by period desc limit 1
  ) as point`;

/** Exported for the test that looks at their plans. */
export const statements = {
  latestMetrics: (companyId: string) => sql<MetricRow>`
    select ${metricColumns} from metric_series as series ${latestPoint}
    where series.company_id = ${companyId}
    order by series.key collate "C"`,

  latestMetric: (companyId: string, key: string) => sql<MetricRow>`
    select ${metricColumns} from metric_series as series ${latestPoint}
    where series.company_id = ${companyId} and series.key = ${key}`,

  metricHistory: (companyId: string, key: string) => sql<MetricRow>`
    select ${metricColumns}
    from metric_series as series
    join metric_point as point on point.series_id = series.id
    where series.company_id = ${companyId} and series.key = ${key}
    order by point.series_id, point.period`,
};

function toMetric(row: MetricRow): Metric {
  return {
    companyId: row.company_id,
    key: row.key,
    label: row.label,
    currency: row.currency,
    period: row.period,
    source: {
      system: row.source_system,
      method: row.source_method,
      lastSynced: toInstant(row.last_synced),
    },
    verification: { verified: row.verified, signed: false },
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

export function createCompanyData(store: Store): CompanyData {
  return {
    async latestMetrics(companyId) {
      return (await read(store, statements.latestMetrics(companyId))).map(toMetric);
    },

    async latestMetric(companyId, key) {
      const [row] = await read(store, statements.latestMetric(companyId, key));
      return row === undefined ? null : toMetric(row);
    },

    async metricHistory(companyId, key) {
      return (await read(store, statements.metricHistory(companyId, key))).map(toMetric);
    },

    async sources(companyId) {
      const rows = await read(
        store,
        sql<SourceRow>`select company_id, provider, status, account_name, last_synced_at
          from source where company_id = ${companyId}
          order by provider collate "C", account_name collate "C"`,
      );
      return rows.map(toSource);
    },

    async accounts(companyId) {
      const rows = await read(
        store,
        sql<AccountRow>`select id, company_id, provider, name, type, currency, balance,
            raw_balance, last_four, last_synced_at
          from account where company_id = ${companyId}
          order by provider collate "C", name collate "C", id collate "C"`,
      );
      return rows.map(toAccount);
    },
  };
}
