import { failedStatus, type Imports, type SourceName, type StaleCompany } from '#core';
import { type Stores, sql } from '../../connections/store.ts';
import { writeStaleEvents } from './changed-data.ts';

/** Must equal the condition of the index `source_by_unreported_staleness`, so that PostgreSQL can use the index. */
const isUnreported = sql`status <> ${failedStatus} and not is_stale_reported`;

/** Marks sources as stale in the same transaction as their event, so that only one process writes the event. */
export function createStaleSources({
  requests,
  scopes,
}: Pick<Stores, 'requests' | 'scopes'>): Pick<Imports, 'listUnreportedStale' | 'writeStaleEvents'> {
  return {
    listUnreportedStale: ({ now, after, limit }) =>
      requests.run(sql<StaleCompany>`
        select company_id as "companyId", stale_at as "staleAt" from source
        where ${isUnreported} and stale_at <= ${now}::timestamptz
          ${after ? sql`and (stale_at, company_id) > (${after.staleAt}::timestamptz, ${after.companyId})` : sql``}
        order by stale_at, company_id limit ${limit}`),

    writeStaleEvents: (companyId, now, createEvents) =>
      scopes.requests.scoped({ companies: [companyId] }).transact(async (inside) => {
        // Skips a company with a running push, because the push may update the stale source.
        const locked = await inside.first(sql`
          select from company_data_version where company_id = ${companyId}
          for update skip locked`);
        if (locked === null) return 0;
        const sources = await inside.run(sql<SourceName>`
          update source set is_stale_reported = true
          where company_id = ${companyId} and ${isUnreported} and stale_at <= ${now}::timestamptz
          returning provider, account_name as "accountName"`);
        if (sources.length > 0)
          await writeStaleEvents(inside, { companyId, sources }, createEvents);
        return sources.length;
      }),
  };
}
