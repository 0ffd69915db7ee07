import { DatabaseSync } from 'node:sqlite';

/** The embedded database's data folder can't be used. The message gives an operator the reason. */
export class DataDirError extends Error {
  override name = 'DataDirError';

  /** The message includes the cause, because nothing else is shown. */
  static because(what: string, cause: unknown): DataDirError {
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
    return new DataDirError(`${what} (${reason})`, { cause });
  }
}

/**
 * An exclusive lock that the operating system releases when its process dies. Uses SQLite only for its file locks,
 * which work
 * on every platform.
 */
export interface FolderLock {
  release(): void;
}

const sqliteBusy = 5;

/** Returns null if another process has the lock. */
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
