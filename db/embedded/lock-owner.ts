import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { socketIn } from './socket-folder.ts';

/** Written by the process that has the lock of the data folder. May be out of date, so trust only the lock itself. */
export interface LockOwner {
  readonly pid: number;
  readonly role: 'service' | 'command';
  /** Null until the process listens on a socket. */
  readonly socketFolder: string | null;
}

const fileOf = (dataDir: string) => join(dataDir, 'lock-owner.json');

export async function readLockOwner(dataDir: string): Promise<LockOwner | null> {
  try {
    return JSON.parse(await readFile(fileOf(dataDir), 'utf8')) as LockOwner;
  } catch {
    return null;
  }
}

/** Writes a new file and then renames it, so that a process never reads an incomplete file. */
export async function writeLockOwner(dataDir: string, lockOwner: LockOwner): Promise<void> {
  const draft = `${fileOf(dataDir)}.draft`;
  await writeFile(draft, JSON.stringify(lockOwner), { mode: 0o600 });
  await rename(draft, fileOf(dataDir));
}

export function deleteLockOwner(dataDir: string): Promise<void> {
  return rm(fileOf(dataDir), { force: true });
}

export function isListening(socketFolder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketIn(socketFolder));
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}
