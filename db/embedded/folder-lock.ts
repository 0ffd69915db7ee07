import { DatabaseSync } from 'node:sqlite';
import { DataDirError } from './data-dir-error.ts';

/**
 * A lock on a file that the operating system drops when its process dies, however it dies: nothing stale is left, and
 * two can never have it. SQLite is here for nothing but its file locks, which it gets right on every platform.
 */
export interface FolderLock {
  release(): void;
}

const sqliteBusy = 5;

/** Null when another has it. */
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
