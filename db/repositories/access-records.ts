import type {
  AccessRecord,
  AccessRecords,
  CompanyRecords,
  Cursor,
  InvestorRecords,
  NamedRecord,
  ReceivedRecord,
  ReceivedRecords,
} from '#core';
import { dayOfRecord, isLate } from '../access-record-days.ts';
import { dropPartitionsBefore } from '../access-record-drops.ts';
import { isOfCompany, isOfInvestor } from '../access-record-keys.ts';
import {
  earliest,
  instantText,
  latest,
  listInWindows,
  type Window,
  windowsOf,
} from '../access-record-windows.ts';
import { type BatchLimits, batched } from '../batch.ts';
import type { RefusalQueue } from '../refusal-queue.ts';
import { type Stores, snakeCase, sql } from '../store.ts';
import { toArray } from './rows.ts';

/** The columns of the table by the fields of a record, with their types. */
const types: Readonly<Record<keyof AccessRecord, string>> = {
  id: 'text',
  occurredAt: 'timestamptz',
  requestId: 'text',
  protocol: 'text',
  keyId: 'text',
  investorId: 'text',
  companyId: 'text',
  scope: 'text',
  resource: 'text',
  metricKey: 'text',
  grantId: 'text',
  outcome: 'text',
  count: 'integer',
};

const fields = Object.keys(types) as (keyof AccessRecord)[];
/** The columns of a row as the fields of a record. */
export const selectedRecord = sql.raw(
  fields.map((field) => `${snakeCase(field)} as "${field}"`).join(', '),
);
const columns = sql.raw(fields.map(snakeCase).join(', '));

/** An allowed read always counts as one, which is the default of the column. */
const fieldsOfRead = fields.filter((field) => field !== 'count');
const columnsOfRead = sql.raw(fieldsOfRead.map(snakeCase).join(', '));

/** The records as rows, from one array for each field. */
const unnest = (records: readonly AccessRecord[], names: readonly (keyof AccessRecord)[]) =>
  sql`unnest(${sql.join(
    names.map((name) => {
      const values = records.map((record) =>
        name === 'occurredAt' ? record.occurredAt.toISOString() : record[name],
      );
      return sql`${toArray(values)}::${sql.raw(types[name])}[]`;
    }),
  )})`;

/** All of them or none: nobody is told that a record is there while another of the same statement is not. */
export const readInsertion = (records: readonly AccessRecord[], now: Date) => {
  const given = unnest(records, fieldsOfRead);
  const late = records.filter(({ occurredAt }) => isLate(occurredAt, now));
  return sql`
    ${marks(late)} insert into access_record (${columnsOfRead}) select * from ${given}`;
};

/**
 * A repetition looks for what an earlier attempt, whose answer was lost, may have committed. An attempt that waits for a
 * standby could not be seen by it, and would be doubled, so the record of a refusal does not wait for one. Nor can it be
 * seen once its day is archived: what is repeated so late is left out, and answered as how many refusals that were.
 */
export const refusalInsertion = (
  refusals: readonly AccessRecord[],
  { isRepetition, now }: { readonly isRepetition: boolean; readonly now: Date },
) => {
  // The server's clock is carried on by one that stands still while the machine does.
  const isLateByEither = ({ occurredAt }: AccessRecord) =>
    isLate(occurredAt, now) || isLate(occurredAt, new Date());
  const late = refusals.filter(isLateByEither);
  const given = sql`${unnest(refusals, fields)} as refusal (${columns})`;
  const insertion = sql`
    insert into access_record (${columns}) select * from ${given}
    where set_config('synchronous_commit', 'local', true) is not null`;
  if (!isRepetition) return sql<LeftOut>`${marks(late)} ${insertion}`;
  return sql<LeftOut>`
    ${marks(late)} ${late.length === 0 ? sql`with` : sql`,`} repeated as (
      ${insertion} ${unlessThere} and not ${isArchived}
    )
    select coalesce(sum(count), 0)::int as "leftOut" from ${given}
    where ${isArchived} ${unlessThere}`;
};

interface LeftOut {
  readonly leftOut: number;
}

const isArchived = sql`exists (
  select from access_record_archive as archived
  where archived.day = ${dayOfRecord} and not archived.is_forgotten
)`;

/** What is late leaves, in the statement that writes it, a mark that its day is to be counted again. */
const marks = (late: readonly AccessRecord[]) =>
  late.length === 0
    ? sql``
    : sql`with marked as (
        insert into access_record_late (company_id, day)
        select distinct company_id, ${dayOfRecord}
        from ${unnest(late, ['companyId', 'occurredAt'])} as late (company_id, occurred_at)
        where company_id is not null
      )`;

const unlessThere = sql`
    and not exists (
      select from access_record as there
      where hashtext(there.investor_id) = hashtext(refusal.investor_id)
        and hashtext(there.scope) = hashtext(refusal.scope)
        and there.investor_id = refusal.investor_id and there.scope = refusal.scope
        and there.occurred_at = refusal.occurred_at and there.id = refusal.id
    )`;

type PlaceQuestion = Pick<ReceivedRecords, 'companyId' | 'before'> & Partial<Window>;

