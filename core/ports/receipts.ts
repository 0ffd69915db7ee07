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
  /** Only receipts after this one. */
  readonly after: string | null;
  readonly limit: number;
}

export interface ReceiptLocation {
  readonly number: number;
  readonly environment: Receipt['environment'];
}

/** Receipts are written with their events. The repository must refuse to change or remove a receipt. */
export interface Receipts {
  /**
   * Lists signed and unsigned receipts, oldest first. Returns null if `after` isn't a receipt of the request.
   * Concurrent calls must share a few SQL statements.
   */
  list(query: ReceiptQuery): Promise<readonly ReceiptOfEvent[] | null>;
  /** Returns the number of an existing receipt in the chain of its request. The first receipt has the number 1. */
  locateReceipt(id: string): Promise<ReceiptLocation>;
  /** Sorted by `issuedAt`, then ID. */
  listUnsigned(limit: number, after?: Cursor | null): Promise<readonly ReceiptOfEvent[]>;
  /**
   * Stores late signatures. Must keep existing signatures. Must skip a receipt if an erasure has replaced one of its
   * texts since it was read. Returns the number of signed receipts.
   */
  sign(signatures: readonly LateSignature[]): Promise<number>;
}
