import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AccessRecordArchive } from '#core';
import { emptyDefaultPartition, isOwner, listDays } from '../access-records/partitions.ts';
import { makePrivateFolder } from '../private-folder.ts';
import { StorageError } from '../storage-error.ts';
import { type Stores, sql } from '../store.ts';
import { archiveDay } from './archive-day.ts';
import { archivedDays } from './archived-days.ts';
import { loadDuckDb } from './duckdb.ts';
import {
  fileName,
  manifestName,
  onDisk,
  removeFile,
  removeLeftovers,
  removeManifest,
  removeUnnamed,
  requireNames,
  sync,
} from './files.ts';
import { type ArchiveInspection, inspectArchive } from './inspection.ts';
import { createArchiveLists } from './lists.ts';
import { ownerName, requireOwnFolder } from './owner.ts';
import { FileReader } from './reader.ts';

interface ArchiveSettings {
  /** Null: this process knows no archive. */
  readonly folder: string | null;
  /** How long a list waits for files; null: as long as they take. */
  readonly readMilliseconds: number | null;
  readonly onError: (error: unknown) => void;
}

export interface FileArchive extends AccessRecordArchive {
  /** Whether the last read of files has failed. */
  isFailing(): boolean;
  inspect(): Promise<ArchiveInspection>;
}

export function createAccessRecordArchive(
  { requests, longWork }: Pick<Stores, 'requests' | 'longWork'>,
  { folder: given, readMilliseconds, onError }: ArchiveSettings,
): FileArchive {
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
    throw new StorageError('ARCHIVE_DIR does not say where the archive is');
  };
  /** Without one nothing was ever archived there. */
  const hasOwner = () => folder !== null && existsSync(join(folder, ownerName));
  const removeAbandoned = async (there: string) => {
    await removeLeftovers(there);
    await removeUnnamed(there, () => longWork.run(archivedDays.all));
  };
  return {
    ...lists,

    isFailing: () => lastProblem !== null,
    inspect: () => inspectArchive(requests, folder),

    async listDays() {
      const there = requireFolder();
      await onDisk(there, () => makePrivateFolder(there));
      await loadDuckDb();
      if (!(await isOwner(longWork))) {
        const message = 'only the role that owns the tables can archive their records';
        throw new StorageError(message);
      }
      const kept = await longWork.run(archivedDays.kept(null));
      await onDisk(there, async () => {
        await requireNames(there, kept.map(fileName));
        await requireOwnFolder(there, longWork);
        await removeAbandoned(there);
      });
      // Late records of archived days wait there, and a service that does not own the table leaves them.
      await emptyDefaultPartition(longWork);
      return listDays(longWork);
    },

    archiveDay: (day, options) => archiveDay(longWork, requireFolder(), day, options),

    async requireArchivedUntil(before, { areFilesLost = false } = {}) {
      const days = await longWork.run(archivedDays.before(before));
      if (days.length === 0 && !hasOwner()) return;
      const there = requireFolder();
      await onDisk(there, () => sync(there));
      const kept = areFilesLost ? [] : await longWork.run(archivedDays.kept(before));
      // Of a day that is forgotten the file may be gone already; its manifest goes last.
      const forgotten = areFilesLost ? [] : await longWork.run(archivedDays.forgotten);
      await onDisk(there, async () => {
        await requireNames(there, [...kept.map(fileName), ...forgotten.map(manifestName)]);
        await requireOwnFolder(there, longWork);
      });
    },

    async removeForgotten() {
      const files = await longWork.run(archivedDays.forgotten);
      if (files.length === 0 && !hasOwner()) return [];
      const there = requireFolder();
      await onDisk(there, async () => {
        await requireOwnFolder(there, longWork);
        for (const file of files) await removeFile(there, file);
        await sync(there);
        for (const { day, part } of files) {
          await longWork.run(sql`
            delete from access_record_archive
            where day = ${day}::date and part = ${part} and is_forgotten`);
        }
        for (const file of files) await removeManifest(there, file);
        await removeAbandoned(there);
      });
      return [...new Set(files.map(({ day }) => day))];
    },
  };
}
