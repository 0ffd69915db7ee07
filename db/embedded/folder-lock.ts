import { DatabaseSync } from 'node:sqlite';

/** Thrown when the data folder can't be used. Operators see only the message, so the message includes the cause. */
export class DataDirError extends Error {
  override name = 'DataDirError';

  static because(what: string, cause: unknown): DataDirError {
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
    return new DataDirError(`${what} (${reason})`, { cause });
  }
}

const sqliteBusy = 5;

/**
 * Takes an exclusive lock. Returns null if another process has the lock. The operating system releases the lock when
 * the process dies. SQLite is used only for its file locks, which work on every platform.
 */
export function tryLock(file: string): Disposable | null {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('begin exclusive');
    return database;
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return null;
    throw DataDirError.because(`cannot lock the data folder with the file ${file}`, error);
  }
}
