import type { Database, SchemaState } from '#db';
import type { Config } from './config.ts';

export const notMigrated = 'the database is not migrated; run: portfolio-access migrate';
const newer =
  'the database is newer than this version of portfolio-access; use the version that migrated it, or a later one';

export class SchemaError extends Error {}

export function compareSchema({ pending, unknown }: SchemaState): 'ok' | 'not_migrated' | 'newer' {
  if (unknown.length > 0) return 'newer';
  return pending.length > 0 ? 'not_migrated' : 'ok';
}

/**
 * Requires the database schema of exactly this version. If MIGRATE_ON_START allows it, migrates an older database
 * first.
 *
 * @throws SchemaError
 */
export async function requireSchema(
  database: Pick<Database, 'migrate' | 'schemaState'>,
  { migrateOnStart }: Pick<Config, 'migrateOnStart'>,
): Promise<void> {
  const state = await database.schemaState();
  refuseNewer(state);
  if (compareSchema(state) === 'ok') return;
  if (!migrateOnStart) throw new SchemaError(notMigrated);
  await database.migrate();
}

/** @throws SchemaError if the database has migrations that this version doesn't know */
export function refuseNewer(state: SchemaState): void {
  if (compareSchema(state) === 'newer') throw new SchemaError(newer);
}
