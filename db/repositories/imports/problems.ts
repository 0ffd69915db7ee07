import type { ImportProblem } from '#core';
import { type Store, sql } from '../../store.ts';
import { expectedEnvironment } from './lines.ts';
import { revisionProblems } from './revisions.ts';
import { stagingTables } from './staging.ts';

/** The tables whose rows name a company that must be there. */
const ofCompanies = stagingTables.filter((table) => table !== 'import_company');

/** How many records one statement checks. */
const windowSize = 10_000;

/** In the order of the lines; only those of one window are in memory. */
export async function* findProblems(store: Store, importId: string): AsyncGenerator<ImportProblem> {
  const lastLine = await findLastLine(store, importId);
  for (let after = -1; after < lastLine; after += windowSize) {
    yield* await findWithin(store, importId, after);
  }
}

async function findLastLine(store: Store, importId: string): Promise<number> {
  const last = (table: string) =>
    sql`(select max(line) from ${sql.table(table)} where import_id = ${importId})`;
  const row = await store.first(
    sql<{ line: string | null }>`select greatest(${sql.join(stagingTables.map(last))}) as line`,
  );
  return Number(row?.line ?? -1);
}

async function findWithin(store: Store, importId: string, after: number): Promise<ImportProblem[]> {
  const within = sql`
    import_id = ${importId} and line > ${after} and line <= ${after + windowSize}`;
  const unknownCompanies = (table: string) => sql`
    select line, file_line, 'company_id: there is no company ' || company_id as reason
    from ${sql.table(table)} as staged
    where ${within}
      and not exists (select from company where id = staged.company_id)
      and not exists (select from import_company as added
        where added.import_id = ${importId} and added.company_id = staged.company_id)`;
  const rows = await store.run(
    sql<{ fileLine: string; reason: string }>`
        ${sql.join(ofCompanies.map(unknownCompanies), sql` union all `)}
        union all ${portfolioProblems(within)}
        union all
        select line, file_line, 'environment: ' || company_id || ' is of the ' || ${expectedEnvironment}
          || ' environment'
        from import_company as staged
        where ${within} and environment <> ${expectedEnvironment}
        union all ${revisionProblems(within)}
        order by line`,
  );
  return rows.map(({ fileLine, reason }) => ({ line: Number(fileLine), reason }));
}

/** The rows that name no investor, or one of the other environment; the condition chooses them as `staged`. */
const portfolioProblems = (within: ReturnType<typeof sql>) => sql`
  select line, file_line, case
    when investor.id is null then 'investor_id: there is no investor ' || staged.investor_id
    else 'investor_id: ' || staged.investor_id || ' is of the ' || investor.environment
      || ' environment, ' || staged.company_id || ' of ' || ${expectedEnvironment}
    end as reason
  from (select * from import_portfolio where ${within}) as staged
  left join investor on investor.id = staged.investor_id
  where investor.id is null or investor.environment <> ${expectedEnvironment}`;
