import type { RawBuilder } from 'kysely';
import type {
  AccessRequestStatus,
  AccessRequests,
  Cursor,
  DueRequests,
  ReceivedRequests,
  RequestsToAnswer,
} from '#core';
import { type BatchLimits, batched } from '../batch.ts';
import { AccessRequestEntity } from '../entities/consent.ts';
import { columnsOf, type Row, type Store, type Stores, sql } from '../store.ts';
import { createTransaction } from './access-request-transaction.ts';

const { lastReceiptId: _, ...properties } = AccessRequestEntity.properties;
const columns = columnsOf({ properties }, 'access_request');

type RequestRow = Omit<Row<'access_request'>, 'lastReceiptId'>;

const newestFirst = ({ build }: Store) =>
  build
    .selectFrom('access_request')
    .select(Object.keys(properties) as (keyof RequestRow)[])
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc');

const received = ({ companyId, status, now, before, limit }: ReceivedRequests) => sql<
  RequestRow & { investorName: string }
>`
  select ${columns}, investor.name as "investorName"
  from access_request join investor on investor.id = access_request.investor_id
  where company_id = ${companyId}
    ${before === null ? sql`` : sql`and (access_request.created_at, access_request.id) < (${before.instant}, ${before.id})`}
    ${status === undefined ? sql`` : sql`and ${hasStatus(status, now)}`}
  order by access_request.created_at desc, access_request.id desc limit ${limit}`;

/** A live request whose deadline has come is expired, whatever was written last. */
function hasStatus(status: AccessRequestStatus, now: Date) {
  const isOver = sql`(status in ('pending', 'approved') and deadline_at <= ${now})`;
  return status === 'expired'
    ? sql<boolean>`(status = 'expired' or ${isOver})`
    : sql<boolean>`(status = ${status} and not ${isOver})`;
}

const dueBy = (
  instant: RawBuilder<unknown>,
  isListed: RawBuilder<unknown>,
  { now, after, limit }: DueRequests,
) => sql<Cursor>`
  select ${instant} as instant, id from access_request
  where ${isListed} and ${instant} <= ${now}
    ${after === null ? sql`` : sql`and (${instant}, id) > (${after.instant}, ${after.id})`}
  order by ${instant}, id limit ${limit}`;

/** Exported for the test that looks at their plans. */
export const statements = {
  dueBy,
  // A company has few requests that wait for it, and may have many grants.
  toAnswer: ({ answering, ending, decidedBy, limit }: RequestsToAnswer) => sql<{ id: string }>`
    select due.id from (
      select id, company_id, created_at from access_request
      where company_id = any(${answering}::text[])
        and (status = 'pending' or cardinality(pending_scopes) > 0)
      union
      select id, company_id, created_at from access_request
      where company_id = any(${ending}::text[])
        and status in ('pending', 'approved') and decided_at <= ${decidedBy}
    ) as due
    join company on company.id = due.company_id and company.environment = 'test'
    order by due.created_at, due.id limit ${limit}`,
};

export function createAccessRequests(
  { requests: store, batches }: Stores,
  limits: BatchLimits,
): AccessRequests {
  return {
    find: batched(async (ids: readonly string[]) => {
      const rows = await batches.run(
        sql<RequestRow>`select ${columns} from access_request
          where id = any(${[...new Set(ids)]}::text[])`,
      );
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? null);
    }, limits),

    list({ investorId, companyId, status, now, limit }) {
      let query = newestFirst(store).limit(limit);
      if (investorId !== undefined) query = query.where('investorId', '=', investorId);
      if (companyId !== undefined) query = query.where('companyId', '=', companyId);
      if (status !== undefined) query = query.where(hasStatus(status, now));
      return store.run(query);
    },

    async listReceived(page) {
      const rows = await store.run(received(page));
      return rows.map(({ investorName, ...accessRequest }) => ({
        accessRequest,
        investor: { id: accessRequest.investorId, name: investorName },
      }));
    },

    listPastDeadline: (page) =>
      store.run(dueBy(sql`deadline_at`, sql`status in ('pending', 'approved')`, page)),

    listExpiring: (page) => store.run(dueBy(sql`expiring_at`, sql`expiring_at is not null`, page)),

    async listToAnswer(query) {
      const rows = await store.run(statements.toAnswer(query));
      return rows.map(({ id }) => id);
    },

    transact: (work) => store.transact((inside) => work(createTransaction(inside))),
  };
}
