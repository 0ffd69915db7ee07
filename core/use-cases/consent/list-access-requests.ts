import { z } from 'zod';
import { isCompanyId } from '../../model/company-data/company.ts';
import { readableScopes } from '../../model/consent/access-policy.ts';
import {
  type AccessRequest,
  type AccessRequestStatus,
  accessRequestStatuses,
  asOf,
} from '../../model/consent/access-request.ts';
import type { GrantableScope } from '../../model/consent/scopes.ts';
import { type Cursor, type Page, readCursor, toPage } from '../../model/cursor.ts';
import type { AccessEvent } from '../../model/events/access-event.ts';
import type { CompanyCaller, InvestorCaller } from '../../model/identity/caller.ts';
import type { OwnerOrOperator } from '../../model/identity/owner.ts';
import { pageInput, parseInput } from '../../model/input.ts';
import type { ListedRequest, ReceivedRequest } from '../../ports/consent.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany, findInvestor } from '../identity/organisations.ts';
import { findAccessRequest } from './find-access-request.ts';

/** The filters of a list of requests. */
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
 * Returns a page of the requests of the caller's investor, newest first, with their present status. The pages of one
 * walk neither skip nor repeat a request that existed at the start.
 *
 * @throws InputError
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

/**
 * Returns one request with its present status.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another investor's
 */
export const readAccessRequest =
  (ports: Ports) =>
  async (owner: OwnerOrOperator, input: AccessRequestInput): Promise<AccessRequest> => {
    const { id } = parseInput(accessRequestInput, input);
    return asOf(await findAccessRequest(ports, owner, id), ports.clock.now());
  };

/**
 * Returns the history of a request, oldest first.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another investor's
 */
export const readAccessRequestHistory =
  (ports: Ports) =>
  async (owner: OwnerOrOperator, input: AccessRequestInput): Promise<readonly AccessEvent[]> => {
    const { id } = await readAccessRequest(ports)(owner, input);
    return ports.accessEvents.history(id);
  };

/** A request as the company sees it. */
export interface ReadableRequest extends ReceivedRequest {
  /** The scopes that the investor can read now. */
  readonly readableScopes: readonly GrantableScope[];
}

export function presentListed(
  { accessRequest: stored, investor, inPortfolio }: ListedRequest,
  now: Date,
): ReadableRequest {
  const accessRequest = asOf(stored, now);
  return {
    accessRequest,
    investor,
    readableScopes: readableScopes(accessRequest, inPortfolio, now),
  };
}

export const listReceivedRequestsInput = pageInput.extend({
  status: requestFilterInput.shape.status,
});

/**
 * Returns a page of the requests to the caller's company, newest first, with their present status.
 *
 * @throws InputError
 */
export const listReceivedRequests =
  ({ accessRequests, clock }: Ports) =>
  async (
    { companyId }: CompanyCaller,
    input: z.input<typeof listReceivedRequestsInput> = {},
  ): Promise<Page<ReadableRequest>> => {
    const { status, limit, cursor } = parseInput(listReceivedRequestsInput, input);
    const now = clock.now();
    const page = { companyId, status, now, before: readCursor(cursor), limit: limit + 1 };
    const found = (await accessRequests.listReceived(page)).map((each) => presentListed(each, now));
    return toPage(found, limit, ({ accessRequest }) => cursorOfRequest(accessRequest));
  };

/** A request with its history, oldest first. */
export interface ReceivedRequestDetails extends ReadableRequest {
  readonly history: readonly AccessEvent[];
}

/**
 * Returns one request as its company sees it.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another company's
 */
export const readReceivedRequest =
  (ports: Ports) =>
  async (owner: OwnerOrOperator, input: AccessRequestInput): Promise<ReceivedRequestDetails> => {
    const accessRequest = await readAccessRequest(ports)(owner, input);
    const { investorId, companyId } = accessRequest;
    const { id, name } = await findInvestor(ports, investorId);
    const inPortfolio = await ports.directory.isInPortfolio(investorId, companyId);
    const history = await ports.accessEvents.history(accessRequest.id);
    const listed = { accessRequest, investor: { id, name }, inPortfolio };
    return { ...presentListed(listed, ports.clock.now()), history };
  };

export interface CompanyRequestsFilter {
  readonly companyId?: string | undefined;
  readonly status?: AccessRequestStatus | undefined;
}

/** Limited, because the list of an operator must fit into memory. */
const maxListed = 10_000;

/**
 * Returns the newest requests to one company or to all, newest first.
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
