import type { AccessEvent } from '../events/access-event.ts';
import { compactJws, ownHeader, signingInput } from '../proof/jws.ts';
import type { SigningIdentity } from '../proof/signing-key.ts';
import { allRequestedScopes } from './access-request.ts';
import {
  type IssuedReceipt,
  type Receipt,
  type ReceiptContext,
  type ReceiptSignature,
  receiptIdOf,
} from './receipt.ts';

/** Creates the receipt of an event. It stays unsigned without a signing key. */
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

/** Returns the receipt as both sides get it. Null if it isn't signed yet. */
export function issueReceipt(event: AccessEvent, receipt: Receipt | null): IssuedReceipt | null {
  if (receipt === null || receipt.signature === null) return null;
  const { kid, bytes } = receipt.signature;
  return { id: receipt.id, jws: compactJws(headerOf(kid), payloadOf(event, receipt), bytes) };
}

const headerOf = (kid: string) => ownHeader(kid, 'consent-receipt+jws');

/**
 * Builds the signed payload. Changes by a contact have version 2, which contains the way of signing in. All others have
 * version 1. Stored signatures depend on every byte, so any change of fields or order needs a new version.
 */
function payloadOf({ id, type, accessRequest, actor, reason }: AccessEvent, receipt: Receipt) {
  const isPerson = actor.type === 'contact';
  return JSON.stringify({
    v: isPerson ? 2 : 1,
    receipt_id: receipt.id,
    previous_receipt_id: receipt.previousId,
    event_id: id,
    event_type: type,
    issued_at: receipt.issuedAt.toISOString(),
    environment: receipt.environment,
    access_request_id: accessRequest.id,
    data_subject: { id: accessRequest.companyId, name: receipt.companyName },
    data_recipient: { id: accessRequest.investorId, name: receipt.investorName },
    // The purpose of an addition counts from its request on.
    purpose: accessRequest.pendingPurpose ?? accessRequest.purpose,
    requested_scopes: allRequestedScopes(accessRequest),
    approved_scopes: accessRequest.approvedScopes,
    valid_until: accessRequest.expiresAt?.toISOString() ?? null,
    status: accessRequest.status,
    actor: {
      type: actor.type,
      id: actor.id,
      ...(isPerson && { signed_in_by: actor.signedInBy }),
    },
    reason,
    ...(receipt.signedAt && { signed_at: receipt.signedAt.toISOString() }),
  });
}
