import { ensure, OperatorError } from '../errors.ts';
import { createAccessEvent } from '../events/access-event.ts';
import type { Ports } from '../ports.ts';
import { requirePlainText } from '../text.ts';
import { addDays } from '../time.ts';
import { type AccessRequest, type AccessRequestAction, transition } from './access-request.ts';

const maxReasonLength = 1000;

interface Approval {
  /** A non-empty part of what was requested; all of it when absent. */
  readonly scopes?: readonly string[] | undefined;
  /** The end of the grant; the default of the service when absent. */
  readonly expiresAt?: Date | undefined;
}

/** @throws OperatorError `not_found`, `invalid` or `illegal_transition`; the request then stays as it was */
export const approveAccessRequest =
  (ports: Ports) =>
  (id: string, { scopes, expiresAt }: Approval = {}): Promise<AccessRequest> =>
    decideOn(ports, id, (now) => ({
      type: 'approve',
      scopes,
      expiresAt: expiresAt ?? addDays(now, ports.settings.grantTtlDays),
    }));

/** @throws OperatorError `not_found`, `invalid` or `illegal_transition` */
export const declineAccessRequest =
  (ports: Ports) =>
  (id: string, reason: string | null = null): Promise<AccessRequest> =>
    decideOn(ports, id, () => ({ type: 'decline', reason: checkReason(reason) }));

/**
 * Takes a grant back. Every read that starts after this has resolved is refused, on every process.
 *
 * @throws OperatorError `not_found`, `invalid` or `illegal_transition`
 */
export const revokeAccessRequest =
  (ports: Ports) =>
  (id: string, reason: string | null = null): Promise<AccessRequest> =>
    decideOn(ports, id, () => ({ type: 'revoke', reason: checkReason(reason) }));

const expiryBatchSize = 100;

/**
 * Writes down what the clock has decided already, so that each request whose deadline has come gets its event, and
 * forgets old idempotency keys. Decisions do not wait for it. Any number of processes may run it at once.
 *
 * @returns how many requests were moved to `expired`
 */
export const expireAccessRequests = (ports: Ports) => async (): Promise<number> => {
  await ports.idempotencyKeys.forgetExpired(ports.clock.now());
  const ids = await ports.accessRequests.listPastDeadline(ports.clock.now(), expiryBatchSize);
  let expired = 0;
  for (const id of ids) {
    try {
      await decideOn(ports, id, () => ({ type: 'expire' }));
      expired += 1;
    } catch (error) {
      // Another process was quicker with this one.
      if (!(error instanceof OperatorError)) throw error;
    }
  }
  return expired;
};

/** One transition and its event, in one transaction. */
function decideOn(
  { accessRequests, clock, ids }: Ports,
  id: string,
  action: (now: Date) => AccessRequestAction,
): Promise<AccessRequest> {
  return accessRequests.transact(async (transaction) => {
    const request = await transaction.lock(id);
    ensure(request !== null, 'not_found', `there is no access request ${id}`);
    const now = clock.now();
    const next = transition(request, action(now), now);
    await transaction.save(next);
    await transaction.addEvent(createAccessEvent(ids.next('evt'), next, now));
    return next;
  });
}

function checkReason(reason: string | null): string | null {
  if (reason === null) return null;
  const isShort = reason.length <= maxReasonLength;
  ensure(isShort, 'invalid', `a reason has at most ${maxReasonLength} characters`);
  return requirePlainText(reason);
}
