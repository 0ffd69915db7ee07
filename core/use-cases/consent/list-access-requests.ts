import { z } from 'zod';
import {
  type AccessRequest,
  type AccessRequestStatus,
  accessRequestStatuses,
  asOf,
} from '../../model/consent/access-request.ts';
import { type Cursor, type Page, readCursor, toPage } from '../../model/cursor.ts';
import type { AccessEvent } from '../../model/events/access-event.ts';
import type { CompanyCaller, InvestorCaller } from '../../model/identity/caller.ts';
import type { Whose } from '../../model/identity/owner.ts';
import { pageInput, parseInput } from '../../model/input.ts';
import type { ReceivedRequest } from '../../ports/consent.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany, findInvestor } from '../identity/organisations.ts';
import { findAccessRequest } from './find-access-request.ts';

/** Which requests a list has. */
export const requestFilterInput = z.object({
  status: z
    .enum(accessRequestStatuses)
    .optional()
    .meta({ description: 'Only requests that have this status now.', example: 'pending' }),
});

export type RequestFilterInput = z.input<typeof requestFilterInput>;

export const listAccessRequestsInput = requestFilterInput.extend({
  limit: pageInput.shape.limit,
  cursor: pageInput.shape.cursor.meta({ description: 'The `nextCursor` of the page before.' }),
});

export type ListAccessRequestsInput = z.input<typeof listAccessRequestsInput>;

/**
 * A page of the requests of the caller's investor, newest first, each with the status that it has now. Whatever is asked
 * and decided meanwhile, the pages of one walk neither skip nor repeat a request that was there when it began.
 *
 * @throws InputError
 */
export const listAccessRequests =
  ({ accessRequests, clock }: Ports) =>
  async (
    { investorId }: InvestorCaller,
    input: ListAccessRequestsInput = {},
  ): Promise<Page<AccessRequest>> => {
    const { status, limit, cursor } = parseInput(listAccessRequestsInput, input);
    const now = clock.now();
    const olderThan = readCursor(cursor);
    const page = { investorId, status, now, olderThan, limit: limit + 1 };
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

/**
 * One request, with the status that it has now.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another's
 */
export const readAccessRequest =
  (ports: Ports) =>
  async (whose: Whose, input: AccessRequestInput): Promise<AccessRequest> => {
    const { id } = parseInput(accessRequestInput, input);
    return asOf(await findAccessRequest(ports, whose, id), ports.clock.now());
  };

/**
 * Everything that happened to a request, oldest first.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another's
 */
export const readAccessRequestHistory =
  (ports: Ports) =>
  async (whose: Whose, input: AccessRequestInput): Promise<readonly AccessEvent[]> => {
    const { id } = await readAccessRequest(ports)(whose, input);
    return ports.accessEvents.history(id);
  };

export const listReceivedRequestsInput = pageInput.extend({
  status: requestFilterInput.shape.status,
});

/**
 * A page of the requests to the caller's company, newest first, each with the status that it has now.
 *
 * @throws InputError
 */
export const listReceivedRequests =
  ({ accessRequests, clock }: Ports) =>
  async (
    { companyId }: CompanyCaller,
    input: z.input<typeof listReceivedRequestsInput> = {},
  ): Promise<Page<ReceivedRequest>> => {
    const { status, limit, cursor } = parseInput(listReceivedRequestsInput, input);
    const now = clock.now();
    const page = { companyId, status, now, before: readCursor(cursor), limit: limit + 1 };
    const found = (await accessRequests.listReceived(page)).map((received) => ({
      ...received,
      accessRequest: asOf(received.accessRequest, now),
    }));
    return toPage(found, limit, ({ accessRequest }) => cursorOfRequest(accessRequest));
  };

/** A request with everything that happened to it, oldest first. */
export interface ReceivedRequestDetails extends ReceivedRequest {
  readonly history: readonly AccessEvent[];
}

/**
 * One request, as its company sees it.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another's
 */
export const readReceivedRequest =
  (ports: Ports) =>
  async (whose: Whose, input: AccessRequestInput): Promise<ReceivedRequestDetails> => {
    const accessRequest = await readAccessRequest(ports)(whose, input);
    const { id, name } = await findInvestor(ports, accessRequest.investorId);
    const history = await ports.accessEvents.history(accessRequest.id);
    return { accessRequest, investor: { id, name }, history };
  };

export interface CompanyRequestsFilter {
  readonly companyId?: string | undefined;
  readonly status?: AccessRequestStatus | undefined;
}

/** A list for an operator must fit into memory. */
const maxListed = 10_000;

/**
 * The newest requests to one company or to all, newest first.
 *
 * @throws AccessError `company_not_found`
 */
export const listCompanyAccessRequests =
  (ports: Ports) =>
  async ({ companyId, status }: CompanyRequestsFilter = {}): Promise<AccessRequest[]> => {
    if (companyId !== undefined) await findCompany(ports, companyId);
    const now = ports.clock.now();
    const filter = { companyId, status, now, limit: maxListed };
    const requests = await ports.accessRequests.list(filter);
    return requests.map((request) => asOf(request, now));
  };
