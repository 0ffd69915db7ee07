import type { AccessEvent } from '../events/access-event.ts';
import type { Actor } from '../events/event-type.ts';
import { compactJws, ownHeader, signingInput } from '../proof/jws.ts';
import type { SigningIdentity } from '../proof/signing-key.ts';
import { type AccessRequest, allRequestedScopes, allRequestedTerms } from './access-request.ts';
import {
  type IssuedReceipt,
  type Receipt,
  type ReceiptContext,
  type ReceiptSignature,
  receiptIdOf,
} from './receipt.ts';
import type { AccessTerms } from './terms.ts';

/** Creates the receipt of an event. Without a signing key, the receipt stays unsigned. */
export function createReceipt(
  event: AccessEvent,
  context: ReceiptContext,
  identity: SigningIdentity | null,
): Receipt {
  const receipt = {
    id: receiptIdOf(event.id),
    previousId: context.previousId,
    issuedAt: event.createdAt,
    environment: context.environment,
    companyName: context.companyName,
    investorName: context.investorName,
    signedAt: null,
    signature: null,
  };
  return { ...receipt, signature: identity && signReceipt(event, receipt, identity) };
}

export function signReceipt(
  event: AccessEvent,
  receipt: Receipt,
  identity: SigningIdentity,
): ReceiptSignature {
  const { keyNumber, kid } = identity;
  const text = signingInput(headerOf(kid), payloadOf(event, receipt));
  return { keyNumber, kid, bytes: identity.sign(text) };
}

/** Returns the receipt in the form that the company and the investor get. Null if the receipt isn't signed yet. */
export function issueReceipt(event: AccessEvent, receipt: Receipt | null): IssuedReceipt | null {
  if (receipt === null || receipt.signature === null) return null;
  const { kid, bytes } = receipt.signature;
  return { id: receipt.id, jws: compactJws(headerOf(kid), payloadOf(event, receipt), bytes) };
}

const headerOf = (kid: string) => ownHeader(kid, 'consent-receipt+jws');

/**
 * Builds the signed payload. The receipt of a request with terms, a pause or several approvals has payload version 3.
 * Any other change by a contact has version 2, which also contains how the contact signed in. All other changes have
 * version 1. Stored signatures depend on every byte. So any change to the fields or their order needs a new version.
 */
function payloadOf({ id, type, accessRequest, actor, reason }: AccessEvent, receipt: Receipt) {
  const isLimited = hasTerms(accessRequest);
  return JSON.stringify({
    v: isLimited ? 3 : actor.type === 'contact' ? 2 : 1,
    receipt_id: receipt.id,
    previous_receipt_id: receipt.previousId,
    event_id: id,
    event_type: type,
    issued_at: receipt.issuedAt.toISOString(),
    environment: receipt.environment,
    access_request_id: accessRequest.id,
    data_subject: { id: accessRequest.companyId, name: receipt.companyName },
    data_recipient: { id: accessRequest.investorId, name: receipt.investorName },
    // As soon as an addition is requested, receipts contain the purpose of the addition.
    purpose: accessRequest.pendingPurpose ?? accessRequest.purpose,
    requested_scopes: allRequestedScopes(accessRequest),
    approved_scopes: accessRequest.approvedScopes,
    ...(isLimited && {
      requested_terms: presentTerms(allRequestedTerms(accessRequest)),
      approved_terms: presentTerms(accessRequest.approvedTerms),
      paused_at: accessRequest.pausedAt?.toISOString() ?? null,
    }),
    valid_until: accessRequest.expiresAt?.toISOString() ?? null,
    status: accessRequest.status,
    actor: presentActor(actor),
    ...(isLimited && {
      approvals: accessRequest.approvals.map((approval) => ({
        ...presentActor(approval.actor),
        created_at: approval.createdAt,
      })),
    }),
    reason,
    ...(receipt.signedAt && { signed_at: receipt.signedAt.toISOString() }),
  });
}

const presentActor = (actor: Actor) => ({
  type: actor.type,
  id: actor.id,
  ...(actor.type === 'contact' && { signed_in_by: actor.signedInBy }),
});

const presentTerms = (terms: AccessTerms | null) =>
  terms && { metric_keys: terms.metricKeys, history_from: terms.historyFrom, use: terms.use };

const hasTerms = ({
  requestedTerms,
  approvedTerms,
  pendingTerms,
  pausedAt,
  approvals,
}: AccessRequest): boolean =>
  [requestedTerms, approvedTerms, pendingTerms, pausedAt].some((each) => each !== null) ||
  approvals.length > 0;
