import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { socketPort } from '../connections/pool.ts';
import { makePrivateFolder } from './private-folder.ts';

/** The system keeps a socket's path in about 104 bytes and cuts a longer one off without a word. */
const maxPathBytes = 100;

const temporaryPrefix = 'portfolio-access-';

const usual = (dataDir: string) => join(dataDir, 'socket');

export function socketIn(folder: string): string {
  return join(folder, `.s.PGSQL.${socketPort}`);
}

/**
 * A folder for the socket that only its owner can enter, since whoever reaches the socket reaches the data. It is in the
 * data folder, or a temporary one when that path is too long for a socket.
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

/** Removes a folder that was named in a file; one that this module can't have made stays. */
export async function removeSocketFolder(dataDir: string, folder: string): Promise<void> {
  const isTemporary = dirname(folder) === tmpdir() && basename(folder).startsWith(temporaryPrefix);
  if (folder !== usual(dataDir) && !isTemporary) return;
  await rm(folder, { recursive: true, force: true });
}
