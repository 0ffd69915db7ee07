import { createAccessEvent } from '../events/access-event.ts';
import type { Actor } from '../events/event-type.ts';
import type { Ports } from '../ports.ts';
import type { SigningIdentity } from '../proof/ports.ts';
import { type AccessRequest, asOf, isAccessRequestId } from './access-request.ts';
import type { AccessRequestTransaction } from './ports.ts';
import { signingIdentity } from './sign-receipts.ts';
import {
  type AccessRequestAction,
  isAsItStands,
  type RepeatableAction,
  transition,
} from './transition.ts';

interface Change {
  readonly id: string;
  readonly actor: Actor;
  /** Throws unless the actor may change the request; null when there is none. */
  check(request: AccessRequest | null): asserts request is AccessRequest;
  action(request: AccessRequest, now: Date): AccessRequestAction;
  /** What the actor may send again: the request stays as it is when it asks for nothing else. */
  readonly repeatable?: RepeatableAction;
}

/** The request with the id, outside a transaction. */
export const findAccessRequest = ({ accessRequests }: Ports, id: string) =>
  isAccessRequestId(id) ? accessRequests.find(id) : null;

/** One change of an access request with its event and receipt, in one transaction. */
export async function changeAccessRequest(ports: Ports, change: Change): Promise<AccessRequest> {
  const identity = await signingIdentity(ports);
  return ports.accessRequests.transact(async (transaction) => {
    const request = isAccessRequestId(change.id) ? await transaction.lock(change.id) : null;
    change.check(request);
    const now = ports.clock.now();
    if (change.repeatable !== undefined && isAsItStands(request, change.repeatable, now)) {
      return asOf(request, now);
    }
    const { actor } = change;
    const signed = { ids: ports.ids, identity };
    return act(signed, transaction, request, { actor, action: change.action(request, now) }, now);
  });
}

export interface Act {
  readonly actor: Actor;
  readonly action: AccessRequestAction;
}

/** What an act needs beside its transaction. */
export interface ActPorts extends Pick<Ports, 'ids'> {
  readonly identity: SigningIdentity | null;
}

/** Writes a change of a locked request with its event and receipt. */
export async function act(
  { ids, identity }: ActPorts,
  transaction: AccessRequestTransaction,
  request: AccessRequest,
  { actor, action }: Act,
  now: Date,
): Promise<AccessRequest> {
  const next = transition(request, action, now);
  const reason = 'reason' in action ? action.reason : null;
  await transaction.save(next);
  const event = createAccessEvent(ids.next('evt'), next, actor, now, reason);
  await transaction.addEvent(event, identity);
  return next;
}
