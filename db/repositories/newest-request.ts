import type { AccessRequestStatus, GrantableScope, NewestRequest } from '#core';
import { toInstant } from './rows.ts';

/** The newest request of a pair as it comes beside other columns; null in every column when there is none. */
export interface NewestRequestRow {
  request_id: string | null;
  request_status: AccessRequestStatus;
  request_scopes: GrantableScope[];
  request_lapses_at: string;
}

export function toNewestRequest(row: NewestRequestRow): NewestRequest | null {
  if (row.request_id === null) return null;
  return {
    id: row.request_id,
    status: row.request_status,
    approvedScopes: row.request_scopes,
    lapsesAt: toInstant(row.request_lapses_at),
  };
}
