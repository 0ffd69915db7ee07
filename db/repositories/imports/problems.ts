import type { ImportProblem } from '#core';
import { translate } from '../../outages.ts';
import { read, type Store, sql } from '../../store.ts';

const pageSize = 500;

/**
 * The environment that a company record must have: what the database knows, else what the import's first record of the
 * company says. Written for a row `staged` of import_company.
 */
export const rightEnvironment = sql`coalesce(
  (select environment from company where id = staged.company_id),
  (select environment from import_company as first
    where first.import_id = staged.import_id and first.company_id = staged.company_id
    order by first.line limit 1))`;

/** In the order of the lines, page by page, each page from where the last ended. */
export async function* findProblems(store: Store, importId: string): AsyncGenerator<ImportProblem> {
  let after = 0;
  for (;;) {
    const page = await readPage(store, importId, after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last.line;
  }
}

async function readPage(store: Store, importId: string, after: number): Promise<ImportProblem[]> {
  const unknownCompanies = (table: string) => sql`
    (select line, 'company_id: there is no company ' || company_id as reason
    from ${sql.table(table)} as staged
    where import_id = ${importId} and line > ${after}
      and not exists (select from company where id = staged.company_id)
      and not exists (select from import_company as told
        where told.import_id = staged.import_id and told.company_id = staged.company_id)
    order by line limit ${pageSize})`;
  try {
    const rows = await read(
      store,
      sql<{ line: string; reason: string }>`
        ${unknownCompanies('import_metric')}
        union all ${unknownCompanies('import_source')}
        union all ${unknownCompanies('import_account')}
        union all (
          select line, 'environment: ' || company_id || ' is of the ' || ${rightEnvironment}
            || ' environment'
          from import_company as staged
          where import_id = ${importId} and line > ${after}
            and environment <> ${rightEnvironment}
          order by line limit ${pageSize})
        order by line limit ${pageSize}`,
    );
    return rows.map(({ line, reason }) => ({ line: Number(line), reason }));
  } catch (error) {
    throw translate(error);
  }
}
