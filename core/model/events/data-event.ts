import type { HeldData } from '../company-data/held-data.ts';
import type { Source } from '../company-data/source.ts';
import { type GrantableScope, grantableScopes } from '../consent/scopes.ts';
import type { DataEventType } from './event-type.ts';

export type SourceName = Pick<Source, 'provider' | 'accountName'>;

/** What one transaction has changed of the data of a company; only what differs from before. */
export interface DataChange extends HeldData {
  readonly companyId: string;
  /** The version of the data after it. */
  readonly dataVersion: string;
  /** Of the metrics with a new, another or otherwise named value, in alphabetical order. */
  readonly metricKeys: readonly string[];
  readonly hasSources: boolean;
  readonly hasAccounts: boolean;
  /** Sources that have come to the status `failed`, and those that deliver again after they had failed or were stale. */
  readonly failedSources: readonly SourceName[];
  readonly recoveredSources: readonly SourceName[];
}

/** Sources of a company that have become stale, which nobody has been told of yet. */
export interface Lapse extends Pick<DataChange, 'companyId' | 'dataVersion'> {
  readonly sources: readonly SourceName[];
}

interface DataEventOf<Type extends DataEventType, Data> {
  readonly id: string;
  readonly type: Type;
  readonly createdAt: Date;
  readonly companyId: string;
  /** Names what has changed, and no value of it. */
  readonly data: Data & Pick<DataChange, 'dataVersion'>;
}

export type DataUpdate = DataEventOf<
  'company_data.updated',
  Pick<DataChange, 'metricKeys' | 'hasSources' | 'hasAccounts'>
>;

export type SourceEvent = DataEventOf<Exclude<DataEventType, 'company_data.updated'>, SourceName>;

/** The notice of a change of a company's data, written in its transaction. It is of the company alone. */
export type DataEvent = DataUpdate | SourceEvent;

/** What is told of a change: one event for all of it, and one for each source that has failed or recovered. */
export function createDataEvents(change: DataChange, nextId: () => string, now: Date): DataEvent[] {
  const { companyId, dataVersion, metricKeys, hasSources, hasAccounts } = change;
  const ofSource = (type: SourceEvent['type']) => (source: SourceName) =>
    createSourceEvent(type, { companyId, dataVersion, ...source }, nextId, now);
  return [
    {
      id: nextId(),
      type: 'company_data.updated',
      createdAt: now,
      companyId,
      data: { metricKeys, hasSources, hasAccounts, dataVersion },
    },
    ...change.failedSources.map(ofSource('source.failed')),
    ...change.recoveredSources.map(ofSource('source.recovered')),
  ];
}

/** What is told of a lapse: one event for each source. */
export const createStaleEvents = (
  { sources, ...lapse }: Lapse,
  nextId: () => string,
  now: Date,
): DataEvent[] =>
  sources.map((source) => createSourceEvent('source.stale', { ...lapse, ...source }, nextId, now));

const createSourceEvent = (
  type: SourceEvent['type'],
  { companyId, provider, accountName, dataVersion }: Omit<Lapse, 'sources'> & SourceName,
  nextId: () => string,
  now: Date,
): SourceEvent => ({
  id: nextId(),
  type,
  createdAt: now,
  companyId,
  data: { provider, accountName, dataVersion },
});

/** The scopes of which each covers a part of the event. */
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

/** The event without what the scopes don't cover; null when they cover nothing of it. */
export function narrowDataEvent<Event extends DataEvent>(
  event: Event,
  scopes: readonly GrantableScope[],
): Event | null {
  const parts = scopesOfDataEvent(event);
  const covered = parts.filter((scope) => scopes.includes(scope));
  if (covered.length === 0) return null;
  // The same object, so that what was made of it for another reader can be used again.
  if (covered.length === parts.length || event.type !== 'company_data.updated') return event;
  const { metricKeys, hasSources, hasAccounts, dataVersion } = event.data;
  const data: DataUpdate['data'] = {
    metricKeys: covered.includes('metrics:read') ? metricKeys : [],
    hasSources: hasSources && covered.includes('sources:read'),
    hasAccounts: hasAccounts && covered.includes('accounts:read'),
    dataVersion,
  };
  return { ...event, data } as Event;
}
