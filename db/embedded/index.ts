import { chmod, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { DatabaseConfig, Limits } from '../connections/settings.ts';
import { DataDirError, tryLock } from './folder-lock.ts';
import {
  deleteLockOwner,
  isListening,
  type LockOwner,
  readLockOwner,
  writeLockOwner,
} from './lock-owner.ts';
import { openPGlite } from './pglite-files.ts';
import { makePrivateFolder } from './private-folder.ts';
import { SessionServer } from './session-server.ts';
import { openSocketFolder, removeSocketFolder, socketIn } from './socket-folder.ts';

/** A connection to the embedded database, in this process or in a running service. */
interface EmbeddedDatabase {
  readonly socketFolder: string;
  close(): Promise<void>;
}

interface EmbeddedConfig extends Pick<DatabaseConfig, 'dataDir' | 'onWait' | 'role'> {
  readonly limits: Pick<Limits, 'serviceWaitMilliseconds' | 'commandWaitMilliseconds'>;
  readonly onError: (error: unknown) => void;
}

const retryMilliseconds = 50;

/**
 * Opens the embedded database. PGlite has no lock of its own, and two processes would destroy its files. So a process
 * must take the lock of the folder before it opens the folder. A command connects to the socket of a running service,
 * or waits for other commands. A service waits for a running command without a limit.
 *
 * @throws DataDirError
 */
export async function openEmbedded(config: EmbeddedConfig): Promise<EmbeddedDatabase> {
  const { role, limits } = config;
  const dataDir = resolve(config.dataDir);
  await makePrivateFolder(dataDir);
  const isService = role === 'service';
  const waitMilliseconds = isService
    ? limits.serviceWaitMilliseconds
    : limits.commandWaitMilliseconds;
  let deadline = Date.now() + waitMilliseconds;
  let isWaiting = false;
  for (;;) {
    const lock = tryLock(join(dataDir, 'lock'));
    if (lock !== null) return openLocked(dataDir, role, lock, config.onError);
    const lockOwner = await readLockOwner(dataDir);
    const socketFolder = lockOwner?.role === 'service' ? lockOwner.socketFolder : null;
    const isServed = socketFolder !== null && (await isListening(socketFolder));
    // Reads the lock owner again. If the service was killed meanwhile, a command may now listen on the same socket.
    if (isServed && (await readLockOwner(dataDir))?.pid === lockOwner?.pid) {
      if (isService) throw inUse(dataDir, lockOwner);
      return { socketFolder, close: async () => undefined };
    }
    if (isService && lockOwner?.role === 'command') {
      if (!isWaiting) config.onWait?.(describe(lockOwner));
      isWaiting = true;
      deadline = Date.now() + waitMilliseconds;
    }
    if (Date.now() > deadline) throw inUse(dataDir, lockOwner);
    await wait(retryMilliseconds);
  }
}

function inUse(dataDir: string, lockOwner: LockOwner | null): DataDirError {
  return new DataDirError(
    `the data folder ${dataDir} is in use by ${describe(lockOwner)}; stop it, choose another DATA_DIR, or set DATABASE_URL`,
  );
}

function describe(lockOwner: LockOwner | null): string {
  return lockOwner === null ? 'another process' : `a ${lockOwner.role} (process ${lockOwner.pid})`;
}

async function openLocked(
  dataDir: string,
  role: LockOwner['role'],
  lock: Disposable,
  onError: (error: unknown) => void,
): Promise<EmbeddedDatabase> {
  await using openResources = new AsyncDisposableStack();
  openResources.use(lock);

  const previous = await readLockOwner(dataDir);
  await writeLockOwner(dataDir, { pid: process.pid, role, socketFolder: null });
  openResources.defer(() => deleteLockOwner(dataDir));
  // Removes the socket that a killed process left behind.
  if (previous?.socketFolder) await removeSocketFolder(dataDir, previous.socketFolder);

  const pglite = await openPGlite(dataDir);
  openResources.defer(() => pglite.close());

  const socketFolder = await openSocketFolder(dataDir);
  openResources.defer(() => removeSocketFolder(dataDir, socketFolder));
  const socket = socketIn(socketFolder);
  await rm(socket, { force: true });
  const server = new SessionServer(pglite, onError);
  await server.listen(socket);
  openResources.defer(() => server.close());
  await chmod(socket, 0o600);

  await writeLockOwner(dataDir, { pid: process.pid, role, socketFolder });
  const resources = openResources.move();
  return { socketFolder, close: () => resources.disposeAsync() };
}
