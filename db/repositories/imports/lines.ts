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
export const lastOfEachValue = ({ areOwn }: StagedLines) => sql`
  select distinct on (company_id, key, period)
    company_id, key, period, line, label, category, ${listOf(pointColumns)}
  from import_metric as staged
  where ${areOwn}
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
export const isInserted = sql`xmax = 0`;
export const wasInserted = sql`${isInserted} as was_inserted`;

/** Counts the last lines by what became of them; one that changed nothing has no row in `changed`. */
export const counts = sql`
  (count(*) filter (where was_inserted))::integer as inserted,
  (count(*) filter (where not was_inserted))::integer as updated,
  (count(*) filter (where was_inserted is null))::integer as unchanged`;

/** What the last line that says it says, else the last line. */
const lastSaid = (field: string) =>
  sql.raw(`(array_agg(${field} order by says_${field} desc, line desc))[1] as ${field},
    bool_or(says_${field}) as says_${field}`);

const nameOf = (field: string) =>
  sql.raw(`case when says_${field} then given.${field}
    else coalesce(known.${field}, given.${field}) end as ${field}, known.${field} as known_${field}`);

/**
 * The names of the metrics that lines are about: what the last line that says it says, else what the metric has, else what
 * was made up. Those that metrics have already are left out.
 */
export const newNamesIn = (table: 'import_metric' | 'import_revision', staged: StagedLines) => sql`
  names as (
    select * from (
      select given.company_id, given.key, ${nameOf('label')}, ${nameOf('category')}
      from (
        select company_id, key, ${lastSaid('label')}, ${lastSaid('category')}
        from ${sql.table(table)} as staged
        where ${staged.areOwn} and ${companyIsKnown}
        group by company_id, key
      ) as given
      left join ${staged.rowOf('metric_series', 'known', sql`known.company_id = given.company_id and known.key = given.key`)}
    ) as named
    where (label, category) is distinct from (known_label, known_category)
  )`;

/**
 * The lines that would change a value, as things are now, and to which revision. A push and an import find them by the
 * same rule.
 */
export const changedIn = (staged: StagedLines) => sql`
  of_company as materialized (
    select company_id, ${expectedEnvironment} as environment
    from (select distinct import_id, company_id from import_metric where ${staged.areOwn}) as staged
  ), last as materialized (${lastOfEachValue(staged)}), changed as (
    select last.*, environment, coalesce(known.revision, 0) + 1 as revision
    from last
    join of_company using (company_id)
    left join ${staged.rowOf('metric_series', 'series', sql`series.company_id = last.company_id and series.key = last.key`)}
    left join ${staged.rowOf('metric_point', 'known', sql`known.series_id = series.id and known.period = last.period`)}
    where environment is not null and (
      known.series_id is null
      or (${listOf(pointColumns, 'known')}) is distinct from (${listOf(pointColumns, 'last')}))
  )`;
