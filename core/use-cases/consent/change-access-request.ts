import { type AccessRequest, asOf, isAccessRequestId } from '../../model/consent/access-request.ts';
import type { RepeatableAction } from '../../model/consent/decision.ts';
import {
  checkVersion,
  type ExpectedVersion,
  versionAfter,
} from '../../model/consent/request-version.ts';
import { type AccessRequestAction, transition } from '../../model/consent/transition.ts';
import { createAccessEvent } from '../../model/events/access-event.ts';
import type { Actor } from '../../model/events/event-type.ts';
import type { ActingCredential } from '../../model/identity/acting-credential.ts';
import type { OwnerOrOperator } from '../../model/identity/owner.ts';
import type { Ports } from '../../ports/index.ts';
import { requireOwned } from './find-access-request.ts';
import { isRepeated } from './repeated-decision.ts';
import { type SignedTransaction, transactSigned } from './transact-signed.ts';

export interface Change {
  readonly id: string;
  readonly actor: Actor;
  readonly credential: ActingCredential | null;
  /** For the actor, only this owner's requests exist. */
  readonly owner: OwnerOrOperator;
  action(request: AccessRequest, now: Date): AccessRequestAction;
  /** The action that the actor may repeat. The request stays unchanged if the repetition asks for nothing else. */
  readonly repeatable?: RepeatableAction | undefined;
  readonly version?: ExpectedVersion;
}

/**
 * Changes an access request, and writes its event and receipt, in one transaction.
 *
 * @throws AccessError `access_request_not_found`, `request_changed`, and the refusals of the action
 */
export async function changeAccessRequest(ports: Ports, change: Change): Promise<AccessRequest> {
  return transactSigned(ports, change.credential, async (transaction) => {
    const request = isAccessRequestId(change.id) ? await transaction.lock(change.id) : null;
    requireOwned(request, change.owner, change.id);
    const now = ports.clock.now();
    const current = asOf(request, now);
    const { repeatable, version } = change;
    const isRepetition =
      repeatable !== undefined &&
      (await isRepeated(transaction, current, repeatable, version, now));
    if (isRepetition) return current;
    checkVersion(current, version);
    const next = { actor: change.actor, action: change.action(request, now) };
    return applyAction(ports, transaction, request, next, now);
  });
}

export interface ActorAction {
  readonly actor: Actor;
  readonly action: AccessRequestAction;
}

/** Writes the change of a locked request with its event and receipt. */
export async function applyAction(
  { ids }: Pick<Ports, 'ids'>,
  transaction: SignedTransaction,
  request: AccessRequest,
  { actor, action }: ActorAction,
  now: Date,
): Promise<AccessRequest> {
  const after = transition(request, action, now);
  const reason = 'reason' in action ? action.reason : null;
  const eventId = ids.next('evt');
  const next = { ...after, version: versionAfter(request, action, eventId) };
  await transaction.save(next);
  const event = createAccessEvent(eventId, next, actor, now, reason);
  await transaction.addEvent(event);
  return next;
}
