import { type AccessRequest, newRequestFields } from '../consent/access-request.ts';
import { type Receipt, receiptIdOf } from '../consent/receipt.ts';
import { versionAfter, versionOf } from '../consent/request-version.ts';
import { noLimits } from '../consent/terms.ts';
import { type AccessRequestAction, transition } from '../consent/transition.ts';
import type { AccessEvent } from '../events/access-event.ts';
import { addMilliseconds } from '../time.ts';
import { differences } from './differences.ts';

/** An event with its investor and company, which the database stores in separate columns. */
export interface StoredEvent extends AccessEvent {
  readonly investorId: string;
  readonly companyId: string;
}

export interface StoredReceipt extends Receipt {
  readonly eventId: string;
  readonly accessRequestId: string;
  readonly companyId: string;
}

export interface ConsentTrail {
  readonly request: AccessRequest;
  /** The events of the request, oldest first. */
  readonly events: readonly StoredEvent[];
  readonly receipts: readonly StoredReceipt[];
}

/** The clocks of two machines may differ by this much. The database policies allow the same difference. */
const toleratedMilliseconds = 300_000;

/**
 * Compares an access request with its history. The stored request must equal the request in its last event.
 * `transition` must lead from each event to the next one. Each event must have its receipt in the receipt chain.
 * Signatures are verified elsewhere.
 *
 * Old events are also checked with the current `transition`. So a change to `transition` must keep the results for old
 * events.
 *
 * @returns the first problem, or null
 */
export function findInconsistency(
  request: AccessRequest,
  events: readonly StoredEvent[],
  receipts: readonly StoredReceipt[],
): string | null {
  return (
    findInRow(request, events) ??
    findFirst(events, (event, before) => findInEvent(event, before)) ??
    findInReceipts(events, receipts)
  );
}

function findInRow(request: AccessRequest, events: readonly StoredEvent[]): string | null {
  const last = events.at(-1);
  if (last === undefined) return 'it has no event';
  return describe(`it differs from its last event ${last.id}`, request, last.accessRequest);
}

/** Returns the first problem in a list. Checks each item together with the previous item. */
function findFirst<Item>(
  items: readonly Item[],
  find: (item: Item, before: Item | undefined) => string | null,
): string | null {
  for (const [index, item] of items.entries()) {
    const problem = find(item, items[index - 1]);
    if (problem !== null) return problem;
  }
  return null;
}

function findInEvent(event: StoredEvent, before: StoredEvent | undefined): string | null {
  const { id, accessRequest: after, investorId, companyId } = event;
  if (investorId !== after.investorId || companyId !== after.companyId) {
    return `the event ${id} names another investor or company than its request`;
  }
  if (before === undefined) {
    return describe(
      `the first event ${id} isn't the creation of a request`,
      after,
      initialRequestOf(event),
    );
  }
  if (event.createdAt < addMilliseconds(before.createdAt, -toleratedMilliseconds)) {
    return `the event ${id} is older than the event before it`;
  }
  try {
    const expected = replay(before.accessRequest, event);
    return describe(`the event ${id} doesn't match its action`, after, expected);
  } catch (error) {
    return `the event ${id} can't follow the one before: ${(error as Error).message}`;
  }
}

/** Returns the request as it must be after its creation. Only requested fields and deadline are from the event. */
function initialRequestOf({ id, type, createdAt, accessRequest }: AccessEvent): object {
  const isLater = accessRequest.createdAt > createdAt;
  const begin = { ...accessRequest, ...newRequestFields, version: versionOf(id) };
  const lastEventType = type === newRequestFields.lastEventType ? type : undefined;
  return { ...begin, lastEventType, createdAt: isLater ? accessRequest.createdAt : createdAt };
}

function replay(before: AccessRequest, event: AccessEvent): AccessRequest {
  const action = actionOf(event);
  const after = transition(before, action, event.createdAt);
  return { ...after, version: versionAfter(before, action, event.id) };
}

function actionOf({ type, createdAt, accessRequest, reason }: AccessEvent): AccessRequestAction {
  const { status, approvedScopes, requestedScopes, pendingScopes } = accessRequest;
  const terms = accessRequest.approvedTerms ?? noLimits;
  // Without an expiry, uses the event's time, because `transition` requires a time.
  const expiresAt = accessRequest.expiresAt ?? createdAt;
  switch (type) {
    case 'access_request.approved':
      return {
        type: 'approve',
        scopes: approvedScopes,
        terms,
        expiresAt,
        isEndChosen: accessRequest.reviewAt === null,
        reason,
        approvals: accessRequest.approvals,
      };
    case 'access_request.approval_added': {
      const [approval] = accessRequest.approvals;
      if (approval === undefined) throw new Error('it has no approval');
      return { type: 'confirm', approval };
    }
    case 'access_request.narrowed':
      return { type: 'narrow', scopes: approvedScopes, terms };
    case 'access_request.paused':
      return { type: 'pause' };
    case 'access_request.resumed':
      return { type: 'resume' };
    case 'access_request.first_read':
      return { type: 'startUse' };
    case 'access_request.declined':
    case 'access_request.amendment_declined':
      return { type: 'decline', reason };
    case 'access_request.revoked':
      return { type: 'revoke', reason };
    case 'access_request.extended':
      return { type: 'extend', expiresAt };
    case 'access_request.amended':
      return status === 'pending'
        ? {
            type: 'amend',
            scopes: requestedScopes,
            terms: accessRequest.requestedTerms ?? noLimits,
            purpose: accessRequest.purpose,
          }
        : {
            type: 'amend',
            scopes: pendingScopes,
            terms: accessRequest.pendingTerms ?? undefined,
            purpose: accessRequest.pendingPurpose,
          };
    case 'access_request.withdrawn':
      return { type: 'withdraw' };
    case 'access_request.expiring':
      return { type: 'remind' };
    case 'access_request.review_due':
      return { type: 'review' };
    case 'access_request.expired':
      return { type: 'expire' };
    default:
      throw new Error('it is a second created event');
  }
}

function findInReceipts(
  events: readonly StoredEvent[],
  receipts: readonly StoredReceipt[],
): string | null {
  const byEvent = new Map(receipts.map((receipt) => [receipt.eventId, receipt]));
  return findFirst(events, (event, before) => {
    const receipt = byEvent.get(event.id);
    if (receipt === undefined) return `the event ${event.id} has no receipt`;
    const { id, signedAt, issuedAt } = receipt;
    const previous = before && byEvent.get(before.id);
    const expected = {
      ...receipt,
      id: receiptIdOf(event.id),
      previousId: previous?.id ?? null,
      accessRequestId: event.accessRequest.id,
      companyId: event.companyId,
      issuedAt: event.createdAt,
      environment: previous?.environment ?? receipt.environment,
    };
    if (signedAt !== null && signedAt < addMilliseconds(issuedAt, -toleratedMilliseconds)) {
      return `the receipt ${id} was signed before it was issued`;
    }
    return describe(
      `the receipt ${id} doesn't follow from its event and the previous receipt`,
      receipt,
      expected,
    );
  });
}

function describe(problem: string, stored: object, expected: object): string | null {
  const names = differences(stored, expected);
  return names.length === 0 ? null : `${problem}: ${names.join(', ')}`;
}
