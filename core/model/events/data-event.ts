import { type DataTotals, nameOfSource } from '../company-data/data-limits.ts';
import type { Source } from '../company-data/source.ts';
import type { Coverage } from '../consent/access-policy.ts';
import { type GrantableScope, grantableScopes } from '../consent/scopes.ts';
import { type AccessTerms, allowsMetric, allowsPeriod } from '../consent/terms.ts';
import type { DataEventType } from './event-type.ts';

export type SourceName = Pick<Source, 'provider' | 'accountName'>;

export interface DataChange extends DataTotals {
  readonly companyId: string;
  readonly dataVersion: string;
  /** The sorted keys of the metrics whose value or name is new or changed. */
  readonly metricKeys: readonly string[];
  /**
   * The latest changed period of each metric in `metricKeys`. A new name counts as a change of all periods. Stays inside
   * the service.
   */
  readonly latestPeriods: Readonly<Record<string, string>>;
  /** The periods of corrected or voided values, for each metric. Absent if no value was corrected or voided. */
  readonly corrections?: Readonly<Record<string, readonly string[]>>;
  readonly hasSources: boolean;
  readonly hasAccounts: boolean;
  readonly failedSources: readonly SourceName[];
  readonly recoveredSources: readonly SourceName[];
}

export interface StaleSources extends Pick<DataChange, 'companyId' | 'dataVersion'> {
  readonly sources: readonly SourceName[];
}

interface DataEventOf<Type extends DataEventType, Data> {
  readonly id: string;
  readonly type: Type;
  readonly createdAt: Date;
  readonly companyId: string;
  /** Names the changed data. Contains no values. */
  readonly data: Data & Pick<DataChange, 'dataVersion'>;
}

export type DataUpdate = DataEventOf<
  'company_data.updated',
  Pick<DataChange, 'metricKeys' | 'latestPeriods' | 'corrections' | 'hasSources' | 'hasAccounts'>
>;

/** The changed sources. `provider` and `accountName` repeat the first one, for clients that expect one source. */
export interface ChangedSources extends SourceName {
  /** Sorted by provider and account name. The list ends when its names reach `maxNameCharacters` in total. */
  readonly sources: readonly SourceName[];
  /** The number of all changed sources, including sources that `sources` leaves out. */
  readonly sourceCount: number;
}

export type SourceEvent = DataEventOf<
  Exclude<DataEventType, 'company_data.updated'>,
  ChangedSources
>;

/**
 * The maximum number of characters of all names in one event. This is enough for 500 sources with names of 64
 * characters. Without the limit, one company could fill the memory of a stream or the body of a webhook.
 */
const maxNameCharacters = 32_000;

export type DataEvent = DataUpdate | SourceEvent;

export function createDataEvents(change: DataChange, nextId: () => string, now: Date): DataEvent[] {
  const { companyId, dataVersion, metricKeys, latestPeriods, corrections } = change;
  const { hasSources, hasAccounts } = change;
  const ofSources = (type: SourceEvent['type'], sources: readonly SourceName[]) =>
    createSourceEvents(type, { companyId, dataVersion, sources }, nextId, now);
  return [
    {
      id: nextId(),
      type: 'company_data.updated',
      createdAt: now,
      companyId,
      data: {
        metricKeys,
        latestPeriods,
        ...(corrections && { corrections }),
        hasSources,
        hasAccounts,
        dataVersion,
      },
    },
    ...ofSources('source.failed', change.failedSources),
    ...ofSources('source.recovered', change.recoveredSources),
  ];
}

export const createStaleEvents = (
  stale: StaleSources,
  nextId: () => string,
  now: Date,
): DataEvent[] => createSourceEvents('source.stale', stale, nextId, now);

function createSourceEvents(
  type: SourceEvent['type'],
  { companyId, dataVersion, sources }: StaleSources,
  nextId: () => string,
  now: Date,
): SourceEvent[] {
  const sorted = sortSources(sources);
  const [first] = sorted;
  if (first === undefined) return [];
  const data = {
    ...first,
    sources: limitNames(sorted),
    sourceCount: sorted.length,
    dataVersion,
  };
  return [{ id: nextId(), type, createdAt: now, companyId, data }];
}

function sortSources(sources: readonly SourceName[]): SourceName[] {
  const byName = new Map(
    sources.map(({ provider, accountName }) => [
      nameOfSource(provider, accountName),
      { provider, accountName },
    ]),
  );
  return [...byName]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, source]) => source);
}

function limitNames(sources: readonly SourceName[]): SourceName[] {
  let characters = 0;
  return sources.filter(({ provider, accountName }) => {
    characters += provider.length + accountName.length;
    return characters <= maxNameCharacters;
  });
}

function withinTerms<Event extends DataEvent>(event: Event, terms: AccessTerms): Event {
  if (event.type !== 'company_data.updated') return event;
  const { corrections = {}, metricKeys, latestPeriods, ...data } = event.data;
  const allowed = metricKeys.filter(
    (key) => allowsMetric(terms, key) && allowsPeriod(terms, latestPeriods[key] as string),
  );
  const allowedCorrections = allowed.flatMap((key) => {
    const periods = (corrections[key] ?? []).filter((period) => allowsPeriod(terms, period));
    return periods.length > 0 ? [[key, periods] as const] : [];
  });
  return {
    ...event,
    data: {
      ...data,
      metricKeys: allowed,
      latestPeriods: Object.fromEntries(allowed.map((key) => [key, latestPeriods[key] as string])),
      ...(allowedCorrections.length > 0 && { corrections: Object.fromEntries(allowedCorrections) }),
    },
  };
}

/** Returns the scopes that cover at least some of the event: metrics, sources or accounts. */
export const scopesOfDataEvent = (event: DataEvent): GrantableScope[] =>
  grantableScopes.filter((scope) => hasPartOf(event, scope));

function hasPartOf(event: DataEvent, scope: GrantableScope): boolean {
  if (event.type !== 'company_data.updated') return scope === 'sources:read';
  switch (scope) {
    case 'metrics:read':
      return event.data.metricKeys.length > 0;
    case 'sources:read':
      return event.data.hasSources;
    case 'accounts:read':
      return event.data.hasAccounts;
  }
}

/** Removes the metrics, sources or accounts that the coverage leaves out. Returns null if nothing is left. */
export function narrowDataEvent<Event extends DataEvent>(
  wholeEvent: Event,
  { scopes, terms }: Coverage,
): Event | null {
  const event = terms === null ? wholeEvent : withinTerms(wholeEvent, terms);
  const parts = scopesOfDataEvent(event);
  const covered = parts.filter((scope) => scopes.includes(scope));
  if (covered.length === 0) return null;
  // Returns the same object if nothing was removed, so that all streams can share its encoded form.
  if (covered.length === parts.length || event.type !== 'company_data.updated') return event;
  const { metricKeys, latestPeriods, corrections, hasSources, hasAccounts, dataVersion } =
    event.data;
  const hasMetrics = covered.includes('metrics:read');
  const data: DataUpdate['data'] = {
    metricKeys: hasMetrics ? metricKeys : [],
    latestPeriods: hasMetrics ? latestPeriods : {},
    ...(hasMetrics && corrections && { corrections }),
    hasSources: hasSources && covered.includes('sources:read'),
    hasAccounts: hasAccounts && covered.includes('accounts:read'),
    dataVersion,
  };
  return { ...event, data } as Event;
}
