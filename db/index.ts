import { inspect } from './connections/inspection.ts';
import { listMissingSettings, longWorkSettings, settingsOfRole } from './connections/pooler.ts';
import { openPools } from './connections/pools.ts';
import { genericPlans } from './connections/prepared-statements.ts';
import { confirmation, runConfirmed } from './connections/primary.ts';
import { RefusalQueue } from './connections/refusal-queue.ts';
import {
  batchLimits,
  type DatabaseConfig,
  defaultLimits,
  embeddedLimits,
  refusalLimits,
  timeLimits,
} from './connections/settings.ts';
import { StorageError } from './connections/storage-error.ts';
import { sql } from './connections/store.ts';
import { withinTime } from './connections/within-time.ts';
import type { Database } from './database.ts';
import { readSchemaState, runMigrations } from './migrations/migrator.ts';
import { rolesSql } from './roles/expected-rights.ts';
import { compareRights, findOutdatedRoles } from './roles/rights.ts';
import { refusalInsertion } from './statements/access-records/insertions.ts';
import { createPartitionsAhead } from './statements/access-records/partitions.ts';
import { createRepositories } from './statements/index.ts';

export { type AnsweredBatch, batchNames } from './connections/batch.ts';
export type { Inspection } from './connections/inspection.ts';
export { findOutageReason } from './connections/outages.ts';
export { poolerSql } from './connections/pooler.ts';
export type { DatabaseConfig, DatabaseObserver, Limits, PoolName } from './connections/settings.ts';
export type { Database, DatabaseLoad } from './database.ts';
export type { SchemaState } from './migrations/migrator.ts';
export { type RoleNames, rolesSql } from './roles/expected-rights.ts';
export type { RoleRights } from './roles/rights.ts';

/**
 * Opens a database. Only the first statement connects to PostgreSQL, so this function succeeds while PostgreSQL is
 * down.
 *
 * @throws DataDirError if another process uses the embedded database
 */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const { databaseUrl, onError = () => undefined, onRefusalsDropped = () => undefined } = config;
  const isEmbedded = databaseUrl === null;
  const limits = { ...defaultLimits, ...(isEmbedded && embeddedLimits), ...config.limits };
  const embedded = isEmbedded
    ? await (await import('./embedded/index.ts')).openEmbedded({ ...config, limits, onError })
    : null;
  const { observer } = config;
  const pools = openPools(embedded, { ...config, limits, onError });
  const { stores, requests, scoped, batches, background, longWork, isOneRole } = pools;
  const refusals = new RefusalQueue({
    ...refusalLimits,
    onError,
    onRefusalsDropped,
    async write(records, isRepetition) {
      await stores.batches.run(refusalInsertion(records, { isRepetition }));
    },
  });
  async function migrate(direction: 'up' | 'down'): Promise<void> {
    if (config.isPooled) throw new StorageError(poolerHint);
    await runMigrations(longWork.orm, direction, isEmbedded);
  }

  /** Behind a pooler, all pools share sessions and need the same settings. Otherwise, each pool has its own. */
  async function findMissingSettings(): Promise<string[]> {
    if (isEmbedded) return [];
    const expected = config.isPooled
      ? ([
          [requests, settingsOfRole],
          [scoped, settingsOfRole],
        ] as const)
      : ([
          [batches, genericPlans],
          [scoped, genericPlans],
          [requests, timeLimits(limits.statementMilliseconds)],
          [longWork, longWorkSettings],
        ] as const);
    const found = await Promise.all(
      expected.map(([pool, settings]) => (pool ? listMissingSettings(pool.store, settings) : [])),
    );
    return [...new Set(found.flat())];
  }

  let closing: Promise<void> | undefined;

  return {
    repositories: createRepositories(stores, batchLimits(limits, observer), refusals),
    backgroundRepositories: createRepositories(
      pools.backgroundStores,
      batchLimits(limits),
      refusals,
    ),
    load: () => ({
      pools: {
        ...(scoped && { scoped: scoped.state }),
        requests: requests.state,
        ...(batches && { batches: batches.state }),
        background: background.state,
        long_work: longWork.state,
      },
      refusalsWaiting: refusals.size,
    }),
    isEmbedded,
    clock: stores.clock,
    migrate: () => migrate('up'),
    migrateDown: () => migrate('down'),
    createPartitionsAhead: (now) => createPartitionsAhead(stores.longWork, now),
    schemaState: () => readSchemaState(stores.requests),
    inspect: () => inspect(stores.requests),
    findMissingSettings,
    isOneRole,
    compareRights: (kind) =>
      compareRights(kind === 'service' && scoped ? scoped.store : stores.requests, kind),
    async missingRights() {
      if (isEmbedded) return [];
      const found = await Promise.all([
        compareRights(stores.requests, 'background'),
        isOneRole || scoped === null ? null : compareRights(scoped.store, 'service'),
      ]);
      return found.flatMap((rights) =>
        rights === null || rights.missing.length === 0 ? [] : [rights],
      );
    },
    outdatedRoles: async () => (isEmbedded ? null : findOutdatedRoles(stores.requests)),
    async applyRoles(names) {
      await stores.longWork.run(sql.raw(rolesSql(names)));
    },
    async ping(timeoutMilliseconds) {
      const confirmations = [stores.requests.run(confirmation), runConfirmed(stores, confirmation)];
      const answers = await returnWithin(Promise.all(confirmations), timeoutMilliseconds);
      return answers?.flat().every(({ isReadOnly }) => !isReadOnly) ?? false;
    },
    async tryWrite(timeoutMilliseconds) {
      const written = stores.requests.run(sql`select check_write()`);
      return (await returnWithin(written, timeoutMilliseconds)) !== null;
    },
    close() {
      closing ??= (async () => {
        await refusals.settle(settleMilliseconds);
        await Promise.all(pools.all.map((pool) => pool.close()));
        refusals.close();
        await embedded?.close();
      })();
      return closing;
    },
  };
}

const poolerHint =
  'migrations need a direct connection to PostgreSQL: set it in DATABASE_URL and unset DATABASE_POOLER';

/** The longest time that `close` waits for the records of refusals to be written. */
const settleMilliseconds = 5_000;

/** Returns null if the work fails or takes longer than the limit. */
async function returnWithin<T>(work: Promise<T>, milliseconds: number): Promise<T | null> {
  const succeeded = work.catch(() => null);
  return (await withinTime(succeeded, milliseconds)) ?? null;
}
