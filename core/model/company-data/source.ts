import type { Environment } from '../identity/investor.ts';

/** The status of a source that does not deliver any more, in the words of whoever pushes it. */
export const failedStatus = 'failed';

/** What was last said of a data source that the company has connected. Credentials are never part of it. */
export interface ReportedSource {
  readonly companyId: string;
  readonly provider: string;
  /** Sync status of the connection: `connected` when all is well, `failed` when it does not work any more. */
  readonly status: string;
  readonly accountName: string;
  readonly lastSyncedAt: Date;
  /** ISO 8601 duration within which it is synced again; null when nobody has said. */
  readonly expectedEvery: string | null;
  /** `lastSyncedAt` and `expectedEvery` together; null without the latter. */
  readonly staleAt: Date | null;
}

/** A source as it is at one instant: its status may be `stale`. */
export interface Source extends Omit<ReportedSource, 'expectedEvery' | 'staleAt'> {
  /** A source as it was reported is none of these: readers would be told that all is well for ever. */
  readonly expectedEvery?: never;
}

/** The statuses of sources that need somebody to look at them. */
export const stoppedStatuses = ['stale', failedStatus] as const;

/** How many sources have stopped. */
export type StoppedSources = Readonly<
  Record<Environment, Readonly<Record<(typeof stoppedStatuses)[number], number>>>
>;

const shortestInterval = 'PT1S';
const longestInterval = 'P10Y';

/** Months and years are as long as they are from here on. */
const someDay = Temporal.PlainDate.from('2000-01-01');

export const intervalRange = `is not from ${shortestInterval} to ${longestInterval}`;

/** Whether a source can be expected at this interval, an ISO 8601 duration. */
export function isInterval(text: string): boolean {
  try {
    return (
      Temporal.Duration.compare(text, shortestInterval, { relativeTo: someDay }) >= 0 &&
      Temporal.Duration.compare(text, longestInterval, { relativeTo: someDay }) <= 0
    );
  } catch {
    // More of something than can be counted.
    return false;
  }
}

/** When an interval that begins at this instant ends, by the calendar of UTC. May lie beyond the year 9999. */
export function endOfInterval(start: Date, interval: string): Date {
  const end = Temporal.Instant.fromEpochMilliseconds(start.getTime())
    .toZonedDateTimeISO('UTC')
    .add(interval);
  return new Date(end.epochMilliseconds);
}

type Freshness = Pick<ReportedSource, 'status' | 'staleAt'>;

/** What a source's status is by the clock: `stale` from the instant on by which it should have been synced. */
export const sourceStatusAt = (source: Freshness, now: Date): string =>
  isStaleAt(source, now) ? 'stale' : source.status;

/** A source that has failed stays so: that is known, and says more. */
const isStaleAt = ({ status, staleAt }: Freshness, now: Date): boolean =>
  staleAt !== null && staleAt <= now && status !== failedStatus;

interface SourcesAtInstant {
  /** How many of them are stale: of one list, the number tells which. */
  readonly stale: number;
  readonly sources: readonly Source[];
}

const lastShown = new WeakMap<readonly ReportedSource[], SourcesAtInstant>();

/** The sources as they are at an instant. Of the same list it is the same list again, as long as the same ones are stale. */
export function sourcesAt(reported: readonly ReportedSource[], now: Date): SourcesAtInstant {
  const stale = reported.filter((source) => isStaleAt(source, now)).length;
  const last = lastShown.get(reported);
  if (last?.stale === stale) return last;
  const sources = reported.map(({ expectedEvery, staleAt, ...source }) => ({
    ...source,
    status: sourceStatusAt({ status: source.status, staleAt }, now),
  }));
  const shown = { stale, sources };
  lastShown.set(reported, shown);
  return shown;
}
