import { z } from 'zod';
import { isCompanyId } from '../../model/company-data/company.ts';
import type { AccessRecord } from '../../model/consent/access-record.ts';
import { requestSpanOf } from '../../model/consent/request-id.ts';
import { type Page, readCursor } from '../../model/cursor.ts';
import { type InvestorCaller, protocols } from '../../model/identity/caller.ts';
import { instantTextInput, pageInput, parseInput } from '../../model/input.ts';
import { isStorable } from '../../model/text.ts';
import type { InvestorRecords, RecordNames, RecordReader } from '../../ports/access-records.ts';
import type { Ports } from '../../ports/index.ts';
import { pageRecords } from './find-scattered.ts';

export const outcomeFilters = [
  'allowed',
  'refused',
  'insufficient_scope',
  'access_required',
  'access_pending',
  'access_revoked',
  'access_paused',
  'company_not_found',
] as const;

export const listOwnRecordsInput = pageInput.extend({
  companyId: z.string().nullish().meta({ description: 'Only reads of this company.' }),
  since: instantTextInput.nullish().meta({
    description: 'The start of the period, included, in RFC 3339.',
    example: '2026-01-01T00:00:00Z',
  }),
  until: instantTextInput.nullish().meta({
    description: 'The end of the period, included, in RFC 3339.',
    example: '2036-12-31T23:59:59Z',
  }),
});

const id = z.string().nullish();

/** The additional filters of the desk. */
const searchInput = listOwnRecordsInput.extend({
  keyId: id,
  contactId: id,
  protocol: z.enum(protocols).nullish(),
  outcome: z.enum(outcomeFilters).nullish(),
  requestId: id,
});

export type SearchOwnRecordsInput = z.input<typeof searchInput>;

export interface OwnRecord extends RecordReader {
  readonly record: AccessRecord;
  /** Null for a refused read outside the portfolio, because the investor must not learn whether the ID exists. */
  readonly company: { readonly id: string; readonly name: string } | null;
}

/**
 * Returns a page of the allowed and refused reads by the investor's keys and contacts, newest first. A key gets only
 * the reads that need one of the key's scopes. A record that existed at the start is on exactly one page.
 */
export const listOwnRecords =
  (ports: Ports) =>
  async (caller: InvestorCaller, input: SearchOwnRecordsInput = {}): Promise<Page<OwnRecord>> => {
    const { limit, cursor, ...criteria } = parseInput(searchInput, input);
    const before = readCursor(cursor);
    const filter = filterOf(criteria);
    if (filter === null) return { items: [], nextCursor: null };
    const { investorId, scopes } = caller;
    const { items, nextCursor } = await pageRecords(isNarrowed(filter), limit, {
      before,
      since: filter.since,
      find: (part) =>
        ports.accessRecords.listOfInvestor({ ...filter, investorId, scopes, ...part }),
      findCursor: (from, count) =>
        ports.accessRecords.findCursor({ investorId, scopes, before: from }, count),
    });
    const names = await ports.accessRecords.nameOfInvestor(investorId, items);
    return {
      items: items.map((record, index) => present(record, names[index] as RecordNames)),
      nextCursor,
    };
  };

type RecordCriteria = Omit<z.output<typeof searchInput>, 'limit' | 'cursor'>;

type Filter = Omit<InvestorRecords, 'investorId' | 'scopes' | 'before' | 'oldestCursor' | 'limit'>;

/** Returns the filter for a search. Returns null if no record can match. */
function filterOf(criteria: RecordCriteria): Filter | null {
  const { companyId, keyId, contactId, protocol, outcome, requestId } = criteria;
  if (companyId != null && !isCompanyId(companyId)) return null;
  if ([keyId, contactId, requestId].some((each) => each != null && !isStorable(each))) return null;
  // The ID of an HTTP request contains the time of the request, which narrows the search.
  const span = requestId == null ? null : requestSpanOf(requestId);
  return {
    companyId: companyId ?? undefined,
    keyId: keyId ?? undefined,
    contactId: contactId ?? undefined,
    protocol: protocol ?? undefined,
    outcome: outcome ?? undefined,
    requestId: requestId ?? undefined,
    since: sortTimes(criteria.since, span?.since).at(-1),
    until: sortTimes(criteria.until, span?.until)[0],
  };
}

const sortTimes = (...instants: readonly (Date | null | undefined)[]): Date[] =>
  instants.filter((each) => each != null).toSorted((one, other) => one.getTime() - other.getTime());

const isNarrowed = ({ since: _, until: __, ...criteria }: Filter): boolean =>
  Object.values(criteria).some((value) => value !== undefined);

function present(record: AccessRecord, { keyHint, contactEmail, company }: RecordNames): OwnRecord {
  const visibleCompany =
    record.outcome === 'allowed' || company?.isInPortfolio === true ? company : null;
  return {
    record,
    keyHint,
    contactEmail,
    company: visibleCompany && { id: visibleCompany.id, name: visibleCompany.name },
  };
}
