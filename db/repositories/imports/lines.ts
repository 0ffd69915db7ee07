import type { ImportCounts } from '#core';
import { MetricPointEntity } from '../../entities/company-data.ts';
import { snakeCase, sql } from '../../store.ts';
import type { StagedLines } from './staged.ts';

const notOfALine = ['seriesId', 'period', 'revision', 'signedAt', 'signature', 'signingKey'];

/** What a line says of a value. A change of any of these is a new revision. */
export const pointColumns = Object.keys(MetricPointEntity.properties)
  .filter((name) => !notOfALine.includes(name))
  .map(snakeCase);

export const listOf = (names: readonly string[], table?: string) =>
  sql.raw(names.map((name) => (table === undefined ? name : `${table}.${name}`)).join(', '));

/** Of several lines about the same value the last one counts. */
export const lastOfEachValue = (importId: string) => sql`
  select distinct on (company_id, key, period)
    company_id, key, period, line, label, category, ${listOf(pointColumns)}
  from import_metric as staged
  where import_id = ${importId}
  order by company_id, key, period, line desc`;

/**
 * The environment that a company record must have: that of the company in the database, else that of the import's first
 * record about the company. For a row `staged` of any
 * staging table.
 */
export const expectedEnvironment = sql`coalesce(
  (select environment from company where id = staged.company_id),
  (select environment from import_company as first
    where first.import_id = staged.import_id and first.company_id = staged.company_id
    order by first.line limit 1))`;

/** By now every company without a problem is there. */
export const companyIsKnown = sql`exists (select from company where id = staged.company_id)`;

export type StatementCounts = Pick<ImportCounts, 'inserted' | 'updated' | 'unchanged'>;

/** What to do with a row that is there already: nothing, unless one of these columns differs. */
export const updateIfDistinct = (names: readonly string[], others?: Assignments) => sql`
  do update set (${listOf(names)}) = (${listOf(names, 'excluded')})${others ? sql`, ${others}` : sql``}
  where (${listOf(names, 'kept')}) is distinct from (${listOf(names, 'excluded')})`;

type Assignments = ReturnType<typeof sql>;

/** A row version without an xmax was inserted by this statement, one with it updated. */
export const wasInserted = sql`xmax = 0 as was_inserted`;

/** Counts the last lines by what became of them; one that changed nothing has no row in `changed`. */
export const counts = sql`
  (count(*) filter (where was_inserted))::integer as inserted,
  (count(*) filter (where not was_inserted))::integer as updated,
  (count(*) filter (where was_inserted is null))::integer as unchanged`;

const lastSaid = (table: string, { importId }: StagedLines, field: string) => sql`
  select distinct on (company_id, key) company_id, key, ${sql.raw(field)}, says_${sql.raw(field)}
  from ${sql.table(table)} as staged
  where import_id = ${importId} and ${companyIsKnown}
  order by company_id, key, says_${sql.raw(field)} desc, line desc`;

/**
 * The names of the metrics that lines are about: what the last line that says it says, else what the metric has, else what
 * was made up.
 */
export const namesIn = (table: 'import_metric' | 'import_revision', staged: StagedLines) => sql`
  names as (
    select company_id, key,
      case when says_label then given.label else coalesce(known.label, given.label) end as label,
      case when says_category then given_category.category
        else coalesce(known.category, given_category.category) end as category
    from (${lastSaid(table, staged, 'label')}) as given
    join (${lastSaid(table, staged, 'category')}) as given_category using (company_id, key)
    left join metric_series as known using (company_id, key)
  )`;
