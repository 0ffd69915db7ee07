import type { Environment } from '../identity/investor.ts';
import { base64url, compactJws, signingInput } from '../proof/jws.ts';
import type { SigningIdentity } from '../proof/signing-key.ts';

/** How far the signed receipts of a request go. */
export interface ReceiptsHead {
  readonly environment: Environment;
  readonly accessRequestId: string;
  /** How many there are. */
  readonly receipts: number;
  readonly lastReceiptId: string | null;
  /** An instant before the receipts were read: what came later may be missing. */
  readonly issuedAt: Date;
  /** Whether a later receipt is there without a signature. */
  readonly awaitsSignature: boolean;
}

/**
 * The signed head of a chain of receipts, in version 1. It tells who has the receipts that none is missing at their end;
 * it is signed anew whenever it is asked for, and kept nowhere.
 */
export function issueHead(head: ReceiptsHead, { kid, sign }: SigningIdentity): string {
  const header = base64url(JSON.stringify({ alg: 'EdDSA', kid, typ: 'consent-receipts-head+jws' }));
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
