import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '#core';
import { type Store, sql } from '../store.ts';

export const ownerName = '.database';

/** One that was restored from a dump, or moved to another server, is another. */
const identity = sql<{ owner: string }>`
  select system_identifier || '/' || pg_database.oid as owner
  from pg_control_system(), pg_database where datname = current_database()`;

/**
 * Makes a new folder that of this database. What a database does not name in its folder is removed there, so two databases
 * must not have the same one.
 *
 * @throws OperatorError `invalid` when it is another's
 */
export async function requireOwnFolder(folder: string, store: Store): Promise<void> {
  const state = await store.first(identity);
  if (state === null) throw new Error('PostgreSQL does not say which database it is');
  const path = join(folder, ownerName);
  // The first to come makes the file.
  await writeFile(path, `${state.owner}\n`, { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  if ((await readFile(path, 'utf8')).trim() === state.owner) return;
  const message = `${folder} is the archive of another database; give each a folder of its own, or remove ${path} if this is the same one, restored or moved`;
  throw new OperatorError('invalid', message);
}
