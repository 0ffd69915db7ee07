import {
  type AccessEvent,
  type AccessEvents,
  type AccessRequest,
  type Actor,
  type DataEvent,
  type DataFeedEvent,
  type FeedEvent,
  type FeedQuery,
  type Grantee,
  maxHistory,
  type RequestFeedEvent,
  type SignInWay,
  scopesOfDataEvent,
} from '#core';
import { type BatchLimits, batchQuestions } from '../connections/batch.ts';
import { type StatementRunner, type Store, type Stores, sql } from '../connections/store.ts';
import { isOpen, membershipOf } from './memberships.ts';
import { type NewestRequestRow, newestColumns, toNewestRequest } from './newest-request.ts';
import { type ReceiptRow, receiptColumns, toReceipt, withReceipt } from './proof/receipt-rows.ts';
import { storeOf, toArray } from './rows.ts';

export interface EventRow extends Pick<AccessEvent, 'id' | 'type' | 'createdAt' | 'reason'> {
  readonly accessRequest: AccessRequest;
  readonly actorType: Actor['type'];
  readonly actorId: string | null;
  /** Null unless the actor is a contact. */
  readonly actorSignedInBy: SignInWay | null;
}

type GranteeRow = NewestRequestRow & Omit<Grantee, 'newestRequest'>;

type DataRow = Pick<DataFeedEvent, 'id' | 'type' | 'createdAt' | 'companyId' | 'data'>;

type FeedRow = (
  | (EventRow & ReceiptRow & Pick<RequestFeedEvent, 'investorName'> & { readonly data: null })
  | DataRow
) &
  Pick<FeedEvent, 'position' | 'companyName'>;

export const eventColumns = sql`event.id, event.type, event.created_at as "createdAt",
  event.access_request as "accessRequest", event.actor_type as "actorType",
  event.actor_id as "actorId", event.actor_signed_in_by as "actorSignedInBy", event.reason`;

const feedColumns = sql`${eventColumns}, ${receiptColumns}, event.position::text as position,
  event.company_id as "companyId", event.data,
  investor.name as "investorName", company.name as "companyName"`;

const withDetails = sql`${withReceipt}
  left join investor on investor.id = event.investor_id
  join company on company.id = event.company_id`;

/** The number of histories that one statement reads. Each history has up to `maxHistory` events. */
const historiesAtOnce = 100;

export function createAccessEvents(stores: Stores, limits: BatchLimits): AccessEvents {
  const store = stores.requests;
  // Only one statement at a time assigns feed positions. Reads that start meanwhile share the next statement.
  const number = batchQuestions(
    async (calls: readonly 'last'[]) => {
      const [row] = await store.run(
        sql<{ last: string }>`select number_access_events()::text as last`,
      );
      return calls.map(() => row?.last ?? '0');
    },
    { ...limits, inFlight: 1 },
  );
  return {
    async read(query) {
      await number('last');
      const after = await findStartPosition(store, query);
      return readFeed(storeOf(stores, query.reader), { ...query, after });
    },

    async find(id, reader = null) {
      return (await findFeedEvents(store, [id], isEverVisibleTo(reader))).get(id) ?? null;
    },

    async findLast(reader, data) {
      await number('last');
      const isPlaced = sql`event.position is not null`;
      return storeOf(stores, reader).first(sql<Pick<FeedEvent, 'id' | 'position'>>`
        select event.id, event.position::text as position
        from ${eventsOf({ reader, limit: 1, ...(data && { data }) }, isPlaced, sql`desc`)} as event
        order by event.position desc limit 1`);
    },

    findGranted: (companyIds) => findGranted(store, companyIds),

    lastPosition: () => number('last'),

    history: batchQuestions(
      async (ids: readonly string[]) => {
        const rows = await store.run(sql<EventRow>`
          select event.* from unnest(${toArray([...new Set(ids)])}::text[]) as question (request_id)
          cross join lateral (
            select ${eventColumns}, event.number from access_event as event
            where event.access_request_id = question.request_id
            order by event.number desc limit ${maxHistory}
          ) as event
          order by event.number`);
        const events = Map.groupBy(rows.map(toEvent), ({ accessRequest }) => accessRequest.id);
        return ids.map((id) => events.get(id) ?? []);
      },
      { ...limits, size: historiesAtOnce },
    ),

    deleteOldData: async (before, limit) =>
      (await store.run(statements.deleteOldData(before, limit))).length,
  };
}

