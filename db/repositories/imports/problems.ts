import type { ImportProblem, ImportRecord } from '#core';
import { type StatementRunner, sql } from '../../store.ts';
import { expectedEnvironment } from './lines.ts';
import { revisionProblems } from './revisions.ts';
import type { StagedLines } from './staged.ts';
import { stagingTableOf } from './staging.ts';

/** How many records one statement checks. */
const windowSize = 10_000;

/** In the order of the lines; only those of one window are in memory. */
export async function* findProblems(
  store: StatementRunner,
  staged: StagedLines,
  boundTo: string | null = null,
): AsyncGenerator<ImportProblem> {
  for (let after = 0; after < staged.lastLine; after += windowSize) {
    yield* await findWithin(store, staged, after, boundTo);
  }
}

async function findWithin(
  store: StatementRunner,
  staged: StagedLines,
  after: number,
  boundTo: string | null,
): Promise<ImportProblem[]> {
  const { areOwn, types } = staged;
  const within = sql`${areOwn} and line > ${after} and line <= ${after + windowSize}`;
  const unknownCompanies = (type: ImportRecord['type']) => sql`
    select line, file_line, 'company_id: there is no company ' || company_id as reason
    from ${sql.table(stagingTableOf(type))} as staged
    where ${within}
      and not exists (select from company where id = staged.company_id)
      and not exists (select from import_company as added
        where ${areOwn} and added.company_id = staged.company_id)`;
  const questions = [
    ...[...types].filter((type) => type !== 'company').map(unknownCompanies),
    ...(types.has('portfolio') ? [portfolioProblems(within)] : []),
    ...(types.has('company') ? [environmentProblems(within)] : []),
    ...(types.has('revision') ? [revisionProblems(within)] : []),
    ...(boundTo === null ? [] : foreignProblems(types, within, boundTo)),
  ];
  const rows = await store.run(
    sql<{ fileLine: string; reason: string }>`
      ${staged.with('import_company', ...[...types].map(stagingTableOf))}
      select file_line as "fileLine", reason
      from (${sql.join(questions, sql` union all `)}) as problem order by line`,
  );
  return rows.map(({ fileLine, reason }) => ({ line: Number(fileLine), reason }));
}

/** The rows about what another source has brought than the one that the key is bound to. */
const foreignProblems = (
  types: StagedLines['types'],
  within: ReturnType<typeof sql>,
  boundTo: string,
) => [
  ...(['metric', 'revision'] as const)
    .filter((type) => types.has(type))
    .map(
      (type) => sql`
        select line, file_line, 'source.system: another source has brought '
          || case when present.source_system <> ${boundTo} then key else 'the value of this period' end
          || ', so a key that is bound to ' || ${boundTo} || ' cannot change it' as reason
        from (select * from ${sql.table(`import_${type}`)} where ${within}) as staged
        join metric_series as series using (company_id, key)
        join lateral (
          select source_system from metric_point
          where series_id = series.id order by period desc limit 1
        ) as present on true
        left join metric_point as known
          on known.series_id = series.id and known.period = staged.period
        where present.source_system <> ${boundTo} or known.source_system <> ${boundTo}`,
    ),
  ...(types.has('account')
    ? [
        sql`
        select line, file_line, 'provider: another source has brought the account ' || id
          || ', so a key that is bound to ' || ${boundTo} || ' cannot change it' as reason
        from (select * from import_account where ${within}) as staged
        join account as known using (company_id, id)
        where known.provider <> ${boundTo}`,
      ]
    : []),
];

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
