import {
  AccessError,
  type AccessEvent,
  type AccessRequest,
  type AccessRequestStatus,
  type AccessRequests,
  type AccessRequestTransaction,
  type GrantableScope,
} from '#core';
import { type BatchLimits, batched } from '../batch.ts';
import { AccessEventEntity } from '../entities/access-event.ts';
import { AccessRequestEntity } from '../entities/access-request.ts';
import { IdempotencyKeyEntity } from '../entities/idempotency-key.ts';
import { read, type Store, sql, transact, write } from '../store.ts';
import type { Stores } from '../stores.ts';
import { type AccessEventRow, toAccessEvent } from './access-events.ts';
import { toInstant, toInstantOrNull } from './rows.ts';

interface AccessRequestRow {
  id: string;
  investor_id: string;
  company_id: string;
  requested_scopes: GrantableScope[];
  approved_scopes: GrantableScope[];
  status: AccessRequestStatus;
  purpose: string | null;
  reason: string | null;
  created_at: string;
  decided_at: string | null;
  expires_at: string | null;
  deadline_at: string;
}

const columns = sql`id, investor_id, company_id, requested_scopes, approved_scopes, status, purpose,
  reason, created_at, decided_at, expires_at, deadline_at`;
const newestFirst = sql`order by created_at desc, id desc`;

function toAccessRequest(row: AccessRequestRow): AccessRequest {
  return {
    id: row.id,
    investorId: row.investor_id,
    companyId: row.company_id,
    requestedScopes: row.requested_scopes,
    approvedScopes: row.approved_scopes,
    status: row.status,
    purpose: row.purpose,
    reason: row.reason,
    createdAt: toInstant(row.created_at),
    decidedAt: toInstantOrNull(row.decided_at),
    expiresAt: toInstantOrNull(row.expires_at),
    deadlineAt: toInstant(row.deadline_at),
  };
}

async function readRequests(
  store: Pick<Store, 'kysely'>,
  statement: ReturnType<typeof sql<AccessRequestRow>>,
): Promise<AccessRequest[]> {
  return (await read(store, statement)).map(toAccessRequest);
}

export function createAccessRequests(
  { requests: store, questions }: Stores,
  limits: BatchLimits,
): AccessRequests {
  return {
    find: batched(async (ids: readonly string[]) => {
      const rows = await questions.run(
        sql<AccessRequestRow>`select ${columns} from access_request
          where id = any(${[...new Set(ids)]}::text[])`,
      );
      const found = new Map(rows.map((row) => [row.id, toAccessRequest(row)]));
      return ids.map((id) => found.get(id) ?? null);
    }, limits),

    list({ investorId, companyId }) {
      const conditions = [
        ...(investorId === undefined ? [] : [sql`investor_id = ${investorId}`]),
        ...(companyId === undefined ? [] : [sql`company_id = ${companyId}`]),
      ];
      const where =
        conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
      return readRequests(
        store,
        sql`select ${columns} from access_request ${where} ${newestFirst}`,
      );
    },

    async listEvents() {
      const rows = await read(
        store,
        sql<AccessEventRow>`select id, type, created_at, access_request
          from access_event order by position`,
      );
      return rows.map(toAccessEvent);
    },

    async listLapsed(now, limit) {
      const rows = await read(
        store,
        sql<{ id: string }>`select id from access_request
          where status in ('pending', 'approved') and deadline_at <= ${now}
          order by deadline_at, id
          limit ${limit}`,
      );
      return rows.map(({ id }) => id);
    },

    transact: (work) => transact(store, (inside) => work(createTransaction(inside))),
  };
}

function createTransaction(store: Store): AccessRequestTransaction {
  return {
    async lock(id) {
      const found = await readRequests(
        store,
        sql`select ${columns} from access_request where id = ${id} for update`,
      );
      return found[0] ?? null;
    },

    async lockNewest(investorId, companyId) {
      const found = await readRequests(
        store,
        sql`select ${columns} from access_request
          where investor_id = ${investorId} and company_id = ${companyId}
          ${newestFirst} limit 1
          for update`,
      );
      return found[0] ?? null;
    },

    /** Waits for another transaction that is adding one for the pair, and then knows. */
    async add(request) {
      const added = await write(
        store,
        sql`insert into access_request (${columns})
          values (${request.id}, ${request.investorId}, ${request.companyId},
            ${[...request.requestedScopes]}, ${[...request.approvedScopes]}, ${request.status},
            ${request.purpose}, ${request.reason}, ${request.createdAt}, ${request.decidedAt},
            ${request.expiresAt}, ${request.deadlineAt})
          on conflict (investor_id, company_id) where status in ('pending', 'approved')
          do nothing`,
      );
      return added === 1;
    },

    async save({ id, ...request }) {
      const saved = await store.em.nativeUpdate(
        AccessRequestEntity,
        { id },
        {
          ...request,
          requestedScopes: [...request.requestedScopes],
          approvedScopes: [...request.approvedScopes],
        },
      );
      if (saved !== 1) throw new Error(`there is no access request ${id} to save`);
    },

    async addEvent({ id, type, createdAt, accessRequest }: AccessEvent) {
      await store.em.insert(AccessEventEntity, {
        id,
        type,
        createdAt,
        accessRequestId: accessRequest.id,
        accessRequest,
      });
    },

    async completeClaim({ id: claimId, investorId, key }, outcome, accessRequestId) {
      const completed = await store.em.nativeUpdate(
        IdempotencyKeyEntity,
        { investorId, key, claimId, outcome: null },
        { outcome, accessRequestId },
      );
      if (completed !== 1) throw new AccessError('idempotency_key_in_use');
    },
  };
}
