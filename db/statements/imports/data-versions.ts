import type { RawBuilder } from 'kysely';
import type { DataChange } from '#core';
import { type StatementRunner, sql } from '../../connections/store.ts';

/**
 * Locks the versions of the companies' data, so that one transaction after the other changes it. Other changes of a
 * company, of its keys or consents, don't wait for this lock.
 *
 * @param companies a list of ids, or a query for them; locked in one order, so that no two transactions wait in a
 * circle
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
 * Gives each company a new version of its data. Every transaction that changes data that can be read runs this last:
 * without it, processes keep serving what they have cached. Lock the data of the companies first (`lockDataOf`).
 *
 * The version is the clock of the database in microseconds, so that a restored database doesn't repeat the versions
 * that it gave away after the backup.
 *
 * @param companies a query for their ids
 */
export const changeData = (companies: RawBuilder<unknown>) => sql<
  Pick<DataChange, 'companyId' | 'dataVersion'>
>`
  insert into company_data_version as kept (company_id, version)
  select company_id, (extract(epoch from clock_timestamp()) * 1000000)::bigint
  from (select distinct company_id from (${companies}) as input (company_id)) as company
  on conflict (company_id) do update set version = greatest(excluded.version, kept.version + 1)
  returning company_id as "companyId", version::text as "dataVersion"`;
