import type { RawBuilder } from 'kysely';
import type {
  CompanyData,
  CompanyMetricPeriod,
  Environment,
  Metric,
  MetricEntry,
  MetricHistory,
  MetricName,
  MetricPeriod,
  MetricRevision,
  Periods,
  PushTransaction,
  RevisionWithSignature,
  UnhealthySources,
  VersionedCompany,
} from '#core';
import { type BatchLimits, batchQuestions } from '../connections/batch.ts';
import {
  columnsOf,
  type Row,
  type Statement,
  type StatementRunner,
  type Stores,
  sql,
} from '../connections/store.ts';
import { AccountEntity, SourceEntity } from '../entities/company-data.ts';
import {
  isNotVoided,
  type PointRow,
  pointColumns,
  type RevisionRow,
  revisionColumns,
  revisionPointColumns,
  toMetrics,
  toRevisions,
} from './metric-rows.ts';
import { SigningKeyIds } from './proof/signing-key-ids.ts';
import { byQuestion, toDecimal } from './rows.ts';

interface HistoryQuestion extends VersionedCompany {
  readonly key: string;
  readonly periods: Periods;
}

interface RecentValuesQuestion extends HistoryQuestion {
  readonly count: number;
}

/** A question about several metrics of one company. */
type OfKeys<Question> = Omit<Question, 'key'> & { readonly keys: readonly string[] };

type Positioned<Row> = Row & { readonly position: string };

interface UnhealthySourcesRow {
  readonly environment: Environment;
  readonly status: keyof UnhealthySources[Environment];
  readonly count: number;
}

/** The largest number of unhealthy sources that is counted per status. Above this number, counting stops. */
const maxCounted = 10_000;

/** Leaves out `isStaleReported`, because no API shows this column. */
type SourceRow = Omit<Row<'source'>, 'isStaleReported'>;

const sourceColumns = columnsOf(SourceEntity, 'source', 'isStaleReported');
const accountColumns = columnsOf(AccountEntity, 'account');

