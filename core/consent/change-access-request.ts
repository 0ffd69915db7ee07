import { AccessError } from '../errors.ts';
import { createAccessEvent } from '../events/access-event.ts';
import type { Actor } from '../events/event-type.ts';
import type { Ports } from '../ports.ts';
import { type AccessRequest, asOf, isAccessRequestId, requestVersion } from './access-request.ts';
import type { RequestSide } from './ports.ts';
import { type SignedTransaction, transactSigned } from './transact-signed.ts';
import {
  type AccessRequestAction,
  isAsItStands,
  type RepeatableAction,
  transition,
} from './transition.ts';

interface Change {
  readonly id: string;
  readonly actor: Actor;
  /** Requests of others do not exist for the actor; when absent, those of all do. */
  readonly side?: RequestSide;
  /** Throws unless the actor may change the request; null when there is none. */
  check(request: AccessRequest | null): asserts request is AccessRequest;
  action(request: AccessRequest, now: Date): AccessRequestAction;
  /** What the actor may send again: the request stays as it is when it asks for nothing else. */
  readonly repeatable?: RepeatableAction;
  /** The version of the request that the actor has decided on; when absent, whatever it is. */
  readonly seen?: string | undefined;
}

/** The request with the id, outside a transaction. */
export const findAccessRequest = ({ accessRequests }: Ports, id: string) =>
  isAccessRequestId(id) ? accessRequests.find(id) : null;

/** One change of an access request with its event and receipt, in one transaction. */
export async function changeAccessRequest(ports: Ports, change: Change): Promise<AccessRequest> {
  return transactSigned(
    ports,
    async (transaction) => {
      const request = isAccessRequestId(change.id) ? await transaction.lock(change.id) : null;
      change.check(request);
      const now = ports.clock.now();
      if (change.repeatable !== undefined && isAsItStands(request, change.repeatable, now)) {
        return asOf(request, now);
      }
      checkSeen(asOf(request, now), change.seen);
      const next = { actor: change.actor, action: change.action(request, now) };
      return applyAction(ports, transaction, request, next, now);
    },
    change.side,
  );
}

/** @throws AccessError `request_changed` when the request is another one than was seen */
function checkSeen(request: AccessRequest, seen: string | undefined): void {
  if (seen === undefined || seen === requestVersion(request)) return;
  throw new AccessError('request_changed', {
    message: `the access request ${request.id} has changed since it was read: it is ${request.status} now`,
  });
}

export interface ActorAction {
  readonly actor: Actor;
  readonly action: AccessRequestAction;
}

/** Writes a change of a locked request with its event and receipt. */
export async function applyAction(
  { ids }: Pick<Ports, 'ids'>,
  transaction: SignedTransaction,
  request: AccessRequest,
  { actor, action }: ActorAction,
  now: Date,
): Promise<AccessRequest> {
  const next = transition(request, action, now);
  const reason = 'reason' in action ? action.reason : null;
  await transaction.save(next);
  const event = createAccessEvent(ids.next('evt'), next, actor, now, reason);
  await transaction.addEvent(event);
  return next;
}
