import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type AccessRecordArchive, OperatorError } from '#core';
import { isOwner, listDays, moveStrays } from '../access-record-partitions.ts';
import { makePrivateFolder } from '../private-folder.ts';
import { type Stores, sql } from '../store.ts';
import { archiveDay } from './archive-day.ts';
import { archivedDays } from './archived-days.ts';
import { loadDuckDb } from './duckdb.ts';
import { type FileIdentity, fileName, removeFile, removeUnnamed, sync } from './files.ts';
import { createArchiveLists } from './lists.ts';
import { FileReader } from './reader.ts';

interface ArchiveSettings {
  /** Null: this process knows no archive. */
  readonly folder: string | null;
  readonly readMilliseconds?: number | undefined;
  readonly onError: (error: unknown) => void;
}

export function createAccessRecordArchive(
  { requests, longWork }: Pick<Stores, 'requests' | 'longWork'>,
  { folder: given, readMilliseconds, onError }: ArchiveSettings,
): AccessRecordArchive {
  const folder = given === null ? null : resolve(given);
  const reader = folder === null ? null : new FileReader(folder, readMilliseconds);
  let lastProblem: string | null = null;
  const lists = createArchiveLists(requests, reader, (reason) => {
    // The same again would say nothing new.
    if (reason !== null && reason.message !== lastProblem) onError(reason);
    lastProblem = reason?.message ?? null;
  });
  const requireFolder = () => {
    if (folder !== null) return folder;
    throw new OperatorError('invalid', 'ARCHIVE_DIR does not say where the archive is');
  };
  return {
    ...lists,

    async listDays() {
      await makePrivateFolder(requireFolder());
      await loadDuckDb();
      if (!(await isOwner(longWork))) {
        const message = 'only the role that owns the tables can archive their records';
        throw new OperatorError('invalid', message);
      }
      await requireFiles(requireFolder(), await longWork.run(archivedDays.kept(null)));
      await removeUnnamed(requireFolder(), () => longWork.run(archivedDays.all));
      // Late records of archived days wait there, and a service that does not own the table leaves them.
      await moveStrays(longWork);
      return listDays(longWork);
    },

    archiveDay: (day, options) => archiveDay(longWork, requireFolder(), day, options),

    async requireReach(before, { areFilesLost = false } = {}) {
      const days = await longWork.run(archivedDays.before(before));
      if (days.length === 0) return;
      await sync(requireFolder());
      if (areFilesLost) return;
      await requireFiles(requireFolder(), await longWork.run(archivedDays.kept(before)));
    },

    async removeForgotten() {
      const files = await longWork.run(archivedDays.forgotten);
      if (files.length === 0) return [];
      for (const file of files) await removeFile(requireFolder(), file);
      await sync(requireFolder());
      for (const { day, part } of files) {
        await longWork.run(sql`
          delete from access_record_archive
          where day = ${day}::date and part = ${part} and is_forgotten`);
      }
      return [...new Set(files.map(({ day }) => day))];
    },
  };
}

/** Another folder, or one that is not mounted, must not be taken for the archive. */
async function requireFiles(folder: string, files: readonly FileIdentity[]): Promise<void> {
  for (const file of files) {
    await access(join(folder, fileName(file))).catch((cause: Error) => {
      const message = `the archive at ARCHIVE_DIR lacks ${fileName(file)}`;
      throw Object.assign(new OperatorError('invalid', message), { cause });
    });
  }
}
