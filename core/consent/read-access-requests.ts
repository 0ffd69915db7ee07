import { z } from 'zod';
import { AccessError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { parseInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import { type AccessRequest, accessRequestStatuses, statusAt } from './access-request.ts';

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
  async (caller: Caller, input: ListAccessRequestsInput = {}): Promise<AccessRequest[]> => {
    const { status } = parseInput(listAccessRequestsInput, input);
    const requests = await accessRequests.list({ investorId: caller.investorId });
    return withStatusNow(requests, clock.now(), status);
  };

const accessRequestInput = z.object({ id: z.string('invalid_parameter') }, 'invalid_parameter');

export type AccessRequestInput = z.input<typeof accessRequestInput>;

/**
 * One request of the caller's investor, with the status that it has now.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another investor's
 */
export const readAccessRequest =
  ({ accessRequests, clock }: Ports) =>
  async (caller: Caller, input: AccessRequestInput): Promise<AccessRequest> => {
    const { id } = parseInput(accessRequestInput, input);
    const request = isAccessRequestId(id) ? await accessRequests.find(id) : null;
    if (request?.investorId !== caller.investorId)
      throw new AccessError('access_request_not_found');
    return { ...request, status: statusAt(request, clock.now()) };
  };

const accessRequestIdPattern = /^ar_[0-9A-Za-z]{1,64}$/;

/** An id of another form belongs to no request, so nothing needs to be looked up for it. */
function isAccessRequestId(text: string): boolean {
  return accessRequestIdPattern.test(text);
}

/** The requests as they stand now; with a status, only those that have it now. */
export function withStatusNow(
  requests: readonly AccessRequest[],
  now: Date,
  status?: AccessRequest['status'],
): AccessRequest[] {
  return requests
    .map((request) => ({ ...request, status: statusAt(request, now) }))
    .filter((request) => status === undefined || request.status === status);
}
