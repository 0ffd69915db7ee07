import {
  type CreateChangeEvents,
  type CreateStaleEvents,
  type DataChange,
  type LimitedKind,
  maxPerCompany,
  nameOfSource,
  type SourceName,
  type StaleSources,
} from '#core';
import { type StatementRunner, sql } from '../../connections/store.ts';
import { addDataEvents } from '../access-events.ts';
import { toArray } from '../rows.ts';
import { changeData } from './data-versions.ts';

type SeriesName = readonly [companyId: string, key: string];

type PeriodOf = readonly [...SeriesName, period: string];

type SourceOf = [companyId: string, provider: string, accountName: string];

export interface Changed {
  /** The latest changed period of each metric. */
  readonly series?: readonly PeriodOf[];
  readonly corrections?: readonly PeriodOf[];
  readonly sourcesOf?: readonly string[];
  readonly accountsOf?: readonly string[];
  /** Sources that have just failed or recovered. */
  readonly failedOrRecoveredSources?: readonly (readonly [...SourceOf, hasFailed: boolean])[];
  readonly addedSeries?: readonly SeriesName[];
  readonly addedSources?: readonly (readonly [...SourceOf])[];
  readonly addedAccounts?: readonly (readonly [companyId: string, id: string])[];
}

type Gathered = {
  readonly latestPeriods: Map<string, string>;
  readonly corrections: Map<string, string[]>;
  hasSources: boolean;
  hasAccounts: boolean;
  readonly failedSources: SourceName[];
  readonly recoveredSources: SourceName[];
  readonly added: Record<LimitedKind, string[]>;
};

/**
 * The last step of a transaction that changes data. Raises the data versions and writes the events.
 *
 * @returns the data version of each company
 */
export async function writeChangeEvents(
  store: StatementRunner,
  changes: readonly Changed[],
  createEvents: CreateChangeEvents,
): Promise<ReadonlyMap<string, string>> {
  const gathered = gather(changes);
  if (gathered.size === 0) return new Map();
  const adds = (kind: LimitedKind) => gathered.values().some(({ added }) => added[kind].length > 0);
  const versions = await store.run(sql<Pick<DataChange, 'companyId' | 'dataVersion' | 'totals'>>`
    with raised as (${changeData(sql`select unnest(${toArray([...gathered.keys()])}::text[])`)})
    select "companyId", "dataVersion", json_build_object(
      'metrics', ${adds('metrics') ? countOf('metric_series', maxPerCompany.metrics) : 0}::integer,
      'sources', ${adds('sources') ? countOf('source', maxPerCompany.sources) : 0}::integer,
      'accounts', ${adds('accounts') ? countOf('account', maxPerCompany.accounts) : 0}::integer) as totals
    from raised order by "companyId"`);
  const events = versions.flatMap(({ companyId, ...version }) => {
    const { latestPeriods, corrections, ...change } = gathered.get(companyId) as Gathered;
    return createEvents({
      ...change,
      companyId,
      ...version,
      metricKeys: [...latestPeriods.keys()].toSorted(),
      latestPeriods: Object.fromEntries(latestPeriods),
      ...(corrections.size > 0 && { corrections: Object.fromEntries(corrections) }),
    });
  });
  await addDataEvents(store, events);
  return new Map(versions.map(({ companyId, dataVersion }) => [companyId, dataVersion]));
}

/** Counts the rows, but stops at one row above the limit. */
const countOf = (table: string, most: number) => sql`(
  select count(*) from (
    select from ${sql.table(table)} where company_id = raised."companyId" limit ${most + 1}
  ) as counted)`;

/** The last step of a transaction that marks sources as stale. Raises the data version and writes the events. */
export async function writeStaleEvents(
  store: StatementRunner,
  { companyId, sources }: Omit<StaleSources, 'dataVersion'>,
  createEvents: CreateStaleEvents,
): Promise<void> {
  const [version] = await store.run(changeData(sql`select ${companyId}::text`));
  if (version === undefined) throw new Error(`the data of ${companyId} has no version`);
  await addDataEvents(store, createEvents({ sources, ...version }));
}

function gather(changes: readonly Changed[]): Map<string, Gathered> {
  const gathered = new Map<string, Gathered>();
  const of = (companyId: string) =>
    gathered.getOrInsertComputed(companyId, () => ({
      latestPeriods: new Map(),
      corrections: new Map(),
      hasSources: false,
      hasAccounts: false,
      failedSources: [],
      recoveredSources: [],
      added: { metrics: [], sources: [], accounts: [] },
    }));
  for (const change of changes) {
    const { series = [], corrections = [] } = change;
    const { sourcesOf = [], accountsOf = [], failedOrRecoveredSources = [] } = change;
    for (const [companyId, key, period] of series) {
      const { latestPeriods } = of(companyId);
      if (period > (latestPeriods.get(key) ?? '')) latestPeriods.set(key, period);
    }
    for (const [companyId, key, period] of corrections)
      of(companyId)
        .corrections.getOrInsertComputed(key, () => [])
        .push(period);
    for (const companyId of sourcesOf) of(companyId).hasSources = true;
    for (const companyId of accountsOf) of(companyId).hasAccounts = true;
    for (const [companyId, provider, accountName, hasFailed] of failedOrRecoveredSources) {
      const { failedSources, recoveredSources } = of(companyId);
      (hasFailed ? failedSources : recoveredSources).push({ provider, accountName });
    }
  }
  for (const { addedSeries = [], addedSources = [], addedAccounts = [] } of changes) {
    for (const [companyId, key] of addedSeries) of(companyId).added.metrics.push(key);
    for (const [companyId, id] of addedAccounts) of(companyId).added.accounts.push(id);
    for (const [companyId, ...name] of addedSources)
      of(companyId).added.sources.push(nameOfSource(...name));
  }
  return gathered;
}
