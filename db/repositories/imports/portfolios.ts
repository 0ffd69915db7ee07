import { sql } from '../../store.ts';
import { counts, expectedEnvironment, type StatementCounts } from './lines.ts';

/** The rows that name no investor, or one of the other environment; the condition chooses them as `staged`. */
export const portfolioProblems = (within: ReturnType<typeof sql>) => sql`
  select line, file_line, case
    when investor.id is null then 'investor_id: there is no investor ' || staged.investor_id
    else 'investor_id: ' || staged.investor_id || ' is of the ' || investor.environment
      || ' environment, ' || staged.company_id || ' of ' || ${expectedEnvironment}
    end as reason
  from (select * from import_portfolio where ${within}) as staged
  left join investor on investor.id = staged.investor_id
  where investor.id is null or investor.environment <> ${expectedEnvironment}`;

/** By now every company without a problem is there. A company that is in a portfolio already keeps its place. */
export const portfolios = (importId: string, startedAt: Date) => sql<StatementCounts>`
  with last as materialized (
    select distinct staged.investor_id, staged.company_id, company.environment
    from import_portfolio as staged
    join company on company.id = staged.company_id
    join investor on investor.id = staged.investor_id and investor.environment = company.environment
    where import_id = ${importId}
  ), changed as (
    insert into portfolio_membership (investor_id, company_id, environment, added_at)
    select investor_id, company_id, environment, ${startedAt}::timestamptz from last
    on conflict (investor_id, company_id) do nothing
    returning investor_id, company_id, true as was_inserted
  )
  select ${counts} from last left join changed using (investor_id, company_id)`;
