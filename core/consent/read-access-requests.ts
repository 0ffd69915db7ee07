import { AccessError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import type { ListAccessRequestsInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import { type AccessRequest, statusAt } from './access-request.ts';

/** All requests of the caller's investor, newest first, each with the status that it has now. */
export const listAccessRequests =
  ({ accessRequests, clock }: Ports) =>
  async (caller: Caller, { status }: ListAccessRequestsInput): Promise<AccessRequest[]> => {
    const requests = await accessRequests.list({ investorId: caller.investorId });
    return withStatusNow(requests, clock.now(), status);
  };

/**
 * One request of the caller's investor, with the status that it has now.
 *
 * @throws AccessError `access_request_not_found`, also for another investor's
 */
export const readAccessRequest =
  ({ accessRequests, clock }: Ports) =>
  async (caller: Caller, id: string): Promise<AccessRequest> => {
    const request = isAccessRequestId(id) ? await accessRequests.find(id) : null;
    if (request?.investorId !== caller.investorId)
      throw new AccessError('access_request_not_found');
    return { ...request, status: statusAt(request, clock.now()) };
  };

const form = /^ar_[0-9A-Za-z]{1,64}$/;

/** An id of another form belongs to no request, so nothing needs to be looked up for it. */
function isAccessRequestId(text: string): boolean {
  return form.test(text);
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
