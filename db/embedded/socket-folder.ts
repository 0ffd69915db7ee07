import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { socketPort } from '../connections.ts';
import { makePrivateFolder } from './private-folder.ts';

/** The system keeps a socket's path in about 104 bytes and cuts a longer one off without a word. */
const maxPathBytes = 100;

const temporaryPrefix = 'portfolio-access-';

const usual = (dataDir: string) => join(dataDir, 'socket');

/**
 * A folder for the socket that only its owner can enter, since whoever reaches the socket reaches the data: in the data
 * folder, or, when that path is too long for a socket, a temporary one.
 */
export async function openSocketFolder(dataDir: string): Promise<string> {
  const folder = usual(dataDir);
  if (Buffer.byteLength(join(folder, `.s.PGSQL.${socketPort}`)) > maxPathBytes) {
    return mkdtemp(join(tmpdir(), temporaryPrefix));
  }
  await makePrivateFolder(folder);
  await chmod(folder, 0o700);
  return folder;
}

export async function removeSocketFolder(dataDir: string, folder: string): Promise<void> {
  // What is removed was named in a file: nothing but a folder that this module makes.
  const isTemporary = dirname(folder) === tmpdir() && basename(folder).startsWith(temporaryPrefix);
  if (folder !== usual(dataDir) && !isTemporary) return;
  await rm(folder, { recursive: true, force: true });
}
