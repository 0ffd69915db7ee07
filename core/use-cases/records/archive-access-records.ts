import { ensure, Refusal } from '../../model/errors.ts';
import type { ArchivedDay, ArchiveOptions } from '../../ports/archive.ts';
import type { Ports } from '../../ports/index.ts';
import { countAccessRecords } from './count-access-records.ts';
import { lastArchivedInstant } from './read-with-archive.ts';

/** How often a day is begun anew because records of it came meanwhile. */
const tries = 3;

interface ArchiveInput extends ArchiveOptions {
  readonly before: Date;
  readonly onArchived?: ((archived: ArchivedDay) => void) | undefined;
}

/**
 * Archives the access records of all days before the instant, oldest first. What they come to is counted before, so that
 * the statistics need no archive.
 *
 * @throws AccessError `invalid_parameter` when today or one of the two days before it would be among them
 */
export const archiveAccessRecords =
  (ports: Ports) =>
  async ({ before, onArchived, ...options }: ArchiveInput): Promise<ArchivedDay[]> => {
    const { accessRecordArchive, clock } = ports;
    const isOver = before <= lastArchivedInstant(clock.now());
    ensure(isOver, 'invalid_parameter', 'today and the two days before it stay in the database');
    const end = before.toISOString().slice(0, 10);
    const count = () =>
      countAccessRecords(ports)({ isStopping: () => options.signal?.aborted === true });
    await count();
    const archived: ArchivedDay[] = [];
    for (const day of await accessRecordArchive.listDays()) {
      if (day >= end) break;
      options.signal?.throwIfAborted();
      for (let attempt = 1; ; attempt += 1) {
        try {
          const done = await accessRecordArchive.archiveDay(day, options);
          archived.push(done);
          onArchived?.(done);
          break;
        } catch (error) {
          const code = error instanceof Refusal ? error.code : null;
          // Somebody else has archived or dropped it.
          if (code === 'access_log_day_not_found') break;
          if (code !== 'access_log_day_changed' || attempt === tries) throw error;
          await count();
        }
      }
    }
    return archived;
  };
