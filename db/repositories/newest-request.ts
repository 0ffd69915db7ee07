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

/** The newest request of the pair, as its row of access_standing has it. */
export const newestColumns = sql`standing.newest_id as "newestId",
  standing.newest_status as "newestStatus", standing.newest_approved_scopes::text as "newestScopes",
  standing.newest_pending_scopes::text as "newestPendingScopes",
  standing.newest_deadline_at as "newestDeadlineAt",
  standing.newest_declined_at as "newestDeclinedAt"`;

/** How a pair stands. Without the offset the planner may read all pairs of the investor to find one of them. */
export const standingOf = (investorId: RawBuilder<unknown>, companyId: RawBuilder<unknown>) =>
  sql`left join lateral (
    select * from access_standing
    where investor_id = ${investorId} and company_id = ${companyId}
    offset 0
  ) as standing on true`;

export const standingOfMembership = standingOf(
  sql`membership.investor_id`,
  sql`membership.company_id`,
);

/** The access that the newest request amounts to, as the core decides it. */
export const accessAt = (now: RawBuilder<unknown>) => sql`case
  when standing.newest_status in ('pending', 'approved') and standing.newest_deadline_at > ${now}
    then standing.newest_status
  when standing.newest_status = 'revoked' then 'revoked'
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

/** A company of a portfolio with the newest request of its pair; none that is suspended. */
export type PortfolioRow = Omit<Row<'company'>, 'suspendedAt'> & NewestRequestRow;

export const toEntry = (row: PortfolioRow): PortfolioEntry => ({
  company: { id: row.id, name: row.name, environment: row.environment, createdAt: row.createdAt },
  newestRequest: toNewestRequest(row),
});
