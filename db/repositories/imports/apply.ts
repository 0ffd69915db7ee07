import type { ImportCounts } from '#core';
import { AccountEntity, MetricPointEntity, SourceEntity } from '../../entities/company-data.ts';
import { type Store, snakeCase, sql } from '../../store.ts';
import { rightEnvironment } from './problems.ts';

/**
 * Makes what was staged visible. What is counted are things, not lines: a company, a metric's value of one period, a
 * source, an account. Of several lines about a thing the last one counts. A thing that was not there counts as
 * inserted, one that differs from what was there as updated.
 *
 * A metric's label and category belong to all its periods and come from the import's last line about the metric. When
 * that changes them, only the value of that line counts as updated. So the same lines once more change nothing.
 */
export async function applyStaged(
  store: Store,
  importId: string,
  startedAt: Date,
): Promise<ImportCounts> {
  // One import at a time is applied; readers do not wait.
  await store.run(sql`lock table metric_series in share row exclusive mode`);
  // The planner cannot tell how many rows an upsert returns, and a nested loop over a million of them would never end.
  await store.run(sql`set local enable_nestloop = off`);
  const total = { inserted: 0, updated: 0, unchanged: 0 };
  for (const statement of [
    companies(importId, startedAt),
    metrics(importId),
    ofCompanies('source', importId, SourceEntity, ['company_id', 'provider', 'account_name']),
    ofCompanies('account', importId, AccountEntity, ['company_id', 'id']),
  ]) {
    for (const count of await store.run(statement)) {
      total.inserted += count.inserted;
      total.updated += count.updated;
      total.unchanged += count.unchanged;
    }
  }
  return total;
}

interface Entity {
  readonly properties: Record<string, unknown>;
}

const columnsBeside = (keys: readonly string[], { properties }: Entity) =>
  Object.keys(properties)
    .map(snakeCase)
    .filter((name) => !keys.includes(name));

const list = (names: readonly string[], table?: string) =>
  sql.raw(names.map((name) => (table === undefined ? name : `${table}.${name}`)).join(', '));

/** What to do with a row that is there already: nothing, unless one of these columns differs. */
const updateIfDistinct = (names: readonly string[]) => sql`
  do update set (${list(names)}) = (${list(names, 'excluded')})
  where (${list(names, 'kept')}) is distinct from (${list(names, 'excluded')})`;

/** A row version without an xmax was inserted by this statement, one with it updated. */
const wasInserted = sql`xmax = 0 as was_inserted`;

/** Counts the last lines by what became of them; one that changed nothing has no row in `changed`. */
const counts = sql`
  (count(*) filter (where was_inserted))::integer as inserted,
  (count(*) filter (where not was_inserted))::integer as updated,
  (count(*) filter (where was_inserted is null))::integer as unchanged`;

/** By now every company without a problem is there. */
const companyIsKnown = sql`exists (select from company where id = staged.company_id)`;

const companies = (importId: string, startedAt: Date) => sql<ImportCounts>`
  with last as materialized (
    select distinct on (company_id) company_id as id, name, environment
    from import_company as staged
    where import_id = ${importId} and environment = ${rightEnvironment}
    order by company_id, line desc
  ), changed as (
    insert into company as kept (id, name, environment, created_at)
    select id, name, environment, ${startedAt}::timestamptz from last
    on conflict (id) do update set name = excluded.name
    where kept.name is distinct from excluded.name and kept.environment = excluded.environment
    returning id, ${wasInserted}
  )
  select ${counts} from last left join changed using (id)`;

const pointColumns = columnsBeside(['series_id', 'period'], MetricPointEntity);

const metrics = (importId: string) => sql<ImportCounts>`
  with last as materialized (
    select distinct on (company_id, key, period)
      company_id, key, period, line, label, category, ${list(pointColumns)}
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
      ${list(pointColumns)}
    from last join series using (company_id, key)
  ), changed_points as (
    insert into metric_point as kept (series_id, period, ${list(pointColumns)})
    select series_id, period, ${list(pointColumns)} from points
    on conflict (series_id, period) ${updateIfDistinct(pointColumns)}
    returning series_id, period, ${wasInserted}
  ), changed as (
    select case when relabels then coalesce(was_inserted, false) else was_inserted end
      as was_inserted
    from points left join changed_points using (series_id, period)
  )
  select ${counts} from changed`;

/** Sources and accounts, whose rows name their company. */
function ofCompanies(
  table: 'source' | 'account',
  importId: string,
  entity: Entity,
  keys: readonly string[],
) {
  const others = columnsBeside(keys, entity);
  return sql<ImportCounts>`
    with last as materialized (
      select distinct on (${list(keys)}) ${list(keys)}, ${list(others)}
      from ${sql.table(`import_${table}`)} as staged
      where import_id = ${importId} and ${companyIsKnown}
      order by ${list(keys)}, line desc
    ), changed as (
      insert into ${sql.table(table)} as kept (${list(keys)}, ${list(others)})
      select ${list(keys)}, ${list(others)} from last
      on conflict (${list(keys)}) ${updateIfDistinct(others)}
      returning ${list(keys)}, ${wasInserted}
    )
    select ${counts} from last left join changed using (${list(keys)})`;
}
