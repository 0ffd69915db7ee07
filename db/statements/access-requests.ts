import type { RawBuilder } from 'kysely';
import type {
  AccessRequestStatus,
  AccessRequests,
  Cursor,
  DueRequests,
  EndingGrants,
  Investor,
  ListedRequest,
  ListedRequests,
  ReceivedRequests,
  RequestFilter,
  RequestsToAnswer,
  WaitingRequests,
} from '#core';
import { type BatchLimits, batchQuestions } from '../connections/batch.ts';
import { rowScopeOf } from '../connections/row-scope.ts';
import { columnsOf, type Row, type Stores, sql } from '../connections/store.ts';
import { AccessRequestEntity } from '../entities/consent.ts';
import { createTransaction } from './access-request-transaction.ts';
import { checkCredential } from './acting-credentials.ts';
import { isOpen } from './memberships.ts';

const columns = columnsOf(AccessRequestEntity, 'access_request');

type RequestRow = Row<'access_request'>;

const toCursorRow = ({ instant, id }: Cursor) => sql`(${instant}, ${id})`;

interface ReceivedRow extends RequestRow {
  readonly investorName: string;
  readonly isInPortfolio: boolean;
}

const selectReceived = sql`
  select ${columns}, investor.name as "investorName",
    exists (
      select from portfolio_membership as membership
      where membership.investor_id = access_request.investor_id
        and membership.company_id = access_request.company_id and ${isOpen}
    ) as "isInPortfolio"
  from access_request join investor on investor.id = access_request.investor_id`;

const pageOfCompany = (
  { companyId, before, limit }: Pick<ReceivedRequests, 'companyId' | 'before' | 'limit'>,
  isListed: RawBuilder<unknown>,
) => sql<ReceivedRow>`
  ${selectReceived} where access_request.company_id = ${companyId}
    ${before === null ? sql`` : sql`and (access_request.created_at, access_request.id) < ${toCursorRow(before)}`}
    and ${isListed}
  order by access_request.created_at desc, access_request.id desc limit ${limit}`;

const isUndecided = sql`(status = 'pending' or cardinality(pending_scopes) > 0 or pending_terms is not null)`;

const isLive = sql`status in ('pending', 'approved')`;

const waits = (now: Date) => sql`${isUndecided} and deadline_at > ${now}`;

function toReceived(rows: readonly ReceivedRow[]): ListedRequest[] {
  return rows.map(({ investorName, isInPortfolio, ...accessRequest }) => ({
    accessRequest,
    isInPortfolio,
    investor: { id: accessRequest.investorId, name: investorName },
  }));
}

/** A live request is treated as expired after its deadline, even before its status changes to `expired`. */
function hasStatus(status: AccessRequestStatus, now: Date) {
  const isOver = sql`(${isLive} and deadline_at <= ${now})`;
  return status === 'expired'
    ? sql<boolean>`(status = 'expired' or ${isOver})`
    : sql<boolean>`(status = ${status} and not ${isOver})`;
}

const selectDue = (
  instant: RawBuilder<unknown>,
  isListed: RawBuilder<unknown>,
  { now, after, limit }: DueRequests,
) => sql<Cursor>`
  select ${instant} as instant, id from access_request
  where ${isListed} and ${instant} <= ${now}
    ${after === null ? sql`` : sql`and (${instant}, id) > (${after.instant}, ${after.id})`}
  order by ${instant}, id limit ${limit}`;

const conditionsOf = ({ investorId, companyId, status, now }: RequestFilter) => [
  sql`true`,
  ...(investorId === undefined ? [] : [sql`investor_id = ${investorId}`]),
  ...(companyId === undefined ? [] : [sql`company_id = ${companyId}`]),
  ...(status === undefined ? [] : [hasStatus(status, now)]),
];

