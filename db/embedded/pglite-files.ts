import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { DataDirError } from './folder-lock.ts';
import { initialize, putNewDatabase } from './new-database.ts';
import { makePrivateFolder } from './private-folder.ts';

/**
 * Opens the database of a data folder, or creates the database. A new database gets its final folder name last, so a
 * crash can't leave an incomplete database under that name.
 *
 * @throws DataDirError
 */
export async function openPGlite(dataDir: string): Promise<PGlite> {
  const files = join(dataDir, 'database');
  if (!existsSync(files)) {
    const draft = join(dataDir, 'database.draft');
    await rm(draft, { recursive: true, force: true });
    await makePrivateFolder(draft);
    await withReason(draft, 'made', async () => putNewDatabase(draft) || initialize(draft));
    await rename(draft, files);
  }
  return withReason(files, 'opened', () => PGlite.create(files, { startParams }));
}

/**
 * When PGlite starts, it fills its shared buffers, by default 128 MB. The operating system also caches files, so a
 * small database is as fast with smaller buffers.
 */
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];

/** PGlite throws the same error for a damaged file and a full disk. */
async function withReason<T>(
  files: string,
  verb: 'made' | 'opened',
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw DataDirError.because(`the embedded database in ${files} cannot be ${verb}`, error);
  }
}
