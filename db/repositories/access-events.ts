import type { AccessEvent, AccessEventType, AccessRequest } from '#core';
import { toInstant, toInstantOrNull } from './rows.ts';

/** An access request as JSON keeps it. */
type Snapshot = {
  [Field in keyof AccessRequest]: AccessRequest[Field] extends Date
    ? string
    : AccessRequest[Field] extends Date | null
      ? string | null
      : AccessRequest[Field];
};

export interface AccessEventRow {
  id: string;
  type: AccessEventType;
  created_at: string;
  access_request: Snapshot;
}

export function toAccessEvent(row: AccessEventRow): AccessEvent {
  const snapshot = row.access_request;
  return {
    id: row.id,
    type: row.type,
    createdAt: toInstant(row.created_at),
    accessRequest: {
      ...snapshot,
      createdAt: toInstant(snapshot.createdAt),
      decidedAt: toInstantOrNull(snapshot.decidedAt),
      expiresAt: toInstantOrNull(snapshot.expiresAt),
      deadlineAt: toInstant(snapshot.deadlineAt),
    },
  };
}
