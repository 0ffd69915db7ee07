import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../storage-error.ts';
import { type Store, sql } from '../store.ts';
import { archivedDays } from './archived-days.ts';
import { fileName, sync } from './files.ts';

export const ownerName = '.database';

/** One that was restored from a dump, or moved to another server, is another. */
const identity = sql<{ owner: string }>`
  select system_identifier || '/' || pg_database.oid as owner
  from pg_control_system(), pg_database where datname = current_database()`;

/**
 * Makes a folder without an owner that of this database, unless files of another are in it. What a database does not name
 * in its folder is removed there, so two databases must not have the same one.
 *
 * @throws StorageError when it is another's
 */
export async function requireOwnFolder(folder: string, store: Store): Promise<void> {
  const state = await store.first(identity);
  if (state === null) throw new Error('PostgreSQL does not say which database it is');
  const path = join(folder, ownerName);
  const known = await readOwner(path);
  if (known === state.owner) return;
  if (known === null && (await isFree(folder, store))) {
    await write(folder, path, state.owner);
    // Two may have come first at once.
    if ((await readOwner(path)) === state.owner) return;
  }
  const message = `${folder} is the archive of another database; give each a folder of its own, or remove ${path} if this is the same one, restored or moved`;
  throw new StorageError(message);
}

async function readOwner(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Whether there is no file of an archive, or one that this database names. */
async function isFree(folder: string, store: Store): Promise<boolean> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.parquet'));
  if (files.length === 0) return true;
  const named = new Set((await store.run(archivedDays.all)).map(fileName));
  return files.some((name) => named.has(name));
}

/** The file is whole when it has its name; whoever has it already keeps it. */
async function write(folder: string, path: string, owner: string): Promise<void> {
  const draft = `${path}-${process.pid}`;
  await writeFile(draft, `${owner}\n`, { mode: 0o600 });
  await sync(draft);
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  await sync(folder);
}
