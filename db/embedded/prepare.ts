import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../index.ts';
import { storeDatabase } from './new-database.ts';

/**
 * Creates and migrates an embedded database, and stores it for the first start.
 *
 * @param root the checkout or the built package. Default: this one
 */
export async function prepareDatabase(root?: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portfolio-access-'));
  try {
    const database = await openDatabase({ databaseUrl: null, dataDir, role: 'command' });
    await database.migrate();
    await database.close();
    storeDatabase(join(dataDir, 'database'), root);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
