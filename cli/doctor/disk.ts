import { constants, existsSync } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../gateway/config.ts';
import type { Findings } from './finding.ts';

const mebibyte = 1024 * 1024;

/** Free space, in mebibytes. */
const room = { scarce: 1024, hardlyAny: 100 };

const openToOthers = 0o077;

/** Checks DATA_DIR, which has the embedded database, and the folder of temporary files, which exports use. */
export async function checkDisk(
  { databaseUrl, dataDir }: Config,
  findings: Findings,
): Promise<void> {
  if (databaseUrl === null) await checkDataDir(resolve(dataDir), findings);
  await checkRoom('the folder of temporary files', tmpdir(), findings, 'set TMPDIR to another');
}

async function checkDataDir(dataDir: string, findings: Findings): Promise<void> {
  const name = `DATA_DIR ${dataDir}`;
  if (existsSync(dataDir)) {
    const { mode } = await stat(dataDir);
    if ((mode & openToOthers) !== 0) {
      findings.warn(`others may look into ${name}`, `run: chmod 700 ${dataDir}`);
    }
  }
  await checkRoom(name, dataDir, findings, 'make room there, or set DATABASE_URL');
}

async function checkRoom(
  name: string,
  folder: string,
  findings: Findings,
  advice: string,
): Promise<void> {
  const there = nearestThere(folder);
  try {
    await access(there, constants.W_OK);
  } catch {
    return findings.fail(
      `${name} cannot be written by this user`,
      `change its owner, or ${advice}`,
    );
  }
  const { bavail, bsize, files, ffree } = await statfs(there);
  const free = Math.floor((bavail * bsize) / mebibyte);
  const words = `${name} has ${free} MiB left`;
  // Some file systems don't count files and report 0.
  if (files > 0 && ffree === 0) findings.fail(`${name} takes no further file`, advice);
  else if (free < room.hardlyAny) findings.fail(words, advice);
  else if (free < room.scarce) findings.warn(words, advice);
  else findings.ok(words);
}

/** Returns the folder. If it doesn't exist yet, returns the nearest existing folder above it. */
function nearestThere(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestThere(dirname(folder));
}
