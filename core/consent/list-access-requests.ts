import { z } from 'zod';
import { findCompany } from '../company-data/manage-companies.ts';
import { AccessError } from '../errors.ts';
import type { AccessEvent } from '../events/access-event.ts';
import type { Caller } from '../identity/caller.ts';
import { parseInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import {
  type AccessRequest,
  type AccessRequestStatus,
  accessRequestStatuses,
  statusAt,
} from './access-request.ts';

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

/**
 * All requests of the caller's investor, newest first, each with the status that it has now.
 *
 * @throws InputError
 */
export const listAccessRequests =
  ({ accessRequests, clock }: Ports) =>
  async ({ investorId }: Caller, input: ListAccessRequestsInput = {}): Promise<AccessRequest[]> => {
    const { status } = parseInput(listAccessRequestsInput, input);
    return withStatusNow(await accessRequests.list({ investorId }), clock.now(), status);
  };

const accessRequestInput = z.object({ id: z.string('invalid_parameter') }, 'invalid_parameter');

export type AccessRequestInput = z.input<typeof accessRequestInput>;

const accessRequestIdPattern = /^ar_[0-9A-Za-z]{1,64}$/;

/**
 * One request of the caller's investor, with the status that it has now.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another investor's
 */
export const readAccessRequest =
  ({ accessRequests, clock }: Ports) =>
  async ({ investorId }: Caller, input: AccessRequestInput): Promise<AccessRequest> => {
    const { id } = parseInput(accessRequestInput, input);
    // An id of another form belongs to no request, so nothing needs to be looked up for it.
    const request = accessRequestIdPattern.test(id) ? await accessRequests.find(id) : null;
    if (request?.investorId !== investorId) throw new AccessError('access_request_not_found');
    return { ...request, status: statusAt(request, clock.now()) };
  };

interface Filter {
  readonly companyId?: string | undefined;
  readonly status?: AccessRequestStatus | undefined;
}

/**
 * The requests to one company or to all, newest first.
 *
 * @throws OperatorError `not_found`
 */
export const listCompanyAccessRequests =
  (ports: Ports) =>
  async ({ companyId, status }: Filter = {}): Promise<AccessRequest[]> => {
    if (companyId !== undefined) await findCompany(ports, companyId);
    const requests = await ports.accessRequests.list(companyId === undefined ? {} : { companyId });
    return withStatusNow(requests, ports.clock.now(), status);
  };

/** The requests as they stand now; with a status, only those that have it now. */
function withStatusNow(
  requests: readonly AccessRequest[],
  now: Date,
  status: AccessRequestStatus | undefined,
): AccessRequest[] {
  return requests
    .map((request) => ({ ...request, status: statusAt(request, now) }))
    .filter((request) => status === undefined || request.status === status);
}

/** Every transition so far, oldest first. */
export const listAccessEvents =
  ({ accessRequests }: Ports) =>
  (): Promise<AccessEvent[]> =>
    accessRequests.listEvents();