/** Selects the current values of a metric series and the values that they have replaced. */
const revisionsWhere = (columns: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`
  lateral (
    select ${columns} from metric_point where series_id = series.id and ${condition}
    union all
    select ${columns} from metric_revision where series_id = series.id and ${condition}
    offset 0
  ) as point`;

/** Returns the history questions as rows. Joins each row with its metric series. */
const questionRows = (questions: readonly HistoryQuestion[]) => sql`
  unnest(
    ${questions.map(({ companyId }) => companyId)}::text[],
    ${questions.map(({ key }) => key)}::text[],
    ${questions.map(({ periods }) => periods.from ?? '-infinity')}::date[],
    ${questions.map(({ periods }) => periods.to ?? 'infinity')}::date[]
  ) with ordinality as question (company_id, key, first, last, position)
  join metric_series as series
    on series.company_id = question.company_id and series.key = question.key`;

export const statements = {
  // Finds each latest value with one lookup in the primary key, so a long history isn't slower.
  latestMetrics: (companyIds: readonly string[]) => sql<
    PointRow & Pick<Metric, 'companyId' | 'key'>
  >`
    select series.company_id as "companyId", series.key, ${pointColumns}
    from metric_series as series
    cross join lateral (
      select * from metric_point where series_id = series.id and ${isNotVoided}
      order by period desc limit 1
    ) as point
    where series.company_id = any(${companyIds}::text[])
    order by series.key collate "C"`,

  // `offset 0` keeps the planner from merging the inner query with the outer one and reading the complete history.
  metricHistory: (questions: readonly HistoryQuestion[]) => sql<Positioned<PointRow>>`
    select question.position, ${pointColumns}
    from ${questionRows(questions)}
    cross join lateral (
      select * from metric_point
      where series_id = series.id and period between question.first and question.last and ${isNotVoided}
      offset 0
    ) as point
    order by question.position, point.period`,

  recentValues: (questions: readonly RecentValuesQuestion[]) => sql<Positioned<PointRow>>`
    select question.position, ${pointColumns}
    from unnest(
      ${questions.map(({ companyId }) => companyId)}::text[],
      ${questions.map(({ key }) => key)}::text[],
      ${questions.map(({ count }) => count)}::int[],
      ${questions.map(({ periods }) => periods.from ?? '-infinity')}::date[],
      ${questions.map(({ periods }) => periods.to ?? 'infinity')}::date[]
    ) with ordinality as question (company_id, key, count, first, last, position)
    join metric_series as series
      on series.company_id = question.company_id and series.key = question.key
    cross join lateral (
      select * from metric_point
      where series_id = series.id and period between question.first and question.last and ${isNotVoided}
      order by period desc limit question.count
    ) as point
    order by question.position, point.period`,

  nearestValues: (companyId: string, metricPeriods: readonly MetricPeriod[]) => sql<
    Positioned<PointRow> & Pick<Metric, 'key'>
  >`
    select question.position, series.key, ${pointColumns}
    from unnest(
      ${metricPeriods.map(({ key }) => key)}::text[], ${metricPeriods.map(({ period }) => period)}::date[]
    ) with ordinality as question (key, period, position)
    join metric_series as series
      on series.company_id = ${companyId} and series.key = question.key
    cross join lateral (
      select * from (
        (select * from metric_point
          where series_id = series.id and period <= question.period and ${isNotVoided}
          order by period desc limit 1)
        union all
        (select * from metric_point
          where series_id = series.id and period > question.period and ${isNotVoided}
          order by period limit 1)
      ) as around
      order by period <= question.period desc limit 1
    ) as point`,

  metricValues: (metricPeriods: readonly CompanyMetricPeriod[]) => sql<
    RevisionRow & Pick<Metric, 'companyId' | 'key'>
  >`
    select series.company_id as "companyId", series.key, ${revisionPointColumns}
    from (
      select distinct * from unnest(
        ${metricPeriods.map(({ companyId }) => companyId)}::text[],
        ${metricPeriods.map(({ key }) => key)}::text[], ${metricPeriods.map(({ period }) => period)}::date[]
      ) as place (company_id, key, period)
    ) as question
    join metric_series as series
      on series.company_id = question.company_id and series.key = question.key
    cross join lateral (
      select * from metric_point where series_id = series.id and period = question.period
      offset 0
    ) as point`,

  revisionsAt: (
    companyId: string,
    metricPeriods: readonly (MetricPeriod & Pick<MetricRevision, 'revision'>)[],
  ) => sql<RevisionRow & Pick<Metric, 'companyId' | 'key'>>`
    select series.company_id as "companyId", series.key, ${revisionPointColumns}
    from unnest(
      ${metricPeriods.map(({ key }) => key)}::text[], ${metricPeriods.map(({ period }) => period)}::date[],
      ${metricPeriods.map(({ revision }) => revision)}::integer[]
    ) as question (key, period, revision)
    join metric_series as series
      on series.company_id = ${companyId} and series.key = question.key
    cross join ${revisionsWhere(
      revisionColumns,
      sql`period = question.period and revision = question.revision`,
    )}`,

  metricNames: (companyId: string) => sql<MetricName & Pick<Metric, 'key'>>`
    select key, label, category from metric_series where company_id = ${companyId}`,

  metricEntries: (companyId: string, key: string) => sql<MetricEntry>`
    select point.period, point.revision, entry.actor, entry.created_at as "enteredAt",
      entry.changes->'method'->>'to' as method, entry.changes->'reason'->>'to' as reason
    from metric_series as series
    cross join ${revisionsWhere(
      sql`period, revision, settings_change_id`,
      sql`settings_change_id is not null`,
    )}
    join settings_change as entry on entry.id = point.settings_change_id
    where series.company_id = ${companyId} and series.key = ${key}
    order by point.period, point.revision`,

  metricRevisions: (questions: readonly HistoryQuestion[]) => sql<Positioned<RevisionRow>>`
    select question.position, ${revisionPointColumns}
    from ${questionRows(questions)}
    cross join ${revisionsWhere(revisionColumns, sql`period between question.first and question.last`)}
    order by question.position, point.period, point.revision`,

  sources: (companyIds: readonly string[]) => sql<SourceRow>`
    select ${sourceColumns}
    from source where company_id = any(${companyIds}::text[])
    order by provider collate "C", account_name collate "C"`,

  countUnhealthySources: (now: Date) => sql<UnhealthySourcesRow>`
    select environment, status, count(*)::integer as count
    from (
      (select company_id, 'failed' as status from source where status = 'failed'
        limit ${maxCounted})
      union all
      (select company_id, 'stale' from source where status <> 'failed' and stale_at <= ${now}
        limit ${maxCounted})
    ) as unhealthy
    join company on company.id = unhealthy.company_id
    group by environment, status`,

  companiesWithUnhealthySources: (companyIds: readonly string[], now: Date) => sql<{
    companyId: string;
  }>`
    select distinct company_id as "companyId"
    from source
    where company_id = any(${companyIds}::text[])
      and (status = 'failed' or stale_at <= ${now})`,

  accounts: (companyIds: readonly string[]) => sql<Row<'account'>>`
    select ${accountColumns}
    from account where company_id = any(${companyIds}::text[])
    order by provider collate "C", name collate "C", id`,
};

/** The number of histories that one statement reads. Each history may contain years of daily values. */
const historiesPerStatement = 8;

/** A company may have the largest allowed number of histories, so one statement reads few companies. */
const companiesPerStatement = 2;

/** One page of a portfolio, with a few metrics per company. */
const recentCompaniesPerStatement = 100;

const all: Periods = { from: null, to: null };

/** Splits each question into one question per metric, then joins the values of the metrics again. */
async function readByKeys<Question extends { readonly keys: readonly string[] }>(
  questions: readonly Question[],
  read: (
    questions: readonly (Omit<Question, 'keys'> & { readonly key: string })[],
  ) => Promise<readonly (readonly Metric[])[]>,
): Promise<readonly (readonly MetricHistory[])[]> {
  const values = await read(
    questions.flatMap(({ keys, ...company }) => keys.map((key) => ({ ...company, key }))),
  );
  const next = values.values();
  return questions.map(({ keys }) => keys.map((key) => ({ key, values: next.next().value ?? [] })));
}

type ToItems<Found, Item> = (rows: readonly Found[], company: VersionedCompany) => readonly Item[];

/** Returns the latest revision for each pair of metric and period, without its signature. */
export async function findLatestRevisions(
  store: StatementRunner,
  metricPeriods: readonly CompanyMetricPeriod[],
): Promise<readonly MetricRevision[]> {
  return toUnsigned(await store.run(statements.metricValues(metricPeriods)));
}

export async function findRevisions(
  store: StatementRunner,
  companyId: string,
  metricPeriods: Parameters<PushTransaction['findRevisions']>[0],
): Promise<readonly RevisionWithSignature[]> {
  const rows = await store.run(statements.revisionsAt(companyId, metricPeriods));
  const metrics = toUnsigned(rows);
  return rows.map(({ signature }, index) => ({
    metric: metrics[index] as MetricRevision,
    signature,
  }));
}

function toUnsigned(
  rows: readonly (RevisionRow & Pick<Metric, 'companyId' | 'key'>)[],
): MetricRevision[] {
  const unsigned = rows.map((row) => ({ ...row, signature: null, signingKey: null }));
  const company = { environment: 'live', publicKeyUrl: '', kids: new Map() } as const;
  return toRevisions(unsigned, (row) => row, company);
}

export function createCompanyData(
  { scopes, batches, requests }: Pick<Stores, 'scopes' | 'batches' | 'requests'>,
  limits: BatchLimits,
): CompanyData {
  const keyIds = new SigningKeyIds(batches);
  const within = (companies: readonly string[]) => scopes.batches.scoped({ companies });

  function byCompany<Found extends { companyId: string }, Item>(
    statement: (companyIds: readonly string[]) => Statement<Found>,
    presenter: (rows: readonly Found[]) => Promise<ToItems<Found, Item>>,
  ) {
    return batchQuestions(
      async (requested: readonly VersionedCompany[]) => {
        const companies = new Map(requested.map((company) => [company.companyId, company]));
        const companyIds = [...companies.keys()];
        const rows = await within(companyIds).run(statement(companyIds));
        const present = await presenter(rows);
        const found = Map.groupBy(rows, ({ companyId }) => companyId);
        const items = new Map(
          [...companies].map(([id, company]) => [id, present(found.get(id) ?? [], company)]),
        );
        return requested.map(({ companyId }) => items.get(companyId) ?? []);
      },
      limits,
      'company_data',
    );
  }

  const readerOf =
    <
      Question extends HistoryQuestion,
      Found extends Positioned<PointRow> | Positioned<RevisionRow>,
      Item,
    >(
      statement: (questions: readonly Question[]) => Statement<Found>,
      toItems: (...args: Parameters<typeof toRevisions<Found>>) => Item[],
    ) =>
    async (questions: readonly Question[]) => {
      const companyIds = questions.map(({ companyId }) => companyId);
      const rows = await within(companyIds).run(statement(questions));
      const kids = await keyIds.of(rows);
      const found = byQuestion(rows, questions.length);
      return questions.map((question, index) =>
        toItems(found[index] ?? [], () => question, { ...question, kids }),
      );
    };
  const readHistories = readerOf(statements.metricHistory, toMetrics);
  const historyLimits = { ...limits, size: historiesPerStatement };
  const readHistory = batchQuestions(readHistories, historyLimits, 'company_data');
  const readRevisions = batchQuestions(
    readerOf(statements.metricRevisions, toRevisions),
    historyLimits,
    'company_data',
  );
  const readHistoriesOf = batchQuestions(
    (questions: readonly OfKeys<HistoryQuestion>[]) => readByKeys(questions, readHistories),
    { ...limits, size: companiesPerStatement },
    'company_data',
  );
  const readRecent = readerOf(statements.recentValues, toMetrics);
  const readRecentOf = batchQuestions(
    (questions: readonly OfKeys<RecentValuesQuestion>[]) => readByKeys(questions, readRecent),
    { ...limits, size: recentCompaniesPerStatement },
    'company_data',
  );

  return {
    version: batchQuestions(
      async (companyIds: readonly string[]) => {
        const rows = await within(companyIds).run(sql<{ version: string }>`
          select coalesce(data.version, 0)::text as version
          from unnest(${companyIds}::text[]) with ordinality as question (company_id, position)
          left join company_data_version as data on data.company_id = question.company_id
          order by question.position`);
        return rows.map(({ version }) => version);
      },
      limits,
      'company_data',
    ),

    latestMetrics: byCompany(statements.latestMetrics, async (rows) => {
      const kids = await keyIds.of(rows);
      return (own, company) => toMetrics(own, (row) => row, { ...company, kids });
    }),

    metricHistory: (company, key, periods = all) => readHistory({ ...company, key, periods }),

    metricHistories: (company, keys, periods) => readHistoriesOf({ ...company, keys, periods }),

    recentValues: (company, keys, count, periods = all) =>
      readRecentOf({ ...company, keys, count, periods }),

    async nearestValues(company, metricPeriods) {
      const { companyId } = company;
      const rows = await within([companyId]).run(
        statements.nearestValues(companyId, metricPeriods),
      );
      const kids = await keyIds.of(rows);
      const metrics = toMetrics(rows, ({ key }) => ({ companyId, key }), { ...company, kids });
      const found = new Map(rows.map(({ position }, index) => [Number(position), metrics[index]]));
      return metricPeriods.map((_, index) => found.get(index + 1) ?? null);
    },

    async metricNames(companyId) {
      const rows = await within([companyId]).run(statements.metricNames(companyId));
      return new Map(rows.map(({ key, ...name }) => [key, name]));
    },

    metricEntries: (companyId, key) =>
      scopes.requests
        .scoped({ companies: [companyId] })
        .run(statements.metricEntries(companyId, key)),

    metricRevisions: (company, key, periods = all) => readRevisions({ ...company, key, periods }),

    sources: byCompany(statements.sources, async () => (rows) => rows),

    async countUnhealthySources(now) {
      const counts = { live: { stale: 0, failed: 0 }, test: { stale: 0, failed: 0 } };
      for (const { environment, status, count } of await requests.run(
        statements.countUnhealthySources(now),
      )) {
        counts[environment][status] = count;
      }
      return counts;
    },

    async findCompaniesWithUnhealthySources(companyIds, now) {
      const { scoped } = scopes.requests;
      const statement = statements.companiesWithUnhealthySources(companyIds, now);
      const rows = await scoped({ companies: companyIds }).run(statement);
      return new Set(rows.map(({ companyId }) => companyId));
    },

    accounts: byCompany(
      statements.accounts,
      async () => (rows) => rows.map((row) => ({ ...row, rawBalance: toDecimal(row.rawBalance) })),
    ),
  };
}
