import type {
  AccessRecord,
  AccessRecords,
  CompanyRecords,
  GrantableScope,
  InvestorRecords,
  Protocol,
  Resource,
} from '#core';
import { dropMonthsBefore } from '../access-record-months.ts';
import { type BatchLimits, batched } from '../batch.ts';
import type { RefusalQueue } from '../refusal-queue.ts';
import { read, sql } from '../store.ts';
import type { Stores } from '../stores.ts';
import { textList } from '../text-list.ts';
import { toInstant } from './rows.ts';

interface AccessRecordRow {
  id: string;
  occurred_at: string;
  request_id: string;
  protocol: Protocol;
  key_id: string;
  investor_id: string;
  company_id: string | null;
  scope: GrantableScope;
  resource: Resource;
  metric_key: string | null;
  grant_id: string | null;
  outcome: AccessRecord['outcome'];
  count: number;
}

/** Without the count, whose default is that of an allowed read. */
const columns = sql`id, occurred_at, request_id, protocol, key_id, investor_id, company_id, scope,
  resource, metric_key, grant_id, outcome`;

function toAccessRecord(row: AccessRecordRow): AccessRecord {
  return {
    id: row.id,
    occurredAt: toInstant(row.occurred_at),
    requestId: row.request_id,
    protocol: row.protocol,
    keyId: row.key_id,
    investorId: row.investor_id,
    companyId: row.company_id,
    scope: row.scope,
    resource: row.resource,
    metricKey: row.metric_key,
    grantId: row.grant_id,
    outcome: row.outcome,
    count: row.count,
  };
}

const lists = (records: readonly AccessRecord[]) => {
  const list = (pick: (record: AccessRecord) => string | null) => textList(records.map(pick));
  return sql`
      ${list(({ id }) => id)},
      ${list(({ occurredAt }) => occurredAt.toISOString())}::timestamptz[],
      ${list(({ requestId }) => requestId)},
      ${list(({ protocol }) => protocol)},
      ${list(({ keyId }) => keyId)},
      ${list(({ investorId }) => investorId)},
      ${list(({ companyId }) => companyId)},
      ${list(({ scope }) => scope)},
      ${list(({ resource }) => resource)},
      ${list(({ metricKey }) => metricKey)},
      ${list(({ grantId }) => grantId)},
      ${list(({ outcome }) => outcome)}`;
};

/** All of them or none: nobody is told that a record is there while another of the same statement is not. */
const insertion = (records: readonly AccessRecord[]) => sql`
    insert into access_record (${columns})
    select * from unnest(${lists(records)}
    )`;

/**
 * A repetition looks for what an earlier attempt, whose answer was lost, may have committed. An attempt that waits for a
 * standby could not be seen by it, and would be doubled, so the record of a refusal does not wait for one.
 */
export const refusalInsertion = (refusals: readonly AccessRecord[], isRepetition: boolean) => sql`
    insert into access_record (${columns}, count)
    select * from unnest(${lists(refusals)},
      ${textList(refusals.map(({ count }) => String(count)))}::integer[]
    ) as refusal (${columns}, count)
    where set_config('synchronous_commit', 'local', true) is not null
    ${isRepetition ? unlessThere : sql``}`;

const unlessThere = sql`
    and not exists (
      select from access_record as there
      where there.investor_id = refusal.investor_id and there.scope = refusal.scope
        and there.occurred_at = refusal.occurred_at and there.id = refusal.id
    )`;

/** Exported for the test that looks at their plans. */
export const statements = {
  // Scope by scope, so that each is one step into the index, however much the other scopes were used.
  ofInvestor: ({ investorId, scopes, companyId, since, limit }: InvestorRecords) =>
    sql<AccessRecordRow>`
      select record.* from unnest(${[...new Set(scopes)]}::text[]) as asked (needed)
      cross join lateral (
        select ${columns}, count from access_record
        where investor_id = ${investorId} and scope = asked.needed
          ${companyId === undefined ? sql`` : sql`and company_id = ${companyId}`} ${from(since)}
        order by occurred_at desc, id desc limit ${limit}
      ) as record
      order by occurred_at desc, id desc limit ${limit}`,

  ofCompany: ({ companyId, keyId, since, until, limit }: CompanyRecords) => sql<AccessRecordRow>`
    select ${columns}, count from access_record
    where company_id = ${companyId}
      ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
      ${from(since)} ${until === undefined ? sql`` : sql`and occurred_at <= ${until}`}
    order by occurred_at desc, id desc limit ${limit}`,
};

const from = (since: Date | undefined) =>
  since === undefined ? sql`` : sql`and occurred_at >= ${since}`;

/** Of one company out of many they can take long: readings of data must not wait for their connections. */
const listsInFlight = 2;

export function createAccessRecords(
  { requests, questions, longWork }: Stores,
  limits: BatchLimits,
  refusals: RefusalQueue,
): AccessRecords {
  const record = batched(async (records: readonly AccessRecord[]) => {
    await questions.run(insertion(records));
    return records.map(() => undefined);
  }, limits);

  return {
    record,

    recordEventually: (refusal) => refusals.add(refusal),

    listOfInvestor: batched(
      (filters) =>
        Promise.all(
          filters.map(async (filter) =>
            (await read(requests, statements.ofInvestor(filter))).map(toAccessRecord),
          ),
        ),
      { ...limits, size: 1, inFlight: listsInFlight },
    ),

    async listOfCompany(filter) {
      return (await read(longWork, statements.ofCompany(filter))).map(toAccessRecord);
    },

    dropMonthsBefore: (instant) => dropMonthsBefore(longWork, instant),
  };
}
