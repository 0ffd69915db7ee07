import type { Database, SchemaState } from '#db';
import type { Config } from './config.ts';

/** What is said, in the same words, by whatever needs the schema. */
export const notMigrated = 'the database is not migrated; run: portfolio-access migrate';
const newer =
  'the database is newer than this version of portfolio-access; use the version that migrated it, or a later one';

/** The schema of the database is not what this version needs. */
export class SchemaError extends Error {}

/** How the schema of the database stands to this code. */
export function compareSchema({ pending, unknown }: SchemaState): 'ok' | 'not_migrated' | 'newer' {
  if (unknown.length > 0) return 'newer';
  return pending.length > 0 ? 'not_migrated' : 'ok';
}

/**
 * The service and every command need the schema of this very version. A database that is older is migrated here only
 * when the configuration says so.
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

/** @throws SchemaError when the database has migrations that this version does not know */
export function refuseNewer(state: SchemaState): void {
  if (compareSchema(state) === 'newer') throw new SchemaError(newer);
}
