import type { Environment } from '../identity/investor.ts';

/** The status of a source that no longer delivers. */
export const failedStatus = 'failed';

/** A connected data source as last reported. Never contains credentials. */
export interface ReportedSource {
  readonly companyId: string;
  readonly provider: string;
  /** Sync status of the connection: `connected` if it works, `failed` if it no longer works. */
  readonly status: string;
  readonly accountName: string;
  readonly lastSyncedAt: Date;
  /** The ISO 8601 duration within which the next sync is expected. Null if unknown. */
  readonly expectedEvery: string | null;
  /** `lastSyncedAt` plus `expectedEvery`. Null without an expectation. */
  readonly staleAt: Date | null;
}

/** A source at one point in time. Its status can be `stale`. */
export interface Source extends Omit<ReportedSource, 'expectedEvery' | 'staleAt'> {
  /** Excludes a reported source, which has no `stale` status yet. */
  readonly expectedEvery?: never;
}

/** The statuses of sources that need attention. */
export const stoppedStatuses = ['stale', failedStatus] as const;

/** The number of stopped sources, by status. */
export type StoppedSources = Readonly<
  Record<Environment, Readonly<Record<(typeof stoppedStatuses)[number], number>>>
>;

const shortestInterval = 'PT1S';
const longestInterval = 'P10Y';

/** A date at which months and years have their usual length. */
const someDay = Temporal.PlainDate.from('2000-01-01');

export const intervalRange = `is not from ${shortestInterval} to ${longestInterval}`;

/** Returns true if the text is an ISO 8601 duration at which a source can sync. */
export function isInterval(text: string): boolean {
  try {
    return (
      Temporal.Duration.compare(text, shortestInterval, { relativeTo: someDay }) >= 0 &&
      Temporal.Duration.compare(text, longestInterval, { relativeTo: someDay }) <= 0
    );
  } catch {
    // A number is too large.
    return false;
  }
}

/** Returns the end of an interval by the UTC calendar. It can be after the year 9999. */
export function endOfInterval(start: Date, interval: string): Date {
  const end = Temporal.Instant.fromEpochMilliseconds(start.getTime())
    .toZonedDateTimeISO('UTC')
    .add(interval);
  return new Date(end.epochMilliseconds);
}

type Freshness = Pick<ReportedSource, 'status' | 'staleAt'>;

/** Returns the status at a time: `stale` once the expected sync is overdue. */
export const sourceStatusAt = (source: Freshness, now: Date): string =>
  isStaleAt(source, now) ? 'stale' : source.status;

/** A failed source stays failed, because that status says more. */
const isStaleAt = ({ status, staleAt }: Freshness, now: Date): boolean =>
  staleAt !== null && staleAt <= now && status !== failedStatus;

interface SourcesAtInstant {
  /** The number of stale sources. It identifies the state of one list. */
  readonly stale: number;
  readonly sources: readonly Source[];
}

const lastShown = new WeakMap<readonly ReportedSource[], SourcesAtInstant>();

/** Returns the sources at a time. Returns the same list object while the same sources are stale. */
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