/** Joins the membership of the company, if the investor can currently see the company. */
const inPortfolio = sql`
  join ${membershipOf(sql`newest.investor_id`, sql`newest.company_id`)} on ${isOpen}`;

export async function findGranted(
  store: StatementRunner,
  companyIds: readonly string[],
): Promise<Map<string, readonly Grantee[]>> {
  if (companyIds.length === 0) return new Map();
  const rows = await store.run(sql<GranteeRow>`
    select membership.company_id as "companyId", membership.investor_id as "investorId",
      ${newestColumns}
    from access_request as newest ${inPortfolio}
    where newest.company_id = any(${toArray([...new Set(companyIds)])}::text[])
      and newest.status = 'approved'`);
  const grantees = rows.flatMap((row) => {
    const newestRequest = toNewestRequest(row);
    const { companyId, investorId } = row;
    return newestRequest === null ? [] : [{ companyId, investorId, newestRequest }];
  });
  return Map.groupBy(grantees, ({ companyId }) => companyId);
}

/** Returns events by ID. Leaves out events that have no position yet. */
export async function findFeedEvents(
  store: StatementRunner,
  ids: readonly string[],
  condition = sql``,
): Promise<Map<string, FeedEvent>> {
  if (ids.length === 0) return new Map();
  const rows = await store.run(sql<FeedRow>`
    select ${feedColumns} from access_event as event ${withDetails}
    where event.id = any(${[...new Set(ids)]}::text[]) and event.position is not null ${condition}`);
  return new Map(rows.map((row) => [row.id, toFeedEvent(row)]));
}

/** Returns the position after which the feed starts: `after`, or the last position before `since` if that is later. */
async function findStartPosition(
  store: Store,
  { after, since }: FeedQuery,
): Promise<string | null> {
  if (since === null) return after;
  // Searches all events, not only those of the reader. The reader's own last event may be very old and slow to find.
  const last = await store.first(statements.lastBefore(since));
  if (last === null) return after;
  return after !== null && BigInt(after) > BigInt(last.position) ? after : last.position;
}

export async function readFeed(store: StatementRunner, query: FeedQuery): Promise<FeedEvent[]> {
  return (await store.run(statements.feed(query))).map(toFeedEvent);
}

export const statements = {
  // The extra hour allows for clocks that differ and for transactions that overlap.
  lastBefore: (since: Date) => sql<Pick<FeedEvent, 'position'>>`
    select position::text from access_event
    where created_at < ${since}::timestamptz - interval '1 hour' and position is not null
    order by created_at desc limit 1`,

  feed: ({ after, until, since, types, ...query }: FeedQuery) => sql<FeedRow>`
    select ${feedColumns}
    from ${eventsOf(
      query,
      sql`event.position > ${after ?? '0'}::bigint
        ${until == null ? sql`` : sql`and event.position <= ${until}::bigint`}
        and event.created_at >= ${since ?? '-infinity'}::timestamptz
        ${types == null ? sql`` : sql`and event.type = any(${toArray(types)}::text[])`}`,
      sql`asc`,
    )} as event ${withDetails}
    order by event.position limit ${query.limit}`,

  // `offset 0` keeps the planner from joining the events with all deliveries.
  deleteOldData: (before: Date, limit: number) => sql`
    delete from access_event where number in (
      select number from access_event as event
      where event.investor_id is null and event.created_at < ${before}
        and event.position is not null
        and not exists (select from webhook_delivery where event_id = event.id offset 0)
      order by event.created_at limit ${limit})
    returning 1`,
};

type Condition = ReturnType<typeof sql>;

/**
 * Selects the first events that the reader may see, in the given order. For an investor, uses one index scan for the
 * events of access requests, and one index scan per company for data events.
 */
