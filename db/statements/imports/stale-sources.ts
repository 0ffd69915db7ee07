import { failedStatus, type Imports, type SourceName, type StaleCompany } from '#core';
import { rowScopeOf } from '../../connections/row-scope.ts';
import { type Stores, sql } from '../../connections/store.ts';
import { tellOfLapse } from './changed-data.ts';

/** The conditions of the index of stale sources without an event. */
const isUntold = sql`status <> ${failedStatus} and not is_stale_told`;

/** Marks a source in the transaction of its event, so that only one process writes the event. */
export function createStaleSources({
  requests,
  scopes,
}: Pick<Stores, 'requests' | 'scopes'>): Pick<Imports, 'listUntoldStale' | 'tellStale'> {
  return {
    listUntoldStale: ({ now, after, limit }) => requests.run(statements.untold(now, after, limit)),

    tellStale: (companyId, now, tell) =>
      scopes.requests.scoped(rowScopeOf({ companyId })).transact(async (inside) => {
        // The lock of pushes and imports, because a running one may contain the awaited sync.
        const locked = await inside.first(sql`
          select from company_data_version where company_id = ${companyId}
          for update skip locked`);
        if (locked === null) return 0;
        const sources = await inside.run(sql<SourceName>`
          update source set is_stale_told = true
          where company_id = ${companyId} and ${isUntold} and stale_at <= ${now}::timestamptz
          returning provider, account_name as "accountName"`);
        if (sources.length > 0) await tellOfLapse(inside, { companyId, sources }, tell);
        return sources.length;
      }),
  };
}

/** Uses the index of stale sources without an event, so that it reads only what it returns. */
const statements = {
  untold: (now: Date, after: StaleCompany | null, limit: number) => sql<StaleCompany>`
    select company_id as "companyId", stale_at as "staleAt" from source
    where ${isUntold} and stale_at <= ${now}::timestamptz
      ${after ? sql`and (stale_at, company_id) > (${after.staleAt}::timestamptz, ${after.companyId})` : sql``}
    order by stale_at, company_id limit ${limit}`,
};
