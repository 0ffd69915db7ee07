import { AccessError, DataLocked, type ImportRecord, type Imports } from '#core';
import { rowScopeOf } from '../../row-scope.ts';
import { type Store, type Stores, sql } from '../../store.ts';
import { applyImport } from './apply.ts';
import { SignaturesOutdated } from './apply-metrics.ts';
import { keepSignatures, listChangedValues } from './changed-values.ts';
import { findProblems } from './problems.ts';
import { createPush, lockCompany } from './push.ts';
import { linesInTables } from './staged.ts';
import { numbered, stageLines, stagingTables } from './staging.ts';
import { createStaleSources } from './stale-sources.ts';

const millisecondsKept = 86_400_000;

/** Longer than a usual push of another process takes, so that those of two processes follow each other. */
const lockTimeout = '250ms';

/** For a company whose data was found locked the last time, because pushes of other companies wait meanwhile. */
const shortLockTimeout = '25ms';

/** The lines of an import wait in tables of their own, under its id, until all are there; those of a push need not. */
export function createImports({
  longWork: store,
  requests,
  scopes,
}: Pick<Stores, 'longWork' | 'requests' | 'scopes'>): Imports {
  /** Companies whose data the last push has found locked. */
  const locked = new Set<string>();
  return {
    ...createStaleSources({ requests, scopes }),

    async begin(id, startedAt) {
      await forgetDead(store, new Date(startedAt.getTime() - millisecondsKept));
      await store.run(sql`insert into import_run (id, started_at) values (${id}, ${startedAt})`);
      const types = new Set<ImportRecord['type']>();
      let lastLine = 0;
      let problems = 0;
      const staged = () => linesInTables({ importId: id, lastLine, types });
      return {
        stage(batch) {
          const before = lastLine;
          lastLine += batch.length;
          for (const { record } of batch) types.add(record.type);
          return stageLines(store, id, numbered(batch, before));
        },
        async *findProblems() {
          problems = 0;
          for await (const problem of findProblems(store, staged())) {
            problems += 1;
            yield problem;
          }
        },
        async *listChangedValues() {
          await analyze(store);
          yield* listChangedValues(store, staged());
        },
        keepSignatures: (signatures) => keepSignatures(store, id, signatures),
        async apply(signing, tell) {
          await analyze(store);
          return store
            .transact((inside) => applyImport(inside, staged(), startedAt, signing, problems, tell))
            .catch((error: unknown) => {
              if (error instanceof SignaturesOutdated) return null;
              throw error;
            });
        },
        close: () => forget(store, [id]),
      };
    },

    transact({ companyId, startedAt }, work) {
      const timeout = locked.has(companyId) ? shortLockTimeout : lockTimeout;
      return scopes.batches
        .scoped(rowScopeOf({ companyId }), { lock_timeout: timeout })
        .transact(async (inside) => {
          const version = await lockCompany(inside, companyId);
          locked.delete(companyId);
          return work(createPush(inside, { companyId, version }, startedAt));
        })
        .catch((error: unknown) => {
          if (!isLockTimeout(error)) throw error;
          locked.add(companyId);
          throw new DataLocked({ cause: error });
        });
    },

    async forgetKept(now) {
      await requests.run(sql`delete from idempotent_push where expires_at <= ${now}`);
    },
  };
}

/**
 * Without this the planner takes a table that has just been filled for an empty one, and its plans are slow. A function
 * does it, because only its owner may analyze a table.
 */
async function analyze(store: Store): Promise<void> {
  await store.run(sql`select analyze_import()`);
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof AccessError && (error.cause as { code?: unknown } | undefined)?.code === '55P03';

/** A process that died in the middle of an import could not clean up after itself. */
async function forgetDead(store: Store, startedBefore: Date): Promise<void> {
  const dead = await store.run(
    sql<{ id: string }>`select id from import_run where started_at < ${startedBefore}`,
  );
  if (dead.length === 0) return;
  await forget(
    store,
    dead.map(({ id }) => id),
  );
}

function forget(store: Store, ids: readonly string[]): Promise<void> {
  return store.transact(async (inside) => {
    for (const table of [...stagingTables, 'import_signature']) {
      await inside.run(sql`delete from ${sql.table(table)} where import_id = any(${ids}::text[])`);
    }
    await inside.run(sql`delete from import_run where id = any(${ids}::text[])`);
  });
}
