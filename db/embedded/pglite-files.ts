import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { DataDirError } from './folder-lock.ts';
import { initialize, putNewDatabase } from './new-database.ts';
import { makePrivateFolder } from './private-folder.ts';

/**
 * Renames a new database when it is complete, so that a crash leaves nothing that looks like one.
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
 * PGlite writes to all of its default 128 MB of shared buffers at the start. The operating system caches files, too, so
 * a small
 * database loses nothing without them.
 */
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];

/** PGlite throws the same for a damaged file and a full disk. */
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
