import type {
  AccessRecord,
  AccessRecords,
  CompanyRecords,
  Cursor,
  InvestorRecords,
  KnownCompany,
  NamedRecord,
  ReceivedRecord,
  ReceivedRecords,
  RecordReader,
} from '#core';
import { snakeCase, sql } from '../../connections/store.ts';
import { isOpen, membershipOf } from '../memberships.ts';
import { isOfCompany, isOfInvestor, selectedRecord } from './columns.ts';
import { instantText, type Window } from './windows.ts';

type CursorQuestion = Parameters<AccessRecords['findCursor']>[0] & Partial<Window>;

export const statements = {
  ofInvestor: ({ limit, ...question }: InvestorRecords & Partial<Window>) =>
    sql<AccessRecord>`
      ${scopeByScope(question, selectedRecord, sql`${matches(question)} ${within(question)}`, limit)}
      order by "occurredAt" desc, id desc limit ${limit}`,

  /** Returns one row per record, in the same order. A company that has left the portfolio keeps its name. */
  namesOfInvestor: (
    investorId: string,
    records: readonly Pick<AccessRecord, 'keyId' | 'contactId' | 'companyId'>[],
  ) =>
    sql<RecordReader & Omit<KnownCompany, 'id'> & { id: string | null }>`
      select api_key.hint as "keyHint", contact.email as "contactEmail", company.id, company.name,
        ${isOpen} as "isInPortfolio"
      from unnest(
        ${records.map(({ keyId }) => keyId)}::text[],
        ${records.map(({ contactId }) => contactId)}::text[],
        ${records.map(({ companyId }) => companyId)}::text[]
      ) with ordinality as question (key_id, contact_id, company_id, position)
      left join api_key on api_key.id = question.key_id
      left join contact on contact.id = question.contact_id
      left join ${membershipOf(sql`${investorId}`, sql`question.company_id`)} on true
      left join company on company.id = membership.company_id
      order by question.position`,

  received: ({ companyId, investorId, scope, oldestCursor, limit, ...question }: ReceivedRecords) =>
    sql<ReceivedRecord>`
      select record.*, investor.name as "investorName", api_key.hint as "keyHint",
        contact.email as "contactEmail"
      from (
        select ${selectedRecord} from access_record
        where ${isOfCompany(companyId)}
          ${investorId === undefined ? sql`` : sql`and investor_id = ${investorId}`}
          ${scope === undefined ? sql`` : sql`and scope = ${scope}`}
          and exists (
            select from investor
            where investor.id = access_record.investor_id and environment = ${question.environment}
          )
          ${within(question)}
          ${notBefore(oldestCursor)}
        order by occurred_at desc, id desc limit ${limit}
      ) as record
      join investor on investor.id = record."investorId"
      left join api_key on api_key.id = record."keyId"
      left join contact on contact.id = record."contactId"
      where record."keyId" is null or api_key.id is not null
      order by "occurredAt" desc, record.id desc`,

  /** Returns the position after the next `count` records, and the number of these records. */
  place: (question: CursorQuestion, count: number) =>
    sql<Cursor & { count: number }>`
      with next as materialized (
        ${
          'companyId' in question
            ? sql`select ${cursorColumns} from access_record
                where ${isOfCompany(question.companyId)} ${within(question)}
                order by occurred_at desc, id desc limit ${count}`
            : sql`${scopeByScope(question, cursorColumns, within(question), count)}
                order by instant desc, id desc limit ${count}`
        }
      )
      select instant, id, (select count(*)::int from next) as count from next
      order by instant, id limit 1`,

  ofCompany: ({ companyId, keyId, limit, ...question }: CompanyRecords) => sql<NamedRecord>`
    select record.*, investor.name as "investorName"
    from (
      select ${selectedRecord} from access_record
      where ${isOfCompany(companyId)}
        ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
        ${within(question)}
      order by occurred_at desc, id desc limit ${limit}
    ) as record
    left join investor on investor.id = record."investorId"
    order by "occurredAt" desc, record.id desc`,
};

const cursorColumns = sql`occurred_at as instant, id`;

type Sql = ReturnType<typeof sql>;

/** Reads each scope with a separate index scan. So a scope with many records doesn't slow down the other scopes. */
export const scopeByScope = (
  { investorId, scopes }: Pick<InvestorRecords, 'investorId' | 'scopes'>,
  selected: Sql | typeof selectedRecord,
  condition: Sql,
  limit: number,
) => sql`
  select record.* from unnest(${[...new Set(scopes)]}::text[]) as question (needed)
  cross join lateral (
    select ${selected} from access_record
    where ${isOfInvestor(investorId)}
      and hashtext(scope) = hashtext(question.needed) and scope = question.needed
      ${condition}
    order by occurred_at desc, id desc limit ${limit}
  ) as record`;

const notBefore = (oldestCursor: Cursor | null | undefined) =>
  oldestCursor == null
    ? sql``
    : sql`and (occurred_at, id) >= (${oldestCursor.instant}, ${oldestCursor.id})`;

const matches = ({ outcome, oldestCursor, ...question }: Omit<InvestorRecords, 'limit'>) => {
  const equal = (['companyId', 'keyId', 'contactId', 'protocol', 'requestId'] as const).flatMap(
    (field) =>
      question[field] === undefined ? [] : [[snakeCase(field), question[field]] as const],
  );
  return sql`
    ${sql.join([sql``, ...equal.map(([column, value]) => sql`${sql.ref(column)} = ${value}`)], sql` and `)}
    ${outcome === undefined ? sql`` : outcome === 'refused' ? sql`and outcome <> 'allowed'` : sql`and outcome = ${outcome}`}
    ${notBefore(oldestCursor)}`;
};

const within = ({ since, until, before }: Partial<Window> & { before?: Cursor | null }) => sql`
  ${since === undefined ? sql`` : sql`and occurred_at >= ${instantText(since)}`}
  ${until === undefined ? sql`` : sql`and occurred_at <= ${instantText(until)}`}
  ${before == null ? sql`` : sql`and (occurred_at, id) < (${before.instant}, ${before.id})`}`;
