import { constants, existsSync } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../gateway/config.ts';
import type { Findings } from './finding.ts';

const mebibyte = 1024 * 1024;

/** In mebibytes. */
const room = { scarce: 1024, hardlyAny: 100 };

const openToOthers = 0o077;

export async function checkDisk(
  { databaseUrl, dataDir }: Config,
  findings: Findings,
): Promise<void> {
  if (databaseUrl === null) await checkDataDir(resolve(dataDir), findings);
  await checkRoom(
    'the folder of temporary files',
    tmpdir(),
    findings,
    'set TMPDIR to another folder',
  );
}

async function checkDataDir(dataDir: string, findings: Findings): Promise<void> {
  const name = `DATA_DIR ${dataDir}`;
  if (existsSync(dataDir)) {
    const { mode } = await stat(dataDir);
    if ((mode & openToOthers) !== 0) {
      findings.warn(`other users can read ${name}`, `run: chmod 700 ${dataDir}`);
    }
  }
  await checkRoom(name, dataDir, findings, 'free some space there, or set DATABASE_URL');
}

async function checkRoom(
  name: string,
  folder: string,
  findings: Findings,
  advice: string,
): Promise<void> {
  const existing = nearestExisting(folder);
  try {
    await access(existing, constants.W_OK);
  } catch {
    return findings.fail(
      `${name} cannot be written by this user`,
      `change its owner, or ${advice}`,
    );
  }
  const { bavail, bsize, files, ffree } = await statfs(existing);
  const free = Math.floor((bavail * bsize) / mebibyte);
  const words = `${name} has ${free} MiB left`;
  // Some file systems report a maximum of 0 files. For these, 0 free files doesn't mean that the disk is full.
  if (files > 0 && ffree === 0) findings.fail(`${name} can’t store more files`, advice);
  else if (free < room.hardlyAny) findings.fail(words, advice);
  else if (free < room.scarce) findings.warn(words, advice);
  else findings.ok(words);
}

function nearestExisting(folder: string): string {
  const parent = dirname(folder);
  return existsSync(folder) || parent === folder ? folder : nearestExisting(parent);
}
