import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const repository = resolve(import.meta.dirname, '../..');

/** The output of `npm run build`, shared by all test files. Tests must copy it instead of changing it. */
export async function buildPackage(): Promise<string> {
  const folder = join(inject('dataFolder'), 'dist');
  if (existsSync(folder)) return folder;
  const draft = await mkdtemp(join(inject('dataFolder'), 'build-'));
  await promisify(execFile)(process.execPath, ['.ci/build.mjs', join(draft, 'dist')], {
    cwd: repository,
  });
  // Another process may have built the same package in the meantime.
  await rename(join(draft, 'dist'), folder).catch(() => undefined);
  await rm(draft, { recursive: true });
  return folder;
}
