import { existsSync } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { socketPort } from '../connections.ts';
import type { DatabaseConfig, Limits } from '../settings.ts';
import { DataDirError } from './data-dir-error.ts';
import { type FolderLock, tryLock } from './folder-lock.ts';
import {
  answers,
  forgetLockOwner,
  type LockOwner,
  readLockOwner,
  writeLockOwner,
} from './lock-owner.ts';
import { makePrivateFolder } from './private-folder.ts';
import { SessionServer } from './session-server.ts';
import { openSocketFolder, removeSocketFolder } from './socket-folder.ts';

/** A way to the embedded database: to one that is open in this process, or to that of a running service. */
export interface EmbeddedDatabase {
  readonly socketFolder: string;
  close(): Promise<void>;
}

interface EmbeddedConfig extends Pick<DatabaseConfig, 'dataDir' | 'onWait' | 'role'> {
  readonly limits: Pick<Limits, 'serviceWaitMilliseconds' | 'commandWaitMilliseconds'>;
  readonly onError: (error: unknown) => void;
}

function inUse(dataDir: string, lockOwner: LockOwner | null): DataDirError {
  return new DataDirError(
    `the data folder ${dataDir} is in use by ${describe(lockOwner)}; stop it, choose another DATA_DIR, or set DATABASE_URL`,
  );
}

function describe(lockOwner: LockOwner | null): string {
  return lockOwner === null ? 'another process' : `a ${lockOwner.role} (process ${lockOwner.pid})`;
}

const retryMilliseconds = 50;

/**
 * PGlite takes no lock of its own, and two processes in one folder destroy it: whoever opens it here holds the lock of
 * the folder. A command goes through the socket of a running service instead, and waits for other commands. A service
 * that finds a command there waits until it is done, for the next one to start it would find the same.
 *
 * @throws DataDirError
 */
export async function openEmbedded(config: EmbeddedConfig): Promise<EmbeddedDatabase> {
  const { role, limits } = config;
  const dataDir = resolve(config.dataDir);
  // It holds the data and the door to it.
  await makePrivateFolder(dataDir);
  const isService = role === 'service';
  const wait = isService ? limits.serviceWaitMilliseconds : limits.commandWaitMilliseconds;
  let deadline = Date.now() + wait;
  let isWaiting = false;
  for (;;) {
    const lock = tryLock(join(dataDir, 'lock'));
    if (lock !== null) return openLocked(dataDir, role, lock, config.onError);
    const lockOwner = await readLockOwner(dataDir);
    const socketFolder = lockOwner?.role === 'service' ? lockOwner.socketFolder : null;
    // Asked again, because a command that has just come after a killed service listens at the same place.
    const isAnswered = socketFolder !== null && (await answers(socketFolder));
    if (isAnswered && (await readLockOwner(dataDir))?.pid === lockOwner?.pid) {
      if (isService) throw inUse(dataDir, lockOwner);
      return { socketFolder, close: async () => undefined };
    }
    if (isService && lockOwner?.role === 'command') {
      if (!isWaiting) config.onWait?.(describe(lockOwner));
      isWaiting = true;
      deadline = Date.now() + wait;
    }
    if (Date.now() > deadline) throw inUse(dataDir, lockOwner);
    await new Promise((wake) => setTimeout(wake, retryMilliseconds));
  }
}

async function openLocked(
  dataDir: string,
  role: LockOwner['role'],
  lock: FolderLock,
  onError: (error: unknown) => void,
): Promise<EmbeddedDatabase> {
  const undo: (() => unknown)[] = [() => lock.release()];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    // The one before may have died and left its socket behind.
    const previous = await readLockOwner(dataDir);
    await writeLockOwner(dataDir, { pid: process.pid, role, socketFolder: null });
    undo.push(() => forgetLockOwner(dataDir));
    if (previous?.socketFolder) await removeSocketFolder(dataDir, previous.socketFolder);

    const pglite = await openFiles(dataDir);
    undo.push(() => pglite.close());

    const socketFolder = await openSocketFolder(dataDir);
    undo.push(() => removeSocketFolder(dataDir, socketFolder));
    const path = join(socketFolder, `.s.PGSQL.${socketPort}`);
    await rm(path, { force: true });
    const server = new SessionServer(pglite, onError);
    await server.listen(path);
    undo.push(() => server.close());
    await chmod(path, 0o600);

    await writeLockOwner(dataDir, { pid: process.pid, role, socketFolder });
    return { socketFolder, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openFiles(dataDir: string): Promise<PGlite> {
  const files = join(dataDir, 'database');
  if (!existsSync(files)) await makeFiles(dataDir, files);
  return openPGlite(files, 'opened');
}

/** A new database is made beside its place and moved there when it is whole: a kill while it is made leaves none. */
async function makeFiles(dataDir: string, files: string): Promise<void> {
  const draft = join(dataDir, 'database.draft');
  await rm(draft, { recursive: true, force: true });
  await makePrivateFolder(draft);
  await (await openPGlite(draft, 'made')).close();
  await rename(draft, files);
}

/** What PGlite throws does not tell a damaged file from a full disk. */
async function openPGlite(files: string, verb: 'made' | 'opened'): Promise<PGlite> {
  try {
    return await PGlite.create(files);
  } catch (error) {
    throw DataDirError.because(`the embedded database in ${files} cannot be ${verb}`, error);
  }
}
