import type { Migrator } from '@mikro-orm/migrations';
import type { MikroORM, Transaction } from '@mikro-orm/postgresql';
import { codeOf, convertOutages } from '../connections/outages.ts';
import { StorageError } from '../connections/storage-error.ts';
import { type Store, sql } from '../connections/store.ts';
import { migrations } from './index.ts';

export interface SchemaState {
  /** Migrations that the database lacks, because the database is older than the code. */
  readonly pending: readonly string[];
  /** Migrations that the code doesn't know, because the database is newer than the code. */
  readonly unknown: readonly string[];
}

const applied = sql<{ name: string }>`select name from mikro_orm_migrations order by id`;
const undefinedTable = '42P01';
const raised = 'P0001';
/** Error codes for a table or row type that another process has just created. */
const createdMeanwhile = new Set<unknown>(['42P07', '42710', '23505']);
/** A number that no other advisory lock uses. */
const lockId = 5_187_203_461;

/** Only reads the database. MikroORM's own function would first create the migrations table. */
export async function readSchemaState(store: Store): Promise<SchemaState> {
  const found = await readApplied(store);
  const names = migrations.map(({ name }) => name);
  return {
    pending: names.filter((name) => !found.includes(name)),
    unknown: found.filter((name) => !names.includes(name)),
  };
}

async function readApplied(store: Store): Promise<string[]> {
  try {
    return (await store.run(applied)).map(({ name }) => name);
  } catch (error) {
    if (codeOf(error) === undefinedTable) return [];
    throw error;
  }
}

/**
 * Runs all pending migrations, or reverts the last one. Each migration has its own transaction, so the locks of earlier
 * migrations are already released. Several processes may do this at once. They wait for an advisory lock, or for the
 * single session of PGlite.
 *
 * @throws StorageError if a migration refuses with `raise exception`
 */
export function runMigrations(
  orm: MikroORM,
  direction: 'up' | 'down',
  isEmbedded: boolean,
): Promise<void> {
  const migrator = orm.migrator as Migrator;
  return convertOutages(async () => {
    await createTable(migrator);
    try {
      const runNext = () =>
        orm.em.fork().transactional(async (em) => {
          const kysely = em.getKysely();
          if (!isEmbedded) await sql`select pg_advisory_xact_lock(${lockId})`.execute(kysely);
          const transaction = em.getTransactionContext<Transaction>();
          if (direction === 'down') {
            await migrator.down({ transaction });
            return false;
          }
          const { rows } = await applied.execute(kysely);
          const next = migrations.find(({ name }) => !rows.some((row) => row.name === name));
          if (next === undefined) return false;
          await migrator.up({ migrations: [next.name], transaction });
          return true;
        });
      while (await runNext());
    } catch (error) {
      throw codeOf(error) === raised ? new StorageError((error as Error).message) : error;
    }
  });
}

/** Creates the migrations table. The migrator doesn't create it inside a transaction. */
async function createTable(migrator: Migrator): Promise<void> {
  try {
    await migrator.getExecuted();
  } catch (error) {
    if (!createdMeanwhile.has(codeOf(error))) throw error;
    await migrator.getExecuted();
  }
}
