import type { ImportProblem } from '#core';
import { type Store, sql } from '../../store.ts';
import { expectedEnvironment } from './lines.ts';
import { portfolioProblems } from './portfolios.ts';
import { revisionProblems } from './revisions.ts';
import { stagingTables } from './staging.ts';

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
        ${unknownCompanies('import_metric')}
        union all ${unknownCompanies('import_revision')}
        union all ${unknownCompanies('import_source')}
        union all ${unknownCompanies('import_account')}
        union all ${unknownCompanies('import_portfolio')}
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
