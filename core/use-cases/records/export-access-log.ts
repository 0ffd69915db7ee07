import { ensure, Refusal } from '../../model/errors.ts';
import { changeOfAccessLog, settingsChange } from '../../model/identity/settings-change.ts';
import { addDays } from '../../model/time.ts';
import type { NamedRecord } from '../../ports/access-records.ts';
import type { Ports } from '../../ports/index.ts';
import type { Day } from '../../ports/statistics.ts';
import type { SweepOptions } from '../consent/deadlines.ts';

/** Counts the records of each uncounted past date. Several processes may run this at the same time. */
export const countAccessRecords =
  ({ accessStatistics, clock }: Ports) =>
  async ({ isStopping }: SweepOptions = {}): Promise<void> => {
    const now = clock.now();
    while (!isStopping?.() && (await accessStatistics.countNextDay(now)));
  };

interface ClosedDay {
  readonly day: Day;
  /** Reads pages of records, oldest first. */
  readonly read: () => AsyncIterable<readonly NamedRecord[]>;
}

/**
 * Lists the dates before a given date, oldest first, with the access records of each date.
 *
 * @throws AccessError `invalid_parameter` if today or yesterday is among the dates
 */
export const exportAccessLog =
  (ports: Ports) =>
  async (before: Date): Promise<ClosedDay[]> => {
    const days = await listClosedDays(ports, before);
    return days.map((day) => ({ day, read: () => ports.accessRecords.readDay(day) }));
  };

interface ExportedDay {
  readonly records: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
}

interface DropInput {
  readonly before: Date;
  readonly exported: ReadonlyMap<Day, ExportedDay>;
}

interface DropOutcome {
  readonly day: Day;
  /** The reason why the records of the date weren't dropped. Null if they were dropped. */
  readonly problem: string | null;
}

/**
 * Drops the exported access records before a given date, one date at a time, oldest first. If the records of a date
 * differ from the export, the records stay and the next date follows. The statistics of all dates stay.
 *
 * @throws AccessError `invalid_parameter` if today or yesterday is among the dates
 */
export const dropAccessLog = (ports: Ports) =>
  async function* ({ before, exported }: DropInput): AsyncGenerator<DropOutcome, undefined> {
    for (const day of await listClosedDays(ports, before)) {
      yield { day, problem: await dropDay(ports, day, exported.get(day)) };
    }
  };

/**
 * The number of newest dates that can't be exported yet: today and yesterday. Their records may be incomplete, because
 * records of refusals arrive late and the clocks of servers differ.
 */
const openDays = 2;

/** Counts the records of all dates first, so that the statistics stay complete after the records are dropped. */
async function listClosedDays(ports: Ports, before: Date): Promise<Day[]> {
  const { accessRecords, clock } = ports;
  const firstOpenDay = dayOf(addDays(clock.now(), 1 - openDays));
  const end = dayOf(before);
  ensure(end <= firstOpenDay, 'invalid_parameter', 'today and yesterday stay in the database');
  await countAccessRecords(ports)();
  return (await accessRecords.listDays()).filter((day) => day < end);
}

const dayOf = (instant: Date): Day => instant.toISOString().slice(0, 10);

async function dropDay(
  { accessRecords, ids, clock }: Ports,
  day: Day,
  exported: ExportedDay | undefined,
): Promise<string | null> {
  if (exported === undefined) return `the manifest doesn't contain ${day}; export the day first`;
  try {
    await accessRecords.dropDay(day, ({ records, earlierExports }) => {
      if (records !== exported.records) {
        throw differs(
          `the database has ${records} records of ${day} and the manifest has ${exported.records}`,
        );
      }
      if (earlierExports.includes(exported.sha256)) {
        throw differs(`records of ${day} arrived after it was dropped with this manifest`);
      }
      const change = changeOfAccessLog(day, records, exported.sha256);
      return settingsChange(ids, clock.now(), null, change);
    });
    return null;
  } catch (error) {
    if (error instanceof Refusal && dayCodes.includes(error.code)) return error.message;
    throw error;
  }
}

const differs = (reason: string) =>
  new Refusal('access_log_day_changed', {
    message: `${reason}; export the day again into another folder`,
  });

/** These errors concern only one date, so the next date follows. After other errors, each date would fail. */
const dayCodes: readonly string[] = ['access_log_day_changed', 'access_log_day_not_found'];
