import type { DataChange, Lapse, SourceName, TellChange, TellLapse } from '#core';
import { type StatementRunner, sql } from '../../store.ts';
import { addDataEvents } from '../access-events.ts';
import { toArray } from '../rows.ts';

/** A company, and the key of a metric of it. */
export type SeriesName = readonly [companyId: string, key: string];

/** A company, a source of it, and whether that has failed; else it has recovered. */
type TurnedSource = readonly [
  companyId: string,
  provider: string,
  accountName: string,
  hasFailed: boolean,
];

/** What a statement of an import or a push has changed of the data of companies. */
export interface Changed {
  readonly series?: readonly SeriesName[];
  readonly sourcesOf?: readonly string[];
  readonly accountsOf?: readonly string[];
  readonly turnedSources?: readonly TurnedSource[];
}

type Gathered = {
  readonly metricKeys: Set<string>;
  hasSources: boolean;
  hasAccounts: boolean;
  readonly failedSources: SourceName[];
  readonly recoveredSources: SourceName[];
};

/**
 * Writes what is told of the changes, at the end of their transaction: by then their versions are known.
 *
 * @returns the versions, by company
 */
export async function tellOfChanges(
  store: StatementRunner,
  changes: readonly Changed[],
  tell: TellChange,
): Promise<ReadonlyMap<string, string>> {
  const gathered = gather(changes);
  if (gathered.size === 0) return new Map();
  const versions = await store.run(sql<Pick<DataChange, 'companyId' | 'dataVersion'>>`
    select company_id as "companyId", version::text as "dataVersion" from company_data_version
    where company_id = any(${toArray([...gathered.keys()])}::text[]) order by company_id`);
  const events = versions.flatMap(({ companyId, dataVersion }) => {
    const { metricKeys, ...change } = gathered.get(companyId) as Gathered;
    return tell({ ...change, companyId, dataVersion, metricKeys: [...metricKeys].toSorted() });
  });
  await addDataEvents(store, events);
  return new Map(versions.map(({ companyId, dataVersion }) => [companyId, dataVersion]));
}

/** Writes what is told of sources that are stale; their company's version has changed with them. */
export async function tellOfLapse(
  store: StatementRunner,
  { companyId, sources }: Omit<Lapse, 'dataVersion'>,
  tell: TellLapse,
): Promise<void> {
  const [version] = await store.run(sql<Pick<Lapse, 'dataVersion'>>`
    select version::text as "dataVersion" from company_data_version
    where company_id = ${companyId}`);
  if (version === undefined) throw new Error(`the data of ${companyId} has a version`);
  await addDataEvents(store, tell({ companyId, sources, ...version }));
}

function gather(changes: readonly Changed[]): Map<string, Gathered> {
  const gathered = new Map<string, Gathered>();
  const of = (companyId: string) =>
    gathered.getOrInsertComputed(companyId, () => ({
      metricKeys: new Set(),
      hasSources: false,
      hasAccounts: false,
      failedSources: [],
      recoveredSources: [],
    }));
  for (const { series = [], sourcesOf = [], accountsOf = [], turnedSources = [] } of changes) {
    for (const [companyId, key] of series) of(companyId).metricKeys.add(key);
    for (const companyId of sourcesOf) of(companyId).hasSources = true;
    for (const companyId of accountsOf) of(companyId).hasAccounts = true;
    for (const [companyId, provider, accountName, hasFailed] of turnedSources) {
      const { failedSources, recoveredSources } = of(companyId);
      (hasFailed ? failedSources : recoveredSources).push({ provider, accountName });
    }
  }
  return gathered;
}
