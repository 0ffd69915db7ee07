import type { RawBuilder } from 'kysely';
import type { AccessRequestStatus, GrantableScope, NewestRequest } from '#core';
import { sql } from '../store.ts';
import { toInstant, toScopes } from './rows.ts';

/** The newest request of a pair as it comes beside other columns; null in every column when there is none. */
export interface NewestRequestRow {
  request_id: string | null;
  request_status: AccessRequestStatus;
  /** As text. */
  request_scopes: string;
  request_deadline_at: string;
}

/** Joins the newest request of each pair, by one step into the index (investor, company, created_at). */
export const newestRequest = (investorId: RawBuilder<unknown>, companyId: RawBuilder<unknown>) =>
  sql`left join lateral (
    select id as request_id, status as request_status,
      approved_scopes::text as request_scopes, deadline_at as request_deadline_at
    from access_request
    where investor_id = ${investorId} and company_id = ${companyId}
    order by created_at desc, id desc
    limit 1
  ) as newest on true`;

export function toNewestRequest(row: NewestRequestRow): NewestRequest | null {
  if (row.request_id === null) return null;
  return {
    id: row.request_id,
    status: row.request_status,
    approvedScopes: toScopes<GrantableScope>(row.request_scopes),
    deadlineAt: toInstant(row.request_deadline_at),
  };
}
