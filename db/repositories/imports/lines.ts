import { MetricPointEntity } from '../../entities/company-data.ts';
import { snakeCase, sql } from '../../store.ts';

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
