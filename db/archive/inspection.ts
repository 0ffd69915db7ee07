import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type Store, sql } from '../store.ts';
import { archivedDays } from './archived-days.ts';
import { loadDuckDb } from './duckdb.ts';
import { fileName, onDisk } from './files.ts';

/** What is archived, and whether it could be read here. */
export interface ArchiveInspection {
  /** Null: this process knows no archive. */
  readonly folder: string | null;
  readonly days: number;
  /** Of all files that the database names. */
  readonly bytes: number;
  readonly files: number;
  /** The names of those that are not in the folder. */
  readonly missing: readonly string[];
  /** Why no file can be read here; null: nothing stands against it. */
  readonly problem: string | null;
}

/** Looks whether files are there, not what is in them. */
export async function inspectArchive(
  store: Store,
  folder: string | null,
): Promise<ArchiveInspection> {
  const sums = await store.first(sql<{ days: number; bytes: string }>`
    select count(distinct day)::int as days, coalesce(sum(bytes), 0)::text as bytes
    from access_record_archive where not is_forgotten`);
  const names = (await store.run(archivedDays.kept(null))).map(fileName);
  const found = {
    folder,
    days: sums?.days ?? 0,
    bytes: Number(sums?.bytes ?? 0),
    files: names.length,
  };
  if (folder === null || names.length === 0) return { ...found, missing: [], problem: null };
  const problem = await loadDuckDb().then(
    () => null,
    (error: Error) => error.message,
  );
  const missing: string[] = [];
  await onDisk(folder, async () => {
    for (const name of names) {
      await access(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        missing.push(name);
      });
    }
  });
  return { ...found, missing, problem };
}
