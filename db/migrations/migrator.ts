import type { Migrator } from '@mikro-orm/migrations';
import type { MikroORM, Transaction } from '@mikro-orm/postgresql';
import { translated } from '../connections/outages.ts';
import { StorageError } from '../connections/storage-error.ts';
import { type Store, sql } from '../connections/store.ts';
import { migrations } from './index.ts';

/** The difference between the database's schema and this code. */
export interface SchemaState {
  /** Migrations that the database lacks: the database is older. */
  readonly pending: readonly string[];
  /** Migrations that this code doesn't know: the database is newer. */
  readonly unknown: readonly string[];
}

const applied = sql<{ name: string }>`select name from mikro_orm_migrations order by id`;
const undefinedTable = '42P01';
const raised = 'P0001';
/** Another process created the table, or its row type, at the same time. */
const createdMeanwhile = new Set(['42P07', '42710', '23505']);
/** A number that no other advisory lock uses. */
const lockId = 5_187_203_461;

/** Only reads. MikroORM's own function would create its table first. */
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
 * Runs all pending migrations, or reverts the last one. Each has its own transaction, so that none keeps the locks of
 * earlier
 * ones. Any number of processes may call it at once: they wait for a lock on PostgreSQL, or for the single session of
 * PGlite.
 *
 * @throws StorageError if a migration refuses, by `raise exception`
 */
export function runMigrations(
  orm: MikroORM,
  direction: 'up' | 'down',
  isEmbedded: boolean,
): Promise<void> {
  const migrator = orm.migrator as Migrator;
  return translated(async () => {
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

/** Creates the table of migrations before the transaction, because the migrator doesn't create it inside one. */
async function createTable(migrator: Migrator): Promise<void> {
  try {
    await migrator.getExecuted();
  } catch (error) {
    if (!createdMeanwhile.has(codeOf(error) ?? '')) throw error;
    await migrator.getExecuted();
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | null)?.code;
}
