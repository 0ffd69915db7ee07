import type { RawBuilder } from 'kysely';
import type { GrantableScope, NewestRequest, PortfolioEntry } from '#core';
import { type Row, sql } from '../store.ts';
import { toScopes } from './rows.ts';

/** The newest request of a pair beside other columns. Every column is null when there is none. */
export interface NewestRequestRow {
  readonly newestId: string | null;
  readonly newestStatus: Row<'access_request'>['status'];
  /** As text. */
  readonly newestScopes: string;
  /** As text. */
  readonly newestPendingScopes: string;
  readonly newestDeadlineAt: Date;
  readonly newestDeclinedAt: Date | null;
}

/** Joins the newest request of each pair, by one step into the index (investor, company, created_at). */
export const newestRequest = (investorId: RawBuilder<unknown>, companyId: RawBuilder<unknown>) =>
  sql`left join lateral (
    select id as "newestId", status as "newestStatus",
      approved_scopes::text as "newestScopes", pending_scopes::text as "newestPendingScopes",
      deadline_at as "newestDeadlineAt",
      case when status = 'declined' or addition_declined then decided_at end as "newestDeclinedAt"
    from access_request
    where investor_id = ${investorId} and company_id = ${companyId}
    order by created_at desc, id desc
    limit 1
  ) as newest on true`;

/** The access that the newest request amounts to, as the core decides it. */
export const accessAt = (now: RawBuilder<unknown>) => sql`case
  when newest."newestStatus" in ('pending', 'approved') and newest."newestDeadlineAt" > ${now}
    then newest."newestStatus"
  when newest."newestStatus" = 'revoked' then 'revoked'
  else 'none' end`;

export function toNewestRequest(row: NewestRequestRow): NewestRequest | null {
  if (row.newestId === null) return null;
  return {
    id: row.newestId,
    status: row.newestStatus,
    approvedScopes: toScopes<GrantableScope>(row.newestScopes),
    pendingScopes: toScopes<GrantableScope>(row.newestPendingScopes),
    deadlineAt: row.newestDeadlineAt,
    declinedAt: row.newestDeclinedAt,
  };
}

export const newestOfMembership = newestRequest(
  sql`membership.investor_id`,
  sql`membership.company_id`,
);

/** A company of a portfolio with the newest request of its pair. */
export type PortfolioRow = Row<'company'> & NewestRequestRow;

export const toEntry = (row: PortfolioRow): PortfolioEntry => ({
  company: { id: row.id, name: row.name, environment: row.environment, createdAt: row.createdAt },
  newestRequest: toNewestRequest(row),
});
