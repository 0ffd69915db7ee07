import type { RawBuilder } from 'kysely';
import type { AccessTerms, GrantableScope, NewestRequest, PortfolioEntry } from '#core';
import { type Row, sql } from '../connections/store.ts';
import { toScopes } from './rows.ts';

/** All columns are null if the investor has never requested access to the company. Scopes are text. */
export interface NewestRequestRow {
  readonly newestId: string | null;
  readonly newestStatus: Row<'access_request'>['status'];
  readonly newestScopes: string;
  readonly newestPendingScopes: string;
  readonly newestDeadlineAt: Date;
  readonly newestDeclinedAt: Date | null;
  /** Null if the grant has no terms and isn't paused, which is the usual case. So the three values share one column. */
  readonly newestLimits: {
    readonly terms: AccessTerms | null;
    readonly pausedAt: string | null;
    readonly firstReadAt: string | null;
  } | null;
}

export const newestColumns = sql`newest.id as "newestId", newest.status as "newestStatus",
  newest.approved_scopes::text as "newestScopes", newest.pending_scopes::text as "newestPendingScopes",
  newest.deadline_at as "newestDeadlineAt",
  case when newest.status = 'declined' or newest.addition_declined
    then newest.decided_at end as "newestDeclinedAt",
  case when newest.approved_terms is not null or newest.paused_at is not null
    then json_build_object('terms', newest.approved_terms, 'pausedAt', newest.paused_at,
      'firstReadAt', newest.first_read_at) end as "newestLimits"`;

/** Joins the newest request in one step of the index `access_request_newest_of_pair`. */
export const newestOfMembership = sql`
  left join lateral (
    select * from access_request
    where investor_id = membership.investor_id and company_id = membership.company_id
    order by created_at desc, id desc limit 1
  ) as newest on true`;

/** Repeats the core's rule for the access that an access request gives, because SQL needs the rule to filter pages. */
export const accessAt = (now: RawBuilder<unknown>) => sql`case
  when newest.status in ('pending', 'approved') and newest.deadline_at > ${now} then newest.status
  when newest.status = 'revoked' then 'revoked'
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
    ...(row.newestLimits === null ? withoutLimits : toLimits(row.newestLimits)),
  };
}

const withoutLimits = { approvedTerms: null, pausedAt: null, firstReadAt: null };

const toLimits = ({
  terms,
  pausedAt,
  firstReadAt,
}: NonNullable<NewestRequestRow['newestLimits']>) => ({
  approvedTerms: terms,
  pausedAt: pausedAt === null ? null : new Date(pausedAt),
  firstReadAt: firstReadAt === null ? null : new Date(firstReadAt),
});

/** Leaves out `suspendedAt`, because portfolios never contain suspended companies. */
export type PortfolioRow = Omit<Row<'company'>, 'suspendedAt'> & NewestRequestRow;

export const toEntry = (row: PortfolioRow): PortfolioEntry => ({
  company: { id: row.id, name: row.name, environment: row.environment, createdAt: row.createdAt },
  newestRequest: toNewestRequest(row),
});
