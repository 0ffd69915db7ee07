import type { Environment } from '../identity/investor.ts';
import type { AccessRequest } from './access-request.ts';

/** The facts that a receipt contains in addition to its event. */
export interface ReceiptContext {
  readonly environment: Environment;
  /** The company's name at the time of the event. */
  readonly companyName: string;
  readonly investorName: string;
  /** The receipt of the previous change. Null for the first receipt. */
  readonly previousId: string | null;
}

export interface ReceiptSignature {
  readonly keyNumber: number;
  readonly kid: string;
  /** 64 bytes. */
  readonly bytes: Uint8Array;
}

export interface Receipt extends ReceiptContext {
  readonly id: string;
  readonly issuedAt: Date;
  /** The time of a late signature. Null if the receipt was signed together with its event. */
  readonly signedAt: Date | null;
  /** Null until a key signs it. */
  readonly signature: ReceiptSignature | null;
}

export interface IssuedReceipt {
  readonly id: string;
  /** A compact JWS. */
  readonly jws: string;
}

/**
 * Returns true if the last receipt shows the present status. Returns false while a receipt waits for its signature.
 * Also returns false for an expired grant until a periodic job stores the expiry.
 */
export const showsStatus = (
  { awaitsSignature }: { readonly awaitsSignature: boolean },
  { status }: Pick<AccessRequest, 'status'>,
): boolean => !awaitsSignature && status !== 'expired';

export const receiptIdOf = (eventId: string): string => eventId.replace(/^evt_/, 'rcpt_');

const receiptIdPattern = /^rcpt_[0-9A-Za-z]{1,64}$/;

export const isReceiptId = (text: string): boolean => receiptIdPattern.test(text);
