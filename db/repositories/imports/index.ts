import type { Imports } from '#core';
import { translating } from '../../outages.ts';
import { type Store, sql, transact, write } from '../../store.ts';
import { applyStaged } from './apply.ts';
import { findProblems } from './problems.ts';
import { stageLines, stagingTables } from './staging.ts';

const millisecondsKept = 86_400_000;

/** Lines wait in tables of their own, under the id of their import, until all are there. */
export function createImports(store: Store): Imports {
  return {
    async begin(id, startedAt) {
      await forgetDead(store, new Date(startedAt.getTime() - millisecondsKept));
      await write(store, sql`insert into import_run (id, started_at) values (${id}, ${startedAt})`);
      const session = translating({
        stage: (batch) => stageLines(store, id, batch),
        async apply() {
          await analyze(store);
          return transact(store, (inside) => applyStaged(inside, id, startedAt));
        },
        close: () => forget(store, [id]),
      } satisfies Omit<Awaited<ReturnType<Imports['begin']>>, 'findProblems'>);
      return {
        stage: session.stage,
        apply: session.apply,
        close: session.close,
        findProblems: () => findProblems(store, id),
      };
    },
  };
}

/** What is known of a table that has just been filled is that it was empty; plans made for that would be slow. */
async function analyze(store: Store): Promise<void> {
  for (const table of stagingTables) await write(store, sql`analyze ${sql.table(table)}`);
}

/** A process that died in the middle of an import could not clean up after itself. */
async function forgetDead(store: Store, startedBefore: Date): Promise<void> {
  const { rows } = await sql<{
    id: string;
  }>`select id from import_run where started_at < ${startedBefore}`.execute(store.kysely);
  if (rows.length > 0)
    await forget(
      store,
      rows.map(({ id }) => id),
    );
}

function forget(store: Store, ids: readonly string[]): Promise<void> {
  return transact(store, async (inside) => {
    for (const table of [
      ...stagingTables.map((name) => [name, 'import_id'] as const),
      ['import_run', 'id'] as const,
    ]) {
      await write(
        inside,
        sql`delete from ${sql.table(table[0])} where ${sql.ref(table[1])} = any(${[...ids]})`,
      );
    }
  });
}
