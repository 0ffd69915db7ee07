import type { CompanyAt, CompanyData, Metric, Periods } from '#core';
import { type BatchLimits, batched } from '../batch.ts';
import { AccountEntity, SourceEntity } from '../entities/company-data.ts';
import { columnsOf, type Row, type Statement, type Stores, sql } from '../store.ts';
import { byQuestion, toDecimal } from './rows.ts';

interface PointRow
  extends Pick<Row<'metric_series'>, 'label' | 'category'>,
    Omit<Row<'metric_point'>, 'seriesId' | 'lastSynced'> {
  /** As text, which is cheap to compare. */
  readonly lastSynced: string;
}

type MetricName = Pick<Metric, 'companyId' | 'key'>;

const pointColumns = sql`series.label, series.category, point.currency, point.period,
  point.raw_value as "rawValue", point.value, point.as_of as "asOf", point.confidence,
  point.source_system as "sourceSystem", point.source_method as "sourceMethod",
  point.last_synced::text as "lastSynced", point.verified`;

interface HistoryQuestion {
  readonly companyId: string;
  readonly key: string;
  readonly periods: Periods;
}

interface HistoryRow extends PointRow {
  readonly position: string;
}

const sourceColumns = columnsOf(SourceEntity, 'source');
const accountColumns = columnsOf(AccountEntity, 'account');

/** Exported for the test that looks at their plans. */
export const statements = {
  // The latest point of each series is one step into the primary key, however long its history.
  latestMetrics: (companyIds: readonly string[]) => sql<PointRow & MetricName>`
    select series.company_id as "companyId", series.key, ${pointColumns}
    from metric_series as series
    cross join lateral (
      select * from metric_point where series_id = series.id order by period desc limit 1
    ) as point
    where series.company_id = any(${companyIds}::text[])
    order by series.key collate "C"`,

  // Without the offset the planner merges the inner query and then reads the whole history to throw it away.
  metricHistory: (questions: readonly HistoryQuestion[]) => sql<HistoryRow>`
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

  sources: (companyIds: readonly string[]) => sql<Row<'source'>>`
    select ${sourceColumns}
    from source where company_id = any(${companyIds}::text[])
    order by provider collate "C", account_name collate "C"`,

  accounts: (companyIds: readonly string[]) => sql<Row<'account'>>`
    select ${accountColumns}
    from account where company_id = any(${companyIds}::text[])
    order by provider collate "C", name collate "C", id collate "C"`,
};

/** Rows that follow each other and come from one synchronisation share its source: there are thousands of them. */
function toMetrics<Found extends PointRow>(
  rows: readonly Found[],
  nameOf: (row: Found) => MetricName,
): Metric[] {
  let previous: PointRow | undefined;
  let source: Metric['source'] | undefined;
  return rows.map((row) => {
    if (previous === undefined || source === undefined || !isOneSource(previous, row)) {
      source = {
        system: row.sourceSystem,
        method: row.sourceMethod,
        lastSynced: new Date(row.lastSynced),
      };
    }
    previous = row;
    return toMetric(row, nameOf(row), source);
  });
}

const isOneSource = (one: PointRow, other: PointRow): boolean =>
  one.lastSynced === other.lastSynced &&
  one.sourceSystem === other.sourceSystem &&
  one.sourceMethod === other.sourceMethod;

const unsigned = {
  verified: { verified: true, signed: false },
  unverified: { verified: false, signed: false },
} as const;

const toMetric = (
  row: PointRow,
  { companyId, key }: MetricName,
  source: Metric['source'],
): Metric => ({
  companyId,
  key,
  label: row.label,
  currency: row.currency,
  period: row.period,
  source,
  verification: row.verified ? unsigned.verified : unsigned.unverified,
  confidence: row.confidence,
  value: row.value,
  rawValue: toDecimal(row.rawValue),
  category: row.category,
  asOf: row.asOf,
});

/** A statement reads at most so many histories, each of which may hold years of daily values. */
const historiesAtOnce = 8;

const all: Periods = { from: null, to: null };

export function createCompanyData(
  { batches }: Pick<Stores, 'batches'>,
  limits: BatchLimits,
): CompanyData {
  function byCompany<Found extends { companyId: string }, Item>(
    statement: (companyIds: readonly string[]) => Statement<Found>,
    present: (rows: readonly Found[]) => readonly Item[],
  ) {
    const ask = batched(async (companyIds: readonly string[]) => {
      const rows = await batches.run(statement([...new Set(companyIds)]));
      const found = Map.groupBy(rows, ({ companyId }) => companyId);
      const items = new Map([...found].map(([companyId, own]) => [companyId, present(own)]));
      return companyIds.map((companyId) => items.get(companyId) ?? []);
    }, limits);
    return ({ companyId }: CompanyAt) => ask(companyId);
  }

  const readHistory = batched(
    async (questions: readonly HistoryQuestion[]) => {
      const rows = await batches.run(statements.metricHistory(questions));
      const found = byQuestion(rows, questions.length);
      return questions.map((question, index) => toMetrics(found[index] ?? [], () => question));
    },
    { ...limits, size: historiesAtOnce },
  );

  return {
    latestMetrics: byCompany(statements.latestMetrics, (rows) => toMetrics(rows, (row) => row)),

    metricHistory: ({ companyId }, key, periods = all) => readHistory({ companyId, key, periods }),

    sources: byCompany(statements.sources, (rows) => rows),

    accounts: byCompany(statements.accounts, (rows) =>
      rows.map((row) => ({ ...row, rawBalance: toDecimal(row.rawBalance) })),
    ),
  };
}