/** Exported for the test that looks at their plans. */
export const statements = {
  // Scope by scope, so that each is one step into the index, however much the other scopes were used.
  ofInvestor: ({
    investorId,
    scopes,
    companyId,
    since,
    until,
    limit,
  }: InvestorRecords & Partial<Window>) =>
    sql<AccessRecord>`
      select record.* from unnest(${[...new Set(scopes)]}::text[]) as asked (needed)
      cross join lateral (
        select ${selectedRecord} from access_record
        where ${isOfInvestor(investorId)}
          and hashtext(scope) = hashtext(asked.needed) and scope = asked.needed
          ${companyId === undefined ? sql`` : sql`and company_id = ${companyId}`} ${from(since)} ${upTo(until)}
        order by occurred_at desc, id desc limit ${limit}
      ) as record
      order by "occurredAt" desc, id desc limit ${limit}`,

  received: ({
    companyId,
    environment,
    investorId,
    scope,
    since,
    until,
    before,
    downTo,
    limit,
  }: ReceivedRecords) =>
    sql<ReceivedRecord>`
      select record.*, investor.name as "investorName", api_key.hint as "keyHint"
      from (
        select ${selectedRecord} from access_record
        where ${isOfCompany(companyId)}
          ${investorId === undefined ? sql`` : sql`and investor_id = ${investorId}`}
          ${scope === undefined ? sql`` : sql`and scope = ${scope}`}
          and exists (
            select from investor
            where investor.id = access_record.investor_id and environment = ${environment}
          )
          ${from(since)} ${upTo(until)}
          ${olderThan(before)}
          ${downTo === null ? sql`` : sql`and (occurred_at, id) >= (${downTo.instant}, ${downTo.id})`}
        order by occurred_at desc, id desc limit ${limit}
      ) as record
      join investor on investor.id = record."investorId"
      join api_key on api_key.id = record."keyId"
      order by "occurredAt" desc, record.id desc`,

  /** The last of the next so many, and how many there are. */
  place: ({ companyId, before, since, until }: PlaceQuestion, count: number) =>
    sql<Cursor & { count: number }>`
      with next as materialized (
        select occurred_at as instant, id from access_record
        where ${isOfCompany(companyId)} ${from(since)} ${upTo(until)} ${olderThan(before)}
        order by occurred_at desc, id desc limit ${count}
      )
      select instant, id, (select count(*)::int from next) as count from next
      order by instant, id limit 1`,

  ofCompany: ({ companyId, keyId, since, until, limit }: CompanyRecords) => sql<NamedRecord>`
    select record.*, investor.name as "investorName"
    from (
      select ${selectedRecord} from access_record
      where ${isOfCompany(companyId)}
        ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
        ${from(since)} ${upTo(until)}
      order by occurred_at desc, id desc limit ${limit}
    ) as record
    left join investor on investor.id = record."investorId"
    order by "occurredAt" desc, record.id desc`,
};

const from = (since: Date | undefined) =>
  since === undefined ? sql`` : sql`and occurred_at >= ${instantText(since)}`;

const upTo = (until: Date | undefined) =>
  until === undefined ? sql`` : sql`and occurred_at <= ${instantText(until)}`;

const olderThan = (place: Cursor | null) =>
  place === null ? sql`` : sql`and (occurred_at, id) < (${place.instant}, ${place.id})`;

/** Lists of one company out of many can take long: reads of data must not wait for their connections. */
const listsInFlight = 2;

export function createAccessRecords(
  { requests, batches, longWork, clock }: Stores,
  limits: BatchLimits,
  refusals: RefusalQueue,
): AccessRecords {
  const lists = { ...limits, size: 1, inFlight: listsInFlight };
  /** Each window takes its turn. */
  const readOfInvestor = batched(
    (asked: readonly InvestorRecords[]) =>
      Promise.all(asked.map((one) => requests.run(statements.ofInvestor(one)))),
    lists,
  );
  const readReceived = batched(
    (asked: readonly ReceivedRecords[]) =>
      Promise.all(asked.map((one) => requests.run(statements.received(one)))),
    lists,
  );
  const readPlace = batched(
    (asked: readonly Parameters<typeof statements.place>[]) =>
      Promise.all(
        asked.map(async (one) => (await requests.run(statements.place(...one)))[0] ?? null),
      ),
    lists,
  );
  return {
    record: batched(
      async (records: readonly AccessRecord[]) => {
        await batches.run(readInsertion(records, clock.now()));
        return records.map(() => undefined);
      },
      limits,
      'access_records',
    ),

    recordEventually: (refusal) => refusals.add(refusal),

    listOfInvestor: (filter) =>
      listInWindows({ since: filter.since, until: undefined }, filter.limit, (window, limit) =>
        readOfInvestor({ ...filter, ...window, limit }),
      ),

    listReceived: (filter) =>
      listInWindows(
        {
          since: latest(filter.since, filter.downTo?.instant),
          until: earliest(filter.until, filter.before?.instant),
        },
        filter.limit,
        (window, limit) => readReceived({ ...filter, ...window, limit }),
      ),

    async findPlace(company, count) {
      let left = count;
      for (const window of windowsOf({ since: undefined, until: company.before?.instant })) {
        const place = await readPlace([{ ...company, ...window }, left]);
        if (place?.count === left) return { instant: place.instant, id: place.id };
        left -= place?.count ?? 0;
      }
      return null;
    },

    listOfCompany: ({ since, until, ...filter }) =>
      listInWindows({ since, until }, filter.limit, (window, limit) =>
        longWork.run(statements.ofCompany({ ...filter, ...window, limit })),
      ),

    dropDaysBefore: (instant) => dropPartitionsBefore(longWork, instant),
  };
}
