import type { Environment } from '../identity/investor.ts';
import type { AccessRequest } from './access-request.ts';

/** The facts of a receipt that its event does not have. */
export interface ReceiptContext {
  readonly environment: Environment;
  /** Names as they were at the time of the event. */
  readonly companyName: string;
  readonly investorName: string;
  /** The receipt of the change before; null for the first of a request. */
  readonly previousId: string | null;
}

export interface ReceiptSignature {
  readonly keyNumber: number;
  readonly kid: string;
  /** 64 of them. */
  readonly bytes: Uint8Array;
}

/** The receipt of one event, as it is kept: what it says is put together from both whenever it is shown. */
export interface Receipt extends ReceiptContext {
  readonly id: string;
  readonly issuedAt: Date;
  /** When it was signed, if that was not with its event but later. */
  readonly signedAt: Date | null;
  /** Null until there is a key to sign with. */
  readonly signature: ReceiptSignature | null;
}

/** A receipt as both sides get it. */
export interface IssuedReceipt {
  readonly id: string;
  /** In the compact form. */
  readonly jws: string;
}

/**
 * Whether the last receipt shows the present status: not while a receipt waits for its signature, nor for an expired
 * request, whose receipt is written only when the sweeper notices the end.
 */
export const tellsStatus = (
  { awaitsSignature }: { readonly awaitsSignature: boolean },
  { status }: Pick<AccessRequest, 'status'>,
): boolean => !awaitsSignature && status !== 'expired';

const eventPrefix = 'evt_';
const receiptPrefix = 'rcpt_';

/** An event has one receipt, which has its ID but for the prefix. */
export const receiptIdOf = (eventId: string): string =>
  receiptPrefix + eventId.slice(eventPrefix.length);

const receiptIdPattern = /^rcpt_[0-9A-Za-z]{1,64}$/;

export const isReceiptId = (text: string): boolean => receiptIdPattern.test(text);
