import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { socketPort } from '../connections/pool.ts';
import { makePrivateFolder } from './private-folder.ts';

/** The operating system truncates a socket path after about 104 bytes without an error. */
const maxPathBytes = 100;

const temporaryPrefix = 'portfolio-access-';

const defaultFolder = (dataDir: string) => join(dataDir, 'socket');

export function socketIn(folder: string): string {
  return join(folder, `.s.PGSQL.${socketPort}`);
}

/**
 * Creates a folder for the socket. Only the folder's owner can enter it, because the socket gives access to the data.
 * If a path in the data folder would be too long, the folder is temporary.
 */
export async function openSocketFolder(dataDir: string): Promise<string> {
  const folder = defaultFolder(dataDir);
  if (Buffer.byteLength(socketIn(folder)) > maxPathBytes) {
    return mkdtemp(join(tmpdir(), temporaryPrefix));
  }
  await makePrivateFolder(folder);
  await chmod(folder, 0o700);
  return folder;
}

/** Removes a socket folder that this module created. Ignores any other path that the lock owner file contains. */
export async function removeSocketFolder(dataDir: string, folder: string): Promise<void> {
  const isTemporary = dirname(folder) === tmpdir() && basename(folder).startsWith(temporaryPrefix);
  if (folder !== defaultFolder(dataDir) && !isTemporary) return;
  await rm(folder, { recursive: true, force: true });
}
