import { sql } from '../../store.ts';

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
