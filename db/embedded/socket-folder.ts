import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { socketPort } from '../connections/pool.ts';
import { makePrivateFolder } from './private-folder.ts';

/** The system truncates a socket path after about 104 bytes without an error. */
const maxPathBytes = 100;

const temporaryPrefix = 'portfolio-access-';

const usual = (dataDir: string) => join(dataDir, 'socket');

export function socketIn(folder: string): string {
  return join(folder, `.s.PGSQL.${socketPort}`);
}

/**
 * Returns a folder for the socket that only its owner can enter, because the socket gives access to the data. It is
 * inside
 * the data folder, or temporary if that path is too long.
 */
export async function openSocketFolder(dataDir: string): Promise<string> {
  const folder = usual(dataDir);
  if (Buffer.byteLength(socketIn(folder)) > maxPathBytes) {
    return mkdtemp(join(tmpdir(), temporaryPrefix));
  }
  await makePrivateFolder(folder);
  await chmod(folder, 0o700);
  return folder;
}

/** Removes a folder that a file names. Keeps a folder that this module can't have created. */
export async function removeSocketFolder(dataDir: string, folder: string): Promise<void> {
  const isTemporary = dirname(folder) === tmpdir() && basename(folder).startsWith(temporaryPrefix);
  if (folder !== usual(dataDir) && !isTemporary) return;
  await rm(folder, { recursive: true, force: true });
}
