import type {
  AccessRecord,
  CompanyRecords,
  Cursor,
  InvestorRecords,
  KnownCompany,
  NamedRecord,
  ReceivedRecord,
  ReceivedRecords,
  RecordReader,
} from '#core';
import { sql } from '../store.ts';
import { selectedRecord } from './columns.ts';
import { isOfCompany, isOfInvestor } from './ids.ts';
import { instantText, type Window } from './windows.ts';

type PlaceQuestion = Pick<ReceivedRecords, 'companyId' | 'before'> & Partial<Window>;

/** Exported for the test that looks at their plans. */
export const statements = {
  // Scope by scope, so that each is one step into the index, however much the other scopes were used.
  ofInvestor: ({ scopes, companyId, limit, ...asked }: InvestorRecords & Partial<Window>) =>
    sql<AccessRecord>`
      select record.* from unnest(${[...new Set(scopes)]}::text[]) as asked (needed)
      cross join lateral (
        select ${selectedRecord} from access_record_text
        where ${isOfInvestor(asked.investorId)}
          and hashtext(scope) = hashtext(asked.needed) and scope = asked.needed
          ${companyId === undefined ? sql`` : sql`and company_id = ${companyId}`}
          ${within(asked)}
        order by occurred_at desc, id desc limit ${limit}
      ) as record
      order by "occurredAt" desc, id desc limit ${limit}`,

  /** In the order of the records. A standing is there of each company that is in the portfolio, or was. */
  namesOfInvestor: (
    investorId: string,
    records: readonly Pick<AccessRecord, 'keyId' | 'contactId' | 'companyId'>[],
  ) =>
    sql<RecordReader & Omit<KnownCompany, 'id'> & { id: string | null }>`
      select api_key.hint as "keyHint", contact.email as "contactEmail", company.id, company.name,
        standing.in_portfolio as "isInPortfolio"
      from unnest(
        ${records.map(({ keyId }) => keyId)}::text[],
        ${records.map(({ contactId }) => contactId)}::text[],
        ${records.map(({ companyId }) => companyId)}::text[]
      ) with ordinality as asked (key_id, contact_id, company_id, position)
      left join api_key on api_key.id = asked.key_id
      left join contact on contact.id = asked.contact_id
      left join access_standing as standing
        on standing.investor_id = ${investorId} and standing.company_id = asked.company_id
      left join company on company.id = standing.company_id
      order by asked.position`,

  received: ({ companyId, investorId, scope, downTo, limit, ...asked }: ReceivedRecords) =>
    sql<ReceivedRecord>`
      select record.*, investor.name as "investorName", api_key.hint as "keyHint",
        contact.email as "contactEmail"
      from (
        select ${selectedRecord} from access_record_text
        where ${isOfCompany(companyId)}
          ${investorId === undefined ? sql`` : sql`and investor_id = ${investorId}`}
          ${scope === undefined ? sql`` : sql`and scope = ${scope}`}
          and exists (
            select from investor
            where investor.id = access_record_text.investor_id and environment = ${asked.environment}
          )
          ${within(asked)}
          ${downTo === null ? sql`` : sql`and (occurred_at, id) >= (${downTo.instant}, ${downTo.id})`}
        order by occurred_at desc, id desc limit ${limit}
      ) as record
      join investor on investor.id = record."investorId"
      left join api_key on api_key.id = record."keyId"
      left join contact on contact.id = record."contactId"
      where record."keyId" is null or api_key.id is not null
      order by "occurredAt" desc, record.id desc`,

  /** The last of the next so many, and how many there are. */
  place: ({ companyId, ...asked }: PlaceQuestion, count: number) =>
    sql<Cursor & { count: number }>`
      with next as materialized (
        select occurred_at as instant, id from access_record_text
        where ${isOfCompany(companyId)} ${within(asked)}
        order by occurred_at desc, id desc limit ${count}
      )
      select instant, id, (select count(*)::int from next) as count from next
      order by instant, id limit 1`,

  ofCompany: ({ companyId, keyId, limit, ...asked }: CompanyRecords) => sql<NamedRecord>`
    select record.*, investor.name as "investorName"
    from (
      select ${selectedRecord} from access_record_text
      where ${isOfCompany(companyId)}
        ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
        ${within(asked)}
      order by occurred_at desc, id desc limit ${limit}
    ) as record
    left join investor on investor.id = record."investorId"
    order by "occurredAt" desc, record.id desc`,
};

const within = ({ since, until, before }: Partial<Window> & { before?: Cursor | null }) => sql`
  ${since === undefined ? sql`` : sql`and occurred_at >= ${instantText(since)}`}
  ${until === undefined ? sql`` : sql`and occurred_at <= ${instantText(until)}`}
  ${before == null ? sql`` : sql`and (occurred_at, id) < (${before.instant}, ${before.id})`}`;
