import type { Environment } from '../identity/investor.ts';

export const failedStatus = 'failed';

/** A connected data source, as it was last reported. Never contains credentials. */
export interface ReportedSource {
  readonly companyId: string;
  readonly provider: string;
  /** `connected` if the connection works, `failed` if it no longer works. */
  readonly status: string;
  readonly accountName: string;
  readonly lastSyncedAt: Date;
  /** The ISO 8601 duration within which the next sync is expected. Null if unknown. */
  readonly expectedEvery: string | null;
  /** `lastSyncedAt` plus `expectedEvery`. Null if `expectedEvery` is null. */
  readonly staleAt: Date | null;
}

export interface Source extends Omit<ReportedSource, 'expectedEvery' | 'staleAt'> {
  /** Makes the compiler reject a `ReportedSource` as a `Source`. The status of a `ReportedSource` is never `stale`. */
  readonly expectedEvery?: never;
}

export const unhealthyStatuses = ['stale', failedStatus] as const;

export type UnhealthySources = Readonly<
  Record<Environment, Readonly<Record<(typeof unhealthyStatuses)[number], number>>>
>;

const shortestInterval = 'PT1S';
const longestInterval = 'P10Y';

/** The start date for comparing durations. It is needed because months and years differ in length. */
const referenceDate = Temporal.PlainDate.from('2000-01-01');

export const intervalRange = `is not from ${shortestInterval} to ${longestInterval}`;

export function isInterval(text: string): boolean {
  try {
    return (
      Temporal.Duration.compare(text, shortestInterval, { relativeTo: referenceDate }) >= 0 &&
      Temporal.Duration.compare(text, longestInterval, { relativeTo: referenceDate }) <= 0
    );
  } catch {
    // `compare` throws if a number in the duration is too large.
    return false;
  }
}

/** Returns the end of an interval in the UTC calendar. The end can be after the year 9999. */
export function endOfInterval(start: Date, interval: string): Date {
  const end = Temporal.Instant.fromEpochMilliseconds(start.getTime())
    .toZonedDateTimeISO('UTC')
    .add(interval);
  return new Date(end.epochMilliseconds);
}

type Freshness = Pick<ReportedSource, 'status' | 'staleAt'>;

export const sourceStatusAt = (source: Freshness, now: Date): string =>
  isStaleAt(source, now) ? 'stale' : source.status;

/** A failed source never becomes stale, because `failed` is more precise. */
const isStaleAt = ({ status, staleAt }: Freshness, now: Date): boolean =>
  staleAt !== null && staleAt <= now && status !== failedStatus;

interface SourcesAtInstant {
  /** The number of stale sources. If the reported sources and this number stay the same, all statuses stay the same. */
  readonly stale: number;
  readonly sources: readonly Source[];
}

const cachedSources = new WeakMap<readonly ReportedSource[], SourcesAtInstant>();

/**
 * Returns the sources with their status at the time `now`. Returns the same object while the same sources are stale, so
 * callers can use the object as a cache key.
 */
export function sourcesAt(reported: readonly ReportedSource[], now: Date): SourcesAtInstant {
  const stale = reported.filter((source) => isStaleAt(source, now)).length;
  const last = cachedSources.get(reported);
  if (last?.stale === stale) return last;
  const sources = reported.map(({ expectedEvery, staleAt, ...source }) => ({
    ...source,
    status: sourceStatusAt({ status: source.status, staleAt }, now),
  }));
  const shown = { stale, sources };
  cachedSources.set(reported, shown);
  return shown;
}
