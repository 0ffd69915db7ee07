import type { RawBuilder } from 'kysely';
import type { Investor } from '#core';
import { sql } from '../connections/store.ts';
import { suspendedIds } from './rows.ts';

/** True if the investor can see the company: it is in the portfolio, and neither of the two is suspended. */
export const isOpen = sql`membership.removed_at is null
  and membership.company_id <> all(${suspendedIds.company})
  and membership.investor_id <> all(${suspendedIds.investor})`;

/**
 * Joins the membership of an investor and a company. `offset 0` keeps the condition inside the subquery. Otherwise, a
 * plan from a time without table statistics would read all memberships.
 */
export const membershipOf = (investorId: RawBuilder<unknown>, companyId: RawBuilder<unknown>) =>
  sql`lateral (
    select * from portfolio_membership
    where investor_id = ${investorId} and company_id = ${companyId} offset 0
  ) as membership`;

/** Restores a removed membership. */
export const restoreMembership = sql`do update
  set added_at = excluded.added_at, company_name = excluded.company_name, removed_at = null
  where portfolio_membership.removed_at is not null`;

/**
 * Adds companies to a portfolio, each with a copy of its name. This statement and a renaming of the company wait for
 * each other's lock, so that the copy is never outdated. If investor and company have different environments, a foreign
 * key rejects the membership.
 */
export const addMemberships = (
  { id, environment }: Pick<Investor, 'id' | 'environment'>,
  companyIds: readonly string[],
  addedAt: Date,
) => sql`
  insert into portfolio_membership (investor_id, company_id, environment, added_at, company_name)
  select ${id}, added.id, ${environment}, ${addedAt}::timestamptz,
    (select name from company where company.id = added.id for share)
  from unnest(${companyIds}::text[]) as added (id)
  on conflict (investor_id, company_id) ${restoreMembership}
  returning company_id`;

/**
 * Copies the names of companies to their memberships. Run this statement separately after the renaming. Only a separate
 * statement sees memberships that were committed while the renaming waited for its lock.
 *
 * @param companies a query that returns the IDs of the companies
 */
export const copyNames = (companies: RawBuilder<unknown>) => sql`
  update portfolio_membership as membership set company_name = company.name
  from company where company.id = membership.company_id and company.id in (${companies})
    and membership.company_name <> company.name`;
