import type { CompanyRecords, Environment, InvestorRecords, ReceivedRecords } from '#core';
import { sql } from '../store.ts';
import type { FileIdentity } from './files.ts';

/** A day that has what is asked for, with its files. */
export interface ArchivedDayFiles {
  readonly day: string;
  readonly files: readonly FileIdentity[];
  /** The investors of the environment that asked for data of the company on that day; null: all that asked. */
  readonly investorIds: readonly string[] | null;
}

const filesOfDay = sql.raw(
  `json_agg(json_build_object('day', archived.day, 'digest', archived.digest) order by part)`,
);

interface Span {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

const within = ({ since, until }: Span) => sql`
  not archived.is_forgotten
  ${since === undefined ? sql`` : sql`and archived.day >= ${dayOf(since)}::date`}
  ${until === undefined ? sql`` : sql`and archived.day <= ${dayOf(until)}::date`}`;

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

/** The counts by day tell which days have a record, so no other file is read. */
const countsOfCompany = (companyId: string, more: ReturnType<typeof sql>) => sql`
  select counted.investor_id from access_record_day as counted
  where counted.company_id = ${companyId} and counted.day = archived.day ${more}`;

/** Newest first. */
export const archivedDays = {
  received({ companyId, environment, investorId, scope, ...span }: ReceivedDays) {
    const narrowed = sql`
      ${investorId === undefined ? sql`` : sql`and counted.investor_id = ${investorId}`}
      ${scope === undefined ? sql`` : sql`and counted.scope = ${scope}`}
      and exists (
        select from investor
        where investor.id = counted.investor_id and investor.environment = ${environment}
      )`;
    return sql<ArchivedDayFiles>`
      select day::text, ${filesOfDay} as files, "investorIds"
      from access_record_archive as archived
      cross join lateral (
        select array_agg(distinct investor_id) as "investorIds"
        from (${countsOfCompany(companyId, narrowed)}) as asking
      ) as asking
      where ${within(span)} and "investorIds" is not null
      group by day, "investorIds" order by day desc`;
  },

  ofCompany: ({ companyId, ...span }: Pick<CompanyRecords, 'companyId'> & Span) =>
    sql<ArchivedDayFiles>`
      select day::text, ${filesOfDay} as files, null as "investorIds"
      from access_record_archive as archived
      where ${within(span)} and exists (${countsOfCompany(companyId, sql``)})
      group by day order by day desc`,

  ofInvestor: ({ investorId, companyId, ...span }: InvestorDays) =>
    sql<ArchivedDayFiles>`
      select day::text, ${filesOfDay} as files, null as "investorIds"
      from access_record_archive as archived
      where ${within(span)} and exists (
        select from access_record_archive_investor as asking
        where asking.day = archived.day and asking.part = archived.part
          and asking.investor_id = ${investorId}
      ) ${
        companyId === undefined
          ? sql``
          : sql`and exists (${countsOfCompany(companyId, sql`and counted.investor_id = ${investorId}`)})`
      }
      group by day order by day desc`,

  /** The days before a day, and the forgotten ones, which may still have files. */
  before: (day: string) => sql<{ day: string }>`
    select distinct day::text from access_record_archive
    where is_forgotten or day < ${day}::date`,

  forgotten: sql<FileIdentity & { part: number }>`
    select day::text, part, digest from access_record_archive where is_forgotten`,

  all: sql<FileIdentity>`select day::text, digest from access_record_archive`,

  /** The files that must be there, of the days before a day or of all. */
  kept: (before: string | null) => sql<FileIdentity>`
    select day::text, digest from access_record_archive
    where not is_forgotten and (${before}::date is null or day < ${before}::date) order by day`,
};

interface InvestorDays extends Pick<InvestorRecords, 'investorId' | 'companyId'>, Span {}

interface ReceivedDays extends Pick<ReceivedRecords, 'companyId' | 'investorId' | 'scope'>, Span {
  readonly environment: Environment;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The names that a list of records shows, by the field that says of what. */
export const names = {
  investorId: (ids: readonly string[]) => sql<Named>`
    select id, name from investor where id = any(${[...new Set(ids)]}::text[])`,
  keyId: (ids: readonly string[]) => sql<Named>`
    select id, hint as name from api_key where id = any(${[...new Set(ids)]}::text[])`,
  contactId: (ids: readonly string[]) => sql<Named>`
    select id, email as name from contact where id = any(${[...new Set(ids)]}::text[])`,
};
