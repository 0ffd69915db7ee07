import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { makePrivateFolder } from '../private-folder.ts';
import { DataDirError } from './folder-lock.ts';

/**
 * A new database gets its name when it is whole, so that a kill in the middle leaves nothing that looks like one.
 *
 * @throws DataDirError
 */
export async function openPGlite(dataDir: string): Promise<PGlite> {
  const files = join(dataDir, 'database');
  if (!existsSync(files)) {
    const draft = join(dataDir, 'database.draft');
    await rm(draft, { recursive: true, force: true });
    await makePrivateFolder(draft);
    await (await open(draft, 'made')).close();
    await rename(draft, files);
  }
  return open(files, 'opened');
}

/** What PGlite throws is the same for a damaged file and a full disk. */
async function open(files: string, verb: 'made' | 'opened'): Promise<PGlite> {
  try {
    return await PGlite.create(files);
  } catch (error) {
    throw DataDirError.because(`the embedded database in ${files} cannot be ${verb}`, error);
  }
}
