import type { ImportCounts } from '#core';
import { type Statement, type Store, sql } from '../../store.ts';
import { rightEnvironment } from './problems.ts';

/**
 * Makes what was staged visible. What is counted are things, not lines: a company, a metric's value of one period, a
 * source, an account. Of several lines about a thing the last one counts. A thing that was not there counts as
 * inserted, one that differs from what was there as updated.
 *
 * A metric's label and category belong to all its periods and come from the import's last line about the metric. When
 * that changes them, it is the value of that line which counts as updated, and no other. So the same lines once more
 * find nothing to do: the last line of everything is what is there.
 */
export async function applyStaged(
  store: Store,
  importId: string,
  startedAt: Date,
): Promise<ImportCounts> {
  // One import at a time is applied; who reads does not wait.
  await store.run(sql`lock table metric_series in share row exclusive mode`);
  // Nobody can tell how many rows an upsert returns, and a nested loop over a million of them would never end.
  await store.run(sql`set local enable_nestloop = off`);
  const counts = [
    await applyCompanies(store, importId, startedAt),
    await applyMetrics(store, importId),
    await applySources(store, importId),
    await applyAccounts(store, importId),
  ];
  return {
    inserted: sum(counts, 'inserted'),
    updated: sum(counts, 'updated'),
    unchanged: sum(counts, 'unchanged'),
  };
}

function sum(counts: readonly ImportCounts[], name: keyof ImportCounts): number {
  return counts.reduce((total, count) => total + count[name], 0);
}

type CountRow = Record<keyof ImportCounts, string>;

async function count(store: Store, statement: Statement<CountRow>): Promise<ImportCounts> {
  const [row] = await store.run(statement);
  if (row === undefined) throw new Error('a count came back without a row');
  return {
    inserted: Number(row.inserted),
    updated: Number(row.updated),
    unchanged: Number(row.unchanged),
  };
}

/** A row version without an xmax was inserted by this statement, one with it updated. */
const wasInserted = sql`xmax = 0 as was_inserted`;

/** Counts the last lines by what became of them; one that changed nothing has no row in `changed`. */
const countChanges = sql`
  count(*) filter (where was_inserted) as inserted,
  count(*) filter (where not was_inserted) as updated,
  count(*) filter (where was_inserted is null) as unchanged`;

/** By now every company without a problem is there. */
const companyIsKnown = sql`exists (select from company where id = staged.company_id)`;

const applyCompanies = (store: Store, importId: string, startedAt: Date) =>
  count(
    store,
    sql`
      with last as materialized (
        select distinct on (company_id) company_id as id, name, environment
        from import_company as staged
        where import_id = ${importId} and environment = ${rightEnvironment}
        order by company_id, line desc
      ), changed as (
        insert into company as kept (id, name, environment, created_at)
        select id, name, environment, ${startedAt}::timestamptz from last
        on conflict (id) do update set name = excluded.name
        where kept.name is distinct from excluded.name
          and kept.environment = excluded.environment
        returning id, ${wasInserted}
      )
      select ${countChanges} from last left join changed using (id)`,
  );

const columnsOf = (names: readonly string[], table?: string) =>
  sql.raw(names.map((name) => (table === undefined ? name : `${table}.${name}`)).join(', '));

/** What to do with a row that is there already: nothing, unless one of these columns differs. */
const updateIfDistinct = (names: readonly string[]) => sql`
  do update set (${columnsOf(names)}) = (${columnsOf(names, 'excluded')})
  where (${columnsOf(names, 'kept')}) is distinct from (${columnsOf(names, 'excluded')})`;

const pointColumns = [
  'currency',
  'raw_value',
  'value',
  'as_of',
  'confidence',
  'source_system',
  'source_method',
  'last_synced',
  'verified',
];

const applyMetrics = (store: Store, importId: string) =>
  count(
    store,
    sql`
      with last as materialized (
        select distinct on (company_id, key, period)
          company_id, key, period, line, label, category, ${columnsOf(pointColumns)}
        from import_metric as staged
        where import_id = ${importId} and ${companyIsKnown}
        order by company_id, key, period, line desc
      ), last_of_series as materialized (
        select distinct on (company_id, key) company_id, key, line as last_line, label, category
        from last
        order by company_id, key, line desc
      ), changed_series as (
        insert into metric_series as kept (company_id, key, label, category)
        select company_id, key, label, category from last_of_series
        on conflict (company_id, key) ${updateIfDistinct(['label', 'category'])}
        returning id, company_id, key, ${wasInserted}
      ), series as (
        select company_id, key, last_line, coalesce(changed_series.id, known.id) as id,
          coalesce(not was_inserted, false) as is_relabelled
        from last_of_series
        left join changed_series using (company_id, key)
        left join metric_series as known using (company_id, key)
      ), points as materialized (
        select series.id as series_id, period, is_relabelled and line = last_line as relabels,
          ${columnsOf(pointColumns)}
        from last join series using (company_id, key)
      ), changed as (
        insert into metric_point as kept (series_id, period, ${columnsOf(pointColumns)})
        select series_id, period, ${columnsOf(pointColumns)} from points
        on conflict (series_id, period) ${updateIfDistinct(pointColumns)}
        returning series_id, period, ${wasInserted}
      )
      select
        count(*) filter (where was_inserted) as inserted,
        count(*) filter (where not was_inserted or (was_inserted is null and relabels)) as updated,
        count(*) filter (where was_inserted is null and not relabels) as unchanged
      from points left join changed using (series_id, period)`,
  );

const applySources = (store: Store, importId: string) =>
  count(
    store,
    sql`
      with last as materialized (
        select distinct on (company_id, provider, account_name)
          company_id, provider, account_name, status, last_synced_at
        from import_source as staged
        where import_id = ${importId} and ${companyIsKnown}
        order by company_id, provider, account_name, line desc
      ), changed as (
        insert into source as kept (company_id, provider, account_name, status, last_synced_at)
        select company_id, provider, account_name, status, last_synced_at from last
        on conflict (company_id, provider, account_name)
          ${updateIfDistinct(['status', 'last_synced_at'])}
        returning company_id, provider, account_name, ${wasInserted}
      )
      select ${countChanges}
      from last left join changed using (company_id, provider, account_name)`,
  );

const accountColumns = [
  'provider',
  'name',
  'type',
  'currency',
  'balance',
  'raw_balance',
  'last_four',
  'last_synced_at',
];

const applyAccounts = (store: Store, importId: string) =>
  count(
    store,
    sql`
      with last as materialized (
        select distinct on (company_id, id) company_id, id, ${columnsOf(accountColumns)}
        from import_account as staged
        where import_id = ${importId} and ${companyIsKnown}
        order by company_id, id, line desc
      ), changed as (
        insert into account as kept (company_id, id, ${columnsOf(accountColumns)})
        select company_id, id, ${columnsOf(accountColumns)} from last
        on conflict (company_id, id) ${updateIfDistinct(accountColumns)}
        returning company_id, id, ${wasInserted}
      )
      select ${countChanges} from last left join changed using (company_id, id)`,
  );
