import type { Environment } from '../identity/investor.ts';
import { compactJws, ownHeader, signingInput } from '../proof/jws.ts';
import type { SigningIdentity } from '../proof/signing-key.ts';

/** The head of a request's receipt chain: it names the last signed receipt. */
export interface ReceiptsHead {
  readonly environment: Environment;
  readonly accessRequestId: string;
  readonly receipts: number;
  readonly lastReceiptId: string | null;
  /** A time before the receipts were read. Receipts that were written after this time may be missing. */
  readonly issuedAt: Date;
  /** True if a later receipt isn't signed yet. */
  readonly awaitsSignature: boolean;
}

/**
 * Signs the head of a receipt chain, version 1. The head proves that no receipt is missing at the end. It is signed
 * again for every call and never stored.
 */
export function issueHead(head: ReceiptsHead, { kid, sign }: SigningIdentity): string {
  const header = ownHeader(kid, 'consent-receipts-head+jws');
  const payload = JSON.stringify({
    v: 1,
    environment: head.environment,
    access_request_id: head.accessRequestId,
    receipts: head.receipts,
    last_receipt_id: head.lastReceiptId,
    issued_at: head.issuedAt.toISOString(),
    ...(head.awaitsSignature && { awaits_signature: true }),
  });
  return compactJws(header, payload, sign(signingInput(header, payload)));
}
