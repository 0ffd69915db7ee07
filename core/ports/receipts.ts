import type { Receipt, ReceiptSignature } from '../model/consent/receipt.ts';
import type { Cursor } from '../model/cursor.ts';
import type { AccessEvent } from '../model/events/access-event.ts';

export interface ReceiptOfEvent {
  readonly event: AccessEvent;
  readonly receipt: Receipt;
}

export interface LateSignature extends ReceiptOfEvent {
  readonly signature: ReceiptSignature;
  readonly signedAt: Date;
}

export interface ReceiptQuery {
  readonly accessRequestId: string;
  /** Only receipts after the receipt with this ID. */
  readonly after: string | null;
  readonly limit: number;
}

export interface ReceiptLocation {
  readonly number: number;
  readonly environment: Receipt['environment'];
}

/** Other ports write each receipt together with its event. The repository must refuse to change or remove a receipt. */
export interface Receipts {
  /**
   * Lists signed and unsigned receipts, oldest first. Returns null if `after` isn't a receipt of the access request.
   * Concurrent calls must share a few SQL statements.
   */
  list(query: ReceiptQuery): Promise<readonly ReceiptOfEvent[] | null>;
  /** Returns the number of an existing receipt in its receipt chain. The first receipt has the number 1. */
  locateReceipt(id: string): Promise<ReceiptLocation>;
  /** Lists unsigned receipts, sorted by `issuedAt`, then ID. */
  listUnsigned(limit: number, after?: Cursor | null): Promise<readonly ReceiptOfEvent[]>;
  /**
   * Stores signatures that were made later than their receipts. Must keep existing signatures. Must skip a receipt if
   * an erasure has replaced one of its texts since the receipt was read. Returns the number of signed receipts.
   */
  sign(signatures: readonly LateSignature[]): Promise<number>;
}
