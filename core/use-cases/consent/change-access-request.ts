import {
  type AccessRequest,
  asOf,
  eventsOf,
  isAccessRequestId,
} from '../../model/consent/access-request.ts';
import { changesNothing, type RepeatableAction } from '../../model/consent/decision.ts';
import {
  checkVersion,
  type ExpectedVersion,
  isExpectedVersion,
  versionAfter,
} from '../../model/consent/request-version.ts';
import { type AccessRequestAction, transition } from '../../model/consent/transition.ts';
import { type AccessEvent, createAccessEvent } from '../../model/events/access-event.ts';
import type { Actor } from '../../model/events/event-type.ts';
import type { ActingCredential } from '../../model/identity/acting-credential.ts';
import type { OwnerOrOperator } from '../../model/identity/owner.ts';
import type { Ports } from '../../ports/index.ts';
import { requireOwned } from './find-access-request.ts';
import { type SignedTransaction, transactSigned } from './transact-signed.ts';

export interface Change {
  readonly id: string;
  readonly actor: Actor;
  readonly credential: ActingCredential | null;
  /** The actor can change only this owner's requests. */
  readonly owner: OwnerOrOperator;
  /** Returns the action, or null if the actor has already carried it out. */
  action(
    request: AccessRequest,
    now: Date,
    transaction: SignedTransaction,
  ): AccessRequestAction | null | Promise<AccessRequestAction | null>;
  /** The action that the actor may repeat. A repetition leaves the request unchanged. */
  readonly repeatable?: RepeatableAction | undefined;
  readonly version?: ExpectedVersion;
}

/**
 * Changes an access request, and writes its event and receipt, in one transaction.
 *
 * @throws AccessError `access_request_not_found`, `request_changed`, and the errors of the action
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
    const action = await change.action(request, now, transaction);
    if (action === null) return current;
    return applyAction(ports, transaction, request, { actor: change.actor, action }, now);
  });
}

export interface ActorAction {
  readonly actor: Actor;
  readonly action: AccessRequestAction;
}

export async function applyAction(
  { ids }: Ports,
  transaction: SignedTransaction,
  request: AccessRequest,
  { actor, action }: ActorAction,
  now: Date,
): Promise<AccessRequest> {
  const after = transition(request, action, now);
  const reason = 'reason' in action ? (action.reason ?? null) : null;
  const eventId = ids.next('evt');
  const next = { ...after, version: versionAfter(request, action, eventId) };
  await transaction.save(next);
  await transaction.addEvent(createAccessEvent(eventId, next, actor, now, reason));
  return next;
}

/** Returns true if the action was already carried out on the version `decided`, and its result still applies. */
async function isRepeated(
  transaction: SignedTransaction,
  request: AccessRequest,
  action: RepeatableAction,
  decided: ExpectedVersion,
  now: Date,
): Promise<boolean> {
  if (isExpectedVersion(request, decided)) return changesNothing(request, action, now);
  if (decided == null) return false;
  const change = await transaction.findChange(request.id, decided);
  return change !== null && isSameDecision(change, action) && isStillInEffect(change, request, now);
}

const isSameDecision = (
  { type, accessRequest, createdAt }: AccessEvent,
  action: RepeatableAction,
): boolean => eventsOf(action.type).has(type) && changesNothing(accessRequest, action, createdAt);

const isStillInEffect = ({ accessRequest }: AccessEvent, request: AccessRequest, now: Date) =>
  accessRequest.status === asOf(request, now).status;