export const statements = {
  list({ olderThan, newerThan, isOldestFirst, limit, ...filter }: ListedRequests) {
    const conditions = [
      ...conditionsOf(filter),
      ...(olderThan ? [sql`(created_at, id) < ${toCursorRow(olderThan)}`] : []),
      ...(newerThan ? [sql`(created_at, id) > ${toCursorRow(newerThan)}`] : []),
    ];
    const direction = sql.raw(isOldestFirst ? 'asc' : 'desc');
    return sql<RequestRow>`
      select ${columns} from access_request
      where ${sql.join(conditions, sql` and `)}
      order by created_at ${direction}, id ${direction} limit ${limit}`;
  },

  count: (filter: RequestFilter) => sql<{ count: string }>`
    select count(*) from access_request where ${sql.join(conditionsOf(filter), sql` and `)}`,

  dueBy: selectDue,

  waiting: (page: WaitingRequests & Pick<ReceivedRequests, 'before'>) =>
    pageOfCompany(page, waits(page.now)),

  countOfWaiting: ({ companyId, now, limit }: WaitingRequests) => sql<{ count: string }>`
    select count(*) from (
      select from access_request where company_id = ${companyId} and ${waits(now)}
      order by created_at desc limit ${limit}
    ) as waiting`,

  ending: ({ companyId, now, until, limit }: EndingGrants) => sql<ReceivedRow>`
    ${selectReceived} where access_request.company_id = ${companyId} and status = 'approved'
      and deadline_at > ${now} and deadline_at <= ${until}
    order by deadline_at, access_request.id limit ${limit}`,

  inReview: ({ companyId, now, limit }: WaitingRequests) => sql<ReceivedRow>`
    ${selectReceived} where access_request.company_id = ${companyId} and status = 'approved'
      and deadline_at > ${now} and last_event_type = 'access_request.review_due'
    order by decided_at, access_request.id limit ${limit}`,

  // Jumps from one investor to the next in the index, so the number of requests per investor doesn't matter.
  requestingInvestors: (companyId: string, limit: number) => sql<Pick<Investor, 'id' | 'name'>>`
    with recursive asking (investor_id, place) as (
      (select investor_id, 1 from access_request
        where company_id = ${companyId} order by investor_id limit 1)
      union all
      select following.investor_id, place + 1 from asking cross join lateral (
        select access_request.investor_id from access_request
        where company_id = ${companyId} and access_request.investor_id > asking.investor_id
        order by access_request.investor_id limit 1
      ) as following
      where place < ${limit}
    )
    select id, name from investor where id in (select investor_id from asking) order by name, id`,

  // Reads waiting requests and grants separately. A company has few waiting requests, but may have many grants.
  toAnswer: ({ answering, ending, decidedBy, limit }: RequestsToAnswer) => sql<{ id: string }>`
    select due.id from (
      select id, company_id, created_at from access_request
      where company_id = any(${answering}::text[])
        and ${isUndecided}
      union
      select id, company_id, created_at from access_request
      where company_id = any(${ending}::text[])
        and status = 'approved' and decided_at <= ${decidedBy}
    ) as due
    join company on company.id = due.company_id and company.environment = 'test'
    order by due.created_at, due.id limit ${limit}`,
};

export function createAccessRequests(
  { scopes, requests: store, batches }: Stores,
  limits: BatchLimits,
): AccessRequests {
  const { scoped } = scopes.requests;
  const within = (company: { readonly companyId: string }) => scoped(rowScopeOf(company));
  const of = ({ investorId, companyId }: RequestFilter) =>
    investorId === undefined && companyId === undefined
      ? store
      : scoped({
          ...(investorId !== undefined && { investors: [investorId] }),
          ...(companyId !== undefined && { companies: [companyId] }),
        });
  return {
    find: batchQuestions(async (ids: readonly string[]) => {
      const rows = await batches.run(
        sql<RequestRow>`select ${columns} from access_request
          where id = any(${[...new Set(ids)]}::text[])`,
      );
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? null);
    }, limits),

    list: (filter) => of(filter).run(statements.list(filter)),

    async count(filter) {
      const [row] = await of(filter).run(statements.count(filter));
      return Number(row?.count);
    },

    async listReceived({ status, now, ...page }) {
      const isListed = status === undefined ? sql`true` : hasStatus(status, now);
      return toReceived(await within(page).run(pageOfCompany(page, isListed)));
    },

    listWaiting: async (page) => toReceived(await within(page).run(statements.waiting(page))),

    async countWaiting(query) {
      const [row] = await within(query).run(statements.countOfWaiting(query));
      return Number(row?.count);
    },

    listEnding: async (query) => toReceived(await within(query).run(statements.ending(query))),

    listInReview: async (query) => toReceived(await within(query).run(statements.inReview(query))),

    listRequestingInvestors: (companyId, limit) =>
      within({ companyId }).run(statements.requestingInvestors(companyId, limit)),

    listPastDeadline: (page) => store.run(selectDue(sql`deadline_at`, isLive, page)),

    listExpiring: (page) =>
      store.run(selectDue(sql`expiring_at`, sql`expiring_at is not null`, page)),

    listToReview: (page) => store.run(selectDue(sql`review_at`, sql`review_at is not null`, page)),

    async listToAnswer(query) {
      const rows = await store.run(statements.toAnswer(query));
      return rows.map(({ id }) => id);
    },

    transact: (credential, work) =>
      (credential === null ? store : scoped(rowScopeOf(credential.owner))).transact(
        async (inside) => {
          await checkCredential(inside, credential);
          return work(createTransaction(inside));
        },
      ),
  };
}
