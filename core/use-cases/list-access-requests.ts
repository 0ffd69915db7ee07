import { type AccessRequest, statusAt } from '../access-request.ts';
import type { Caller } from '../caller.ts';
import type { ListAccessRequestsInput } from '../input.ts';
import type { Ports } from '../ports/index.ts';

/** All requests of the caller's investor, newest first, each with the status that it has now. */
export const listAccessRequests =
  ({ accessRequests, clock }: Ports) =>
  async (caller: Caller, { status }: ListAccessRequestsInput): Promise<AccessRequest[]> => {
    const requests = await accessRequests.list({ investorId: caller.investorId });
    return withStatusNow(requests, clock.now(), status);
  };

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
