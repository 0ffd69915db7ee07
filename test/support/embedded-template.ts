import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '#db';

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/embedded-templates');
const dayMilliseconds = 86_400_000;

let template: Promise<string> | undefined;

/**
 * Tests copy this folder with a migrated database. It is kept between runs, and its name depends on
 * the code and packages that created it.
 */
export function embeddedTemplate(): Promise<string> {
  template ??= findOrMake();
  return template;
}

async function findOrMake(): Promise<string> {
  const folder = join(cache, await digestOfSources());
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  await removeOld();
  const draft = await mkdtemp(join(cache, 'draft-'));
  const database = await openDatabase({ databaseUrl: null, dataDir: draft, role: 'service' });
  await database.migrate();
  await database.close();
  // If another process has already created the folder, this copy is removed.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
  return folder;
}

async function digestOfSources(): Promise<string> {
  const digest = createHash('sha256');
  const sources = globSync('db/**/*.ts', { cwd: root }).toSorted();
  for (const source of [...sources, 'package-lock.json']) {
    digest.update(source).update(await readFile(join(root, source)));
  }
  return digest.digest('hex').slice(0, 16);
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > dayMilliseconds) await rm(folder, { recursive: true, force: true });
  }
}
