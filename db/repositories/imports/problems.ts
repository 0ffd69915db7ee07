import type { ImportProblem } from '#core';
import { type Store, sql } from '../../store.ts';
import { expectedEnvironment } from './lines.ts';
import { revisionProblems } from './revisions.ts';
import type { StagedLines } from './staged.ts';

/** How many records one statement checks. */
const windowSize = 10_000;

/** In the order of the lines; only those of one window are in memory. */
export async function* findProblems(
  store: Store,
  staged: StagedLines,
): AsyncGenerator<ImportProblem> {
  for (let after = 0; after < staged.lastLine; after += windowSize) {
    yield* await findWithin(store, staged, after);
  }
}

async function findWithin(
  store: Store,
  staged: StagedLines,
  after: number,
): Promise<ImportProblem[]> {
  const { importId, types } = staged;
  const within = sql`
    import_id = ${importId} and line > ${after} and line <= ${after + windowSize}`;
  const unknownCompanies = (type: string) => sql`
    select line, file_line, 'company_id: there is no company ' || company_id as reason
    from ${sql.table(`import_${type}`)} as staged
    where ${within}
      and not exists (select from company where id = staged.company_id)
      and not exists (select from import_company as added
        where added.import_id = ${importId} and added.company_id = staged.company_id)`;
  const questions = [
    ...[...types].filter((type) => type !== 'company').map(unknownCompanies),
    ...(types.has('portfolio') ? [portfolioProblems(within)] : []),
    ...(types.has('company') ? [environmentProblems(within)] : []),
    ...(types.has('revision') ? [revisionProblems(within)] : []),
  ];
  const rows = await store.run(
    sql<{ fileLine: string; reason: string }>`
      ${staged.with} ${sql.join(questions, sql` union all `)} order by line`,
  );
  return rows.map(({ fileLine, reason }) => ({ line: Number(fileLine), reason }));
}

/** The rows of companies that are known in the other environment. */
const environmentProblems = (within: ReturnType<typeof sql>) => sql`
  select line, file_line, 'environment: ' || company_id || ' is of the ' || ${expectedEnvironment}
    || ' environment' as reason
  from import_company as staged
  where ${within} and environment <> ${expectedEnvironment}`;

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
