import type { RawBuilder } from 'kysely';
import type { DataChange } from '#core';
import { type StatementRunner, sql } from '../../connections/store.ts';

/**
 * Locks the data of companies, so that only one transaction at a time changes the data. Changes to keys or consents
 * don't wait for this lock.
 *
 * @param companies a list of IDs, or a query that returns IDs. The companies are locked in one fixed order, to prevent
 *   deadlocks
 */
export async function lockDataOf(
  store: StatementRunner,
  companies: RawBuilder<unknown>,
): Promise<void> {
  await store.run(sql`
    insert into company_data_version (company_id, version)
    select id, 0 from company where id in (${companies}) order by id
    on conflict do nothing`);
  await store.run(sql`
    select count(*) from (
      select from company_data_version where company_id in (${companies})
      order by company_id for update
    ) as locked`);
}

/**
 * Raises the data version of companies. Processes cache data by version, so every transaction that changes readable
 * data must run this statement last. Call `lockDataOf` first.
 *
 * A version is the time of the database in microseconds. So a database that was restored from a backup doesn't use a
 * version again.
 *
 * @param companies a query that returns the IDs of the companies
 */
export const changeData = (companies: RawBuilder<unknown>) => sql<
  Pick<DataChange, 'companyId' | 'dataVersion'>
>`
  insert into company_data_version as kept (company_id, version)
  select company_id, (extract(epoch from clock_timestamp()) * 1000000)::bigint
  from (select distinct company_id from (${companies}) as input (company_id)) as company
  on conflict (company_id) do update set version = greatest(excluded.version, kept.version + 1)
  returning company_id as "companyId", version::text as "dataVersion"`;
