import { z } from 'zod';
import { isCompanyId } from '../../model/company-data/company.ts';
import type { AccessRecord } from '../../model/consent/access-record.ts';
import { type Page, readCursor, writeCursor } from '../../model/cursor.ts';
import { ensure } from '../../model/errors.ts';
import type { CompanyCaller, InvestorCaller } from '../../model/identity/caller.ts';
import {
  instantInput,
  pageInput,
  parseInput,
  requireLimit,
  scopeInput,
} from '../../model/input.ts';
import { isStorable } from '../../model/text.ts';
import { isExpressible } from '../../model/time.ts';
import type { CompanyRecords, NamedRecord, ReceivedRecord } from '../../ports/access-records.ts';
import type { UnreadRecords } from '../../ports/archive.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany } from '../identity/organisations.ts';
import { pageRecords } from './find-scattered.ts';
import { ArchiveUnavailable, cursorOfRecord, readWithArchive } from './read-with-archive.ts';

export const maxAccessRecords = 1000;

const usualPageSize = 100;

const listAccessRecordsInput = z.object({
  companyId: z.string().nullish(),
  since: z.date().refine(isExpressible).nullish(),
  until: z.date().refine(isExpressible).nullish(),
  first: z.int().min(1).max(maxAccessRecords).nullish(),
  after: z.string().nullish(),
});

export type ListAccessRecordsInput = z.input<typeof listAccessRecordsInput>;

/** A record in a list, and its place there, from which a page can go on. */
export interface AccessRecordEdge {
  readonly cursor: string;
  readonly record: AccessRecord;
}

export interface AccessRecordPage {
  readonly edges: readonly AccessRecordEdge[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** How many records a page of this input can have. */
export const recordPageSizeOf = ({ first }: ListAccessRecordsInput): number =>
  first ?? usualPageSize;

/**
 * A page of what the keys and the people of the caller's investor read or were refused, newest first. A key without the scope of a read
 * learns nothing of it: not that it was made, nor which company it was about.
 *
 * @throws InputError, and ArchiveUnavailable when the page needs archived records that cannot be read
 */
export const listAccessRecords =
  (ports: Ports) =>
  async (
    { investorId, scopes }: InvestorCaller,
    input: ListAccessRecordsInput = {},
  ): Promise<AccessRecordPage> => {
    const parsed = parseInput(listAccessRecordsInput, input);
    const { companyId, since, until, after } = parsed;
    const before = readCursor(after, 'after');
    const hasPreviousPage = before !== null;
    if (companyId != null && !isCompanyId(companyId)) {
      return { edges: [], hasNextPage: false, hasPreviousPage };
    }
    const size = recordPageSizeOf(parsed);
    const { records, unread } = await readWithArchive(ports, 'listOfInvestor', {
      investorId,
      scopes,
      companyId: companyId ?? undefined,
      since: since ?? undefined,
      until: until ?? undefined,
      before,
      limit: size + 1,
    });
    // A full page is answered without what cannot be read: the next one says so.
    if (unread !== null && records.length < size) throw new ArchiveUnavailable(unread);
    return {
      edges: records.slice(0, size).map((record) => ({
        // Most readers of a page look at none of its cursors.
        get cursor() {
          return writeCursor(cursorOfRecord(record));
        },
        record,
      })),
      hasNextPage: records.length > size || unread !== null,
      hasPreviousPage,
    };
  };

export const listReceivedRecordsInput = pageInput.extend({
  investorId: z.string().nullish().meta({ description: 'Only reads of this investor.' }),
  scope: scopeInput.nullish().meta({ description: 'Only reads that needed this scope.' }),
  since: instantInput.nullish(),
  until: instantInput.nullish(),
});

/**
 * A page of who read the data of the caller's company or tried to, newest first. Whatever is recorded meanwhile, the
 * pages of one walk neither skip nor repeat a record that was there when it began. A page ends where the archive begins
 * while that cannot be read.
 *
 * @throws InputError, and ArchiveUnavailable when the page begins among archived records that cannot be read
 */
export const listReceivedRecords =
  (ports: Ports) =>
  async (
    { companyId, environment }: CompanyCaller,
    input: z.input<typeof listReceivedRecordsInput> = {},
  ): Promise<Page<ReceivedRecord>> => {
    const { limit, cursor, ...rest } = parseInput(listReceivedRecordsInput, input);
    const { investorId, scope, since, until } = rest;
    if (investorId != null && !isStorable(investorId)) return { items: [], nextCursor: null };
    const filter = {
      companyId,
      environment,
      investorId: investorId ?? undefined,
      scope: scope ?? undefined,
      since: since ?? undefined,
      until: until ?? undefined,
    };
    const isNarrowed = filter.investorId !== undefined || filter.scope !== undefined;
    return pageRecords(isNarrowed, limit, {
      before: readCursor(cursor),
      since: filter.since,
      find: (part) => readWithArchive(ports, 'listReceived', { ...filter, ...part }),
      findCursor: (before, count) => ports.accessRecords.findCursor({ companyId, before }, count),
    });
  };

const maxCompanyRecords = 100_000;

interface CompanyRecordList {
  readonly records: readonly NamedRecord[];
  /** Also when it cannot be told, because older ones are unread. */
  readonly hasMore: boolean;
  /** Older ones that cannot be read at the moment; null: none. */
  readonly unread: UnreadRecords | null;
}

/**
 * Who read a company's data or tried to, newest first, and whether there are more than were asked for.
 *
 * @throws AccessError `invalid_parameter`, `company_not_found`
 */
export const listCompanyAccessRecords =
  (ports: Ports) =>
  async (filter: CompanyRecords): Promise<CompanyRecordList> => {
    const { limit } = filter;
    requireLimit(limit, maxCompanyRecords, 'records');
    await findCompany(ports, filter.companyId);
    const asked = { ...filter, limit: limit + 1 };
    const { records, unread } = await readWithArchive(ports, 'listOfCompany', asked);
    const hasMore = records.length > limit || unread !== null;
    return { records: records.slice(0, limit), hasMore, unread };
  };

/**
 * Removes the access records of whole days, all that ended before the instant, those in the archive too.
 *
 * @returns the days that are gone, as `YYYY-MM-DD`, oldest first
 * @throws AccessError `invalid_parameter` when the present day would be among them, and when the archive that has some is
 *   not there
 */
export const dropAccessRecords =
  ({ accessRecords, accessRecordArchive, clock }: Ports) =>
  async (before: Date, options?: { readonly areFilesLost?: boolean }): Promise<string[]> => {
    ensure(before <= clock.now(), 'invalid_parameter', 'only days that are over can be removed');
    await accessRecordArchive.requireArchivedUntil(before.toISOString().slice(0, 10), options);
    const dropped = await accessRecords.dropDaysBefore(before);
    const archived = await accessRecordArchive.removeForgotten();
    return [...new Set([...dropped, ...archived])].toSorted();
  };
