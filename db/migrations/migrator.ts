import type { Migrator } from '@mikro-orm/migrations';
import type { MikroORM, Transaction } from '@mikro-orm/postgresql';
import { translated } from '../connections/outages.ts';
import { StorageError } from '../connections/storage-error.ts';
import { type Store, sql } from '../connections/store.ts';
import { migrations } from './index.ts';

/** How the schema of the database and this code stand to each other. */
export interface SchemaState {
  /** Migrations that this code has and the database lacks: the database is older. */
  readonly pending: readonly string[];
  /** Migrations that the database has and this code does not know: the database is newer. */
  readonly unknown: readonly string[];
}

const applied = sql<{ name: string }>`select name from mikro_orm_migrations order by id`;
const undefinedTable = '42P01';
const raised = 'P0001';
/** Another process has created the table, or its row type, at the same time. */
const createdMeanwhile = new Set(['42P07', '42710', '23505']);
/** Any number, as long as nobody else uses it. */
const lockId = 5_187_203_461;

/** Only reads; MikroORM's own way creates its table first. */
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
 * Runs all pending migrations, or takes the last one back. Each has a transaction of its own, so that none keeps the locks
 * of those before it. Any number of processes may do this at once: on PostgreSQL they wait for a lock, on PGlite for its
 * only session.
 *
 * @throws StorageError when a migration refuses, by `raise exception`
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

/** The table of migrations must be there before the transaction: inside it the migrator does not create it. */
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