function eventsOf(
  { reader, companyId, data, limit }: Pick<FeedQuery, 'reader' | 'companyId' | 'data' | 'limit'>,
  condition: Condition,
  order: Condition,
): Condition {
  const first = (source: Condition, where: Condition) => sql`(
    select event.* from ${source} where ${where} order by event.position ${order} limit ${limit})`;
  const of = (table: Condition) =>
    companyId == null ? sql`` : sql`and ${table}.company_id = ${companyId}`;
  const own = (where: Condition) =>
    first(sql`access_event as event`, sql`${condition} ${of(sql`event`)} ${where}`);
  if (reader === null) return own(sql``);
  if ('companyId' in reader) return own(sql`and event.company_id = ${reader.companyId}`);
  const { investorId } = reader;
  const ofRequests = own(sql`and event.investor_id = ${investorId} and exists (
    select from portfolio_membership as membership
    where membership.investor_id = event.investor_id and membership.company_id = event.company_id
      and ${isOpen})`);
  if (data === undefined) return ofRequests;
  const ofCompany = own(sql`and event.company_id = newest.company_id and event.investor_id is null
    and exists (select from unnest(newest.approved_scopes) as granted
      where granted = any(event.scopes) and granted = any(${toArray(data.scopes)}::text[]))`);
  const ofData = first(
    sql`access_request as newest ${inPortfolio} cross join lateral ${ofCompany} as event`,
    sql`newest.investor_id = ${investorId} ${of(sql`newest`)} and newest.status = 'approved'
      and newest.deadline_at > ${data.now}`,
  );
  return sql`(${ofRequests} union all ${ofData})`;
}

/** Selects the reader's events. For an investor, includes the data events of companies that have left the portfolio. */
function isEverVisibleTo(reader: FeedQuery['reader']): Condition {
  if (reader === null) return sql``;
  if ('companyId' in reader) return sql`and event.company_id = ${reader.companyId}`;
  return sql`and (event.investor_id = ${reader.investorId} or (event.investor_id is null and exists (
    select from portfolio_membership as membership
    where membership.investor_id = ${reader.investorId}
      and membership.company_id = event.company_id)))`;
}

function toFeedEvent(row: FeedRow): FeedEvent {
  const { position, companyName } = row;
  if (row.data !== null) {
    const { id, type, createdAt, companyId, data } = row;
    return { id, type, createdAt, companyId, data, position, companyName } as DataFeedEvent;
  }
  const { investorName } = row;
  return { ...toEvent(row), position, investorName, companyName, receipt: toReceipt(row) };
}

export async function addDataEvents(
  inside: StatementRunner,
  events: readonly DataEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => ({
    id: event.id,
    type: event.type,
    created_at: event.createdAt,
    company_id: event.companyId,
    data: event.data,
    scopes: scopesOfDataEvent(event),
  }));
  await inside.run(sql`
    insert into access_event (id, type, created_at, company_id, data, scopes)
    select id, type, created_at, company_id, data, scopes
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as event (id text, type text, created_at timestamptz, company_id text, data jsonb, scopes text[])`);
}

export const toEvent = ({
  id,
  type,
  createdAt,
  reason,
  actorType,
  actorId,
  actorSignedInBy: signedInBy,
  accessRequest,
}: EventRow): AccessEvent => ({
  id,
  type,
  createdAt,
  reason,
  actor: { type: actorType, id: actorId, ...(signedInBy && { signedInBy }) } as Actor,
  accessRequest: fromJson(accessRequest),
});

/** Converts times to dates, because JSON stores times as text. */
const fromJson = (request: AccessRequest): AccessRequest => ({
  ...request,
  createdAt: new Date(request.createdAt),
  decidedAt: request.decidedAt && new Date(request.decidedAt),
  expiresAt: request.expiresAt && new Date(request.expiresAt),
  deadlineAt: new Date(request.deadlineAt),
  expiringAt: request.expiringAt && new Date(request.expiringAt),
  reviewAt: request.reviewAt && new Date(request.reviewAt),
  pausedAt: request.pausedAt && new Date(request.pausedAt),
  firstReadAt: request.firstReadAt && new Date(request.firstReadAt),
});
