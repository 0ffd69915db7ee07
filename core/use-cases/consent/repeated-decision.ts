import { type AccessRequest, asOf, eventsOf } from '../../model/consent/access-request.ts';
import { changesNothing, type RepeatableAction } from '../../model/consent/decision.ts';
import { type ExpectedVersion, isExpectedVersion } from '../../model/consent/request-version.ts';
import type { AccessEvent } from '../../model/events/access-event.ts';
import type { AccessRequestTransaction } from '../../ports/consent.ts';

/** Returns true if the same decision was already made on that version and still stands. */
export async function isRepeated(
  transaction: Pick<AccessRequestTransaction, 'findChange'>,
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
