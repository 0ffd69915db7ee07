import { z } from 'zod';
import { isCompanyId } from '../../model/company-data/company.ts';
import type { AccessRecord } from '../../model/consent/access-record.ts';
import { type Page, readCursor, writeCursor } from '../../model/cursor.ts';
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
import type { Ports } from '../../ports/index.ts';
import { findCompany } from '../identity/organisations.ts';
import { cursorOfRecord, pageRecords } from './find-scattered.ts';

export const maxAccessRecords = 1000;

const defaultPageSize = 100;

const listAccessRecordsInput = z.object({
  companyId: z.string().nullish(),
  since: z.date().refine(isExpressible).nullish(),
  until: z.date().refine(isExpressible).nullish(),
  first: z.int().min(1).max(maxAccessRecords).nullish(),
  after: z.string().nullish(),
});

export type ListAccessRecordsInput = z.input<typeof listAccessRecordsInput>;

export interface AccessRecordEdge {
  readonly cursor: string;
  readonly record: AccessRecord;
}

export interface AccessRecordPage {
  readonly edges: readonly AccessRecordEdge[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

export const recordPageSizeOf = ({ first }: ListAccessRecordsInput): number =>
  first ?? defaultPageSize;

/** Returns a page of the investor's reads, newest first. A key gets only reads that need one of its scopes. */
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
    const records = await ports.accessRecords.listOfInvestor({
      investorId,
      scopes,
      companyId: companyId ?? undefined,
      since: since ?? undefined,
      until: until ?? undefined,
      before,
      limit: size + 1,
    });
    return {
      edges: records.slice(0, size).map((record) => ({
        // The cursor is computed on demand, because most callers don't use it.
        get cursor() {
          return writeCursor(cursorOfRecord(record));
        },
        record,
      })),
      hasNextPage: records.length > size,
      hasPreviousPage,
    };
  };

export const listReceivedRecordsInput = pageInput.extend({
  investorId: z.string().nullish().meta({ description: 'Only reads of this investor.' }),
  scope: scopeInput.nullish().meta({ description: 'Only reads that need this scope.' }),
  since: instantInput.nullish(),
  until: instantInput.nullish(),
});

/** Returns a page of the reads of the company's data, newest first. Pages neither skip nor repeat a record. */
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
      find: (part) => ports.accessRecords.listReceived({ ...filter, ...part }),
      findCursor: (before, count) => ports.accessRecords.findCursor({ companyId, before }, count),
    });
  };

const maxCompanyRecords = 100_000;

/**
 * Returns the allowed and refused reads of a company's data, newest first.
 *
 * @throws AccessError `invalid_parameter`, `company_not_found`
 */
export const listCompanyAccessRecords =
  (ports: Ports) =>
  async (
    filter: CompanyRecords,
  ): Promise<{ records: readonly NamedRecord[]; hasMore: boolean }> => {
    const { limit } = filter;
    requireLimit(limit, maxCompanyRecords, 'records');
    await findCompany(ports, filter.companyId);
    const query = { ...filter, limit: limit + 1 };
    const records = await ports.accessRecords.listOfCompany(query);
    return { records: records.slice(0, limit), hasMore: records.length > limit };
  };
