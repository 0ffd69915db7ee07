import { z } from 'zod';
import { isCompanyId } from '../../model/company-data/company.ts';
import {
  type ConnectionPage,
  connectionInput,
  requestedPageOf,
  toConnectionPage,
} from '../../model/connection.ts';
import {
  type AccessRequest,
  accessRequestStatuses,
  asOf,
} from '../../model/consent/access-request.ts';
import { type Cursor, type Page, readCursor, toPage, writeCursor } from '../../model/cursor.ts';
import type { AccessEvent } from '../../model/events/access-event.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import type { OwnerOrOperator } from '../../model/identity/owner.ts';
import { pageInput, parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { findAccessRequest } from './find-access-request.ts';

export const requestFilterInput = z.object({
  companyId: z
    .string()
    .optional()
    .meta({ description: 'Only requests to this company.', example: 'co_lumen' }),
  status: z
    .enum(accessRequestStatuses)
    .optional()
    .meta({ description: 'Only requests with this status.', example: 'pending' }),
});

export type RequestFilterInput = z.input<typeof requestFilterInput>;

export const listAccessRequestsInput = requestFilterInput.extend({
  limit: pageInput.shape.limit,
  cursor: pageInput.shape.cursor.meta({ description: 'The `nextCursor` of the previous page.' }),
});

export type ListAccessRequestsInput = z.input<typeof listAccessRequestsInput>;

/**
 * Returns a page of the requests of the caller's investor, newest first, with their current status. Pages neither skip
 * nor repeat a request that existed at the start.
 */
export const listAccessRequests =
  ({ accessRequests, clock, directory }: Ports) =>
  async (
    { investorId }: InvestorCaller,
    input: ListAccessRequestsInput = {},
  ): Promise<Page<AccessRequest>> => {
    const { companyId, status, limit, cursor } = parseInput(listAccessRequestsInput, input);
    const now = clock.now();
    const olderThan = readCursor(cursor);
    const isListable =
      companyId === undefined ||
      (isCompanyId(companyId) && (await directory.isInPortfolio(investorId, companyId)));
    if (!isListable) return { items: [], nextCursor: null };
    const page = { investorId, companyId, status, now, olderThan, limit: limit + 1 };
    const found = await accessRequests.list(page);
    return toPage(
      found.map((request) => asOf(request, now)),
      limit,
      cursorOfRequest,
    );
  };

export const cursorOfRequest = ({ createdAt, id }: AccessRequest): Cursor => ({
  instant: createdAt,
  id,
});

export const accessRequestInput = z.object({ id: z.string() });

export type AccessRequestInput = z.input<typeof accessRequestInput>;

/** @throws AccessError `access_request_not_found`, also for another owner's request */
export const readAccessRequest =
  (ports: Ports) =>
  async (owner: OwnerOrOperator, input: AccessRequestInput): Promise<AccessRequest> => {
    const { id } = parseInput(accessRequestInput, input);
    return asOf(await findAccessRequest(ports, owner, id), ports.clock.now());
  };

/**
 * Returns the history of a request, oldest first.
 *
 * @throws AccessError `access_request_not_found`, also for another owner's request
 */
export const readAccessRequestHistory =
  (ports: Ports) =>
  async (owner: OwnerOrOperator, input: AccessRequestInput): Promise<readonly AccessEvent[]> => {
    const { id } = await readAccessRequest(ports)(owner, input);
    return ports.accessEvents.history(id);
  };

const pageAccessRequestsInput = connectionInput.extend({
  status: requestFilterInput.shape.status.nullable(),
});

export interface AccessRequestEdge {
  readonly cursor: string;
  readonly accessRequest: AccessRequest;
}

type AccessRequestPage = ConnectionPage<AccessRequestEdge>;

/** Returns a page like `listAccessRequests`, from either end of the list. */
export const pageAccessRequests =
  ({ accessRequests, clock }: Ports) =>
  async (
    { investorId }: InvestorCaller,
    input: z.input<typeof pageAccessRequestsInput> = {},
  ): Promise<AccessRequestPage> => {
    const parsed = parseInput(pageAccessRequestsInput, input);
    const page = requestedPageOf(parsed);
    const now = clock.now();
    const filter = { investorId, status: parsed.status ?? undefined, now };
    const found = await accessRequests.list({
      ...filter,
      olderThan: readCursor(parsed.after, 'after'),
      newerThan: readCursor(parsed.before, 'before'),
      isOldestFirst: page.isFromEnd,
      limit: page.limit + 1,
    });
    const toEdge = (request: AccessRequest): AccessRequestEdge => ({
      // The cursor is computed on demand, because most callers don't use it.
      get cursor() {
        return writeCursor(cursorOfRequest(request));
      },
      accessRequest: asOf(request, now),
    });
    return toConnectionPage(found, parsed, page, toEdge, () => accessRequests.count(filter));
  };
