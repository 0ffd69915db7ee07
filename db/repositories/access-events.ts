import {
  type AccessEvent,
  type AccessEvents,
  type AccessRequest,
  type FeedEvent,
  type FeedQuery,
  maxHistory,
} from '#core';
import { type BatchLimits, batched } from '../batch.ts';
import { rowScopeOf } from '../row-scope.ts';
import { type Row, type StatementRunner, type Store, type Stores, sql } from '../store.ts';
import { type ReceiptRow, receiptColumns, toReceipt, withReceipt } from './proof/receipt-rows.ts';
import { toArray } from './rows.ts';

export type EventRow = Pick<
  Row<'access_event'>,
  'id' | 'type' | 'createdAt' | 'accessRequest' | 'actorType' | 'actorId' | 'reason'
>;

interface FeedRow
  extends EventRow,
    ReceiptRow,
    Pick<FeedEvent, 'position' | 'investorName' | 'companyName'> {}

export const eventColumns = sql`event.id, event.type, event.created_at as "createdAt",
  event.access_request as "accessRequest", event.actor_type as "actorType",
  event.actor_id as "actorId", event.reason`;

const feedColumns = sql`${eventColumns}, ${receiptColumns}, event.position::text as position,
  investor.name as "investorName", company.name as "companyName"`;

const withDetails = sql`${withReceipt}
  join investor on investor.id = event.investor_id
  join company on company.id = event.company_id`;

/** Each may bring `maxHistory` events. */
const historiesAtOnce = 100;

export function createAccessEvents(
  { scopes, requests: store }: Stores,
  limits: BatchLimits,
): AccessEvents {
  const within = (reader: FeedQuery['reader']) =>
    reader === null ? store : scopes.requests.scoped(rowScopeOf(reader));
  // Only one at a time can give positions, so all who wait for it come with the next.
  const number = batched(
    async (asked: readonly 'last'[]) => {
      const last = await numberEvents(store);
      return asked.map(() => last);
    },
    { ...limits, inFlight: 1 },
  );
  return {
    async read(query) {
      await number('last');
      const after = await beginOf(store, query);
      return readFeed(within(query.reader), { ...query, after });
    },

    async find(id) {
      return (await findFeedEvents(store, [id])).get(id) ?? null;
    },

    async findLast(reader) {
      await number('last');
      return within(reader).first(sql<Pick<FeedEvent, 'id' | 'position'>>`
        select event.id, event.position::text as position from access_event as event
        where event.position is not null ${ofReader(reader)}
        order by event.position desc limit 1`);
    },

    lastPosition: () => number('last'),

    history: batched(
      async (ids: readonly string[]) => {
        const rows = await store.run(sql<EventRow>`
          select event.* from unnest(${toArray([...new Set(ids)])}::text[]) as asked (request_id)
          cross join lateral (
            select ${eventColumns}, event.number from access_event as event
            where event.access_request_id = asked.request_id
            order by event.number desc limit ${maxHistory}
          ) as event
          order by event.number`);
        const events = Map.groupBy(rows.map(toEvent), ({ accessRequest }) => accessRequest.id);
        return ids.map((id) => events.get(id) ?? []);
      },
      { ...limits, size: historiesAtOnce },
    ),
  };
}

/** Gives positions to all events that are committed; answers the last one. */
async function numberEvents(store: StatementRunner): Promise<string> {
  const [row] = await store.run(sql<{ last: string }>`select number_access_events()::text as last`);
  return row?.last ?? '0';
}

/** By their ids, those of the given that have a position. */
export async function findFeedEvents(
  store: StatementRunner,
  ids: readonly string[],
): Promise<Map<string, FeedEvent>> {
  if (ids.length === 0) return new Map();
  const rows = await store.run(sql<FeedRow>`
    select ${feedColumns} from access_event as event ${withDetails}
    where event.id = any(${[...new Set(ids)]}::text[]) and event.position is not null`);
  return new Map(rows.map((row) => [row.id, toFeedEvent(row)]));
}

/** The later of what the reader has had, and the last event before its time. */
async function beginOf(store: Store, { after, since }: FeedQuery): Promise<string | null> {
  if (since === null) return after;
  // Outside of the reader's scope, or this would go back to its own last event, however long ago.
  const last = await store.first(statements.lastBefore(since));
  if (last === null) return after;
  return after !== null && BigInt(after) > BigInt(last.position) ? after : last.position;
}

/** Those that have a position. */
export async function readFeed(store: StatementRunner, query: FeedQuery): Promise<FeedEvent[]> {
  return (await store.run(statements.feed(query))).map(toFeedEvent);
}

/** Exported for the test that looks at their plans. */
export const statements = {
  // One step into an index. Clocks differ, and who began first may be numbered last, so events a little older are told.
  lastBefore: (since: Date) => sql<Pick<FeedEvent, 'position'>>`
    select position::text from access_event
    where created_at < ${since}::timestamptz - interval '1 hour' and position is not null
    order by created_at desc limit 1`,

  feed: ({ reader, after, since, limit }: FeedQuery) => sql<FeedRow>`
    select ${feedColumns} from access_event as event ${withDetails}
    where event.position > ${after ?? '0'}::bigint ${ofReader(reader)}
      and event.created_at >= ${since ?? '-infinity'}::timestamptz
    order by event.position limit ${limit}`,
};

function ofReader(reader: FeedQuery['reader']) {
  if (reader === null) return sql``;
  if ('companyId' in reader) return sql`and event.company_id = ${reader.companyId}`;
  return sql`and event.investor_id = ${reader.investorId} and exists (
    select from portfolio_membership as membership
    where membership.investor_id = event.investor_id and membership.company_id = event.company_id
  )`;
}

const toFeedEvent = ({ position, investorName, companyName, ...row }: FeedRow): FeedEvent => ({
  ...toEvent(row),
  position,
  investorName,
  companyName,
  receipt: toReceipt(row),
});

export const toEvent = ({
  id,
  type,
  createdAt,
  reason,
  actorType,
  actorId,
  accessRequest,
}: EventRow): AccessEvent => ({
  id,
  type,
  createdAt,
  reason,
  actor: { type: actorType, id: actorId },
  accessRequest: fromJson(accessRequest),
});

/** JSON keeps instants as text. */
const fromJson = (request: AccessRequest): AccessRequest => ({
  ...request,
  createdAt: new Date(request.createdAt),
  decidedAt: request.decidedAt && new Date(request.decidedAt),
  expiresAt: request.expiresAt && new Date(request.expiresAt),
  deadlineAt: new Date(request.deadlineAt),
  expiringAt: request.expiringAt && new Date(request.expiringAt),
});
