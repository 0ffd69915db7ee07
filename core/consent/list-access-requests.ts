import { z } from 'zod';
import { findCompany } from '../company-data/manage-companies.ts';
import { type Page, readCursor, toPage } from '../cursor.ts';
import { AccessError, ensure } from '../errors.ts';
import type { AccessEvent } from '../events/access-event.ts';
import type { Caller, CompanyCaller } from '../identity/caller.ts';
import { findInvestor } from '../identity/manage-investors.ts';
import { pageInput, parseInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import {
  type AccessRequest,
  type AccessRequestStatus,
  accessRequestStatuses,
  asOf,
} from './access-request.ts';
import { findAccessRequest } from './change-access-request.ts';
import { requestOfNobody } from './company-decisions.ts';
import type { ListedRequests, ReceivedRequest } from './ports.ts';

export const listAccessRequestsInput = z.object(
  {
    status: z
      .enum(accessRequestStatuses, 'invalid_parameter')
      .optional()
      .meta({ description: 'Only requests that have this status now.', example: 'pending' }),
  },
  'invalid_parameter',
);

export type ListAccessRequestsInput = z.input<typeof listAccessRequestsInput>;

/** An investor can make any number of requests one after the other; a list of them must fit into memory. */
const maxListed = 10_000;

/**
 * The newest requests of the caller's investor, newest first, each with the status that it has now.
 *
 * @throws InputError
 */
export const listAccessRequests =
  (ports: Ports) =>
  async ({ investorId }: Caller, input: ListAccessRequestsInput = {}): Promise<AccessRequest[]> => {
    const { status } = parseInput(listAccessRequestsInput, input);
    return listNewest(ports, { investorId, status });
  };

export const accessRequestInput = z.object(
  { id: z.string('invalid_parameter') },
  'invalid_parameter',
);

export type AccessRequestInput = z.input<typeof accessRequestInput>;

/**
 * One request of the caller's investor, with the status that it has now.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another investor's
 */
export const readAccessRequest =
  (ports: Ports) =>
  async ({ investorId }: Caller, input: AccessRequestInput): Promise<AccessRequest> => {
    const { id } = parseInput(accessRequestInput, input);
    const request = await findAccessRequest(ports, id);
    if (request?.investorId !== investorId) throw new AccessError('access_request_not_found');
    return asOf(request, ports.clock.now());
  };

/**
 * Everything that happened to a request of the caller's investor, oldest first.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another investor's
 */
export const readAccessRequestHistory =
  (ports: Ports) =>
  async (caller: Caller, input: AccessRequestInput): Promise<readonly AccessEvent[]> => {
    const { id } = await readAccessRequest(ports)(caller, input);
    return ports.accessEvents.history(id);
  };

export const listReceivedRequestsInput = pageInput.extend({
  status: listAccessRequestsInput.shape.status,
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
    return toPage(found, limit, ({ accessRequest: { createdAt, id } }) => ({
      instant: createdAt,
      id,
    }));
  };

/** A request with everything that happened to it, oldest first. */
export interface ReceivedRequestDetails extends ReceivedRequest {
  readonly history: readonly AccessEvent[];
}

/**
 * One request to the caller's company.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for one to another company
 */
export const readReceivedRequest =
  (ports: Ports) =>
  async (
    { companyId }: CompanyCaller,
    input: AccessRequestInput,
  ): Promise<ReceivedRequestDetails> => {
    const { id } = parseInput(accessRequestInput, input);
    const request = await findAccessRequest(ports, id);
    if (request?.companyId !== companyId) throw requestOfNobody();
    return describeRequest(ports, request);
  };

/**
 * One request, for an operator.
 *
 * @throws OperatorError `not_found`
 */
export const showAccessRequest =
  (ports: Ports) =>
  async (id: string): Promise<ReceivedRequestDetails> => {
    const request = await findAccessRequest(ports, id);
    ensure(request !== null, 'not_found', `there is no access request ${id}`);
    return describeRequest(ports, request);
  };

async function describeRequest(
  ports: Ports,
  request: AccessRequest,
): Promise<ReceivedRequestDetails> {
  const { id, name } = await findInvestor(ports, request.investorId);
  return {
    accessRequest: asOf(request, ports.clock.now()),
    investor: { id, name },
    history: await ports.accessEvents.history(request.id),
  };
}

interface Filter {
  readonly companyId?: string | undefined;
  readonly status?: AccessRequestStatus | undefined;
}

/**
 * The newest requests to one company or to all, newest first.
 *
 * @throws OperatorError `not_found`
 */
export const listCompanyAccessRequests =
  (ports: Ports) =>
  async ({ companyId, status }: Filter = {}): Promise<AccessRequest[]> => {
    if (companyId !== undefined) await findCompany(ports, companyId);
    return listNewest(ports, { companyId, status });
  };

async function listNewest(
  { accessRequests, clock }: Ports,
  filter: Omit<ListedRequests, 'now' | 'limit'>,
): Promise<AccessRequest[]> {
  const now = clock.now();
  const requests = await accessRequests.list({ ...filter, now, limit: maxListed });
  return requests.map((request) => asOf(request, now));
}
