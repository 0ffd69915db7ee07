import { DatabaseSync } from 'node:sqlite';

/** The data folder of the embedded database cannot be used; the message tells an operator why. */
export class DataDirError extends Error {
  override name = 'DataDirError';

  /** The message has to tell the cause, because nothing else is shown. */
  static because(what: string, cause: unknown): DataDirError {
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
    return new DataDirError(`${what} (${reason})`, { cause });
  }
}

/**
 * A lock that only one process can have, and that the operating system releases when the process dies, however it dies.
 * SQLite is used for its file locks only, because they work on every platform.
 */
export interface FolderLock {
  release(): void;
}

const sqliteBusy = 5;

/** Null when another process has the lock. */
export function tryLock(file: string): FolderLock | null {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('begin exclusive');
    const locked = database;
    return { release: () => locked.close() };
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return null;
    throw DataDirError.because(`cannot lock the data folder by ${file}`, error);
  }
}
