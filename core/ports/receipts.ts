import type { Receipt, ReceiptSignature } from '../model/consent/receipt.ts';
import type { Cursor } from '../model/cursor.ts';
import type { AccessEvent } from '../model/events/access-event.ts';

export interface ReceiptOfEvent {
  readonly event: AccessEvent;
  readonly receipt: Receipt;
}

/** The late signature of a receipt, with what was signed. */
export interface LateSignature extends ReceiptOfEvent {
  readonly signature: ReceiptSignature;
  readonly signedAt: Date;
}

/** A page of a request's receipts. */
export interface ReceiptQuery {
  readonly accessRequestId: string;
  /** Only receipts after this one. */
  readonly after: string | null;
  readonly limit: number;
}

export interface ReceiptPlace {
  readonly number: number;
  readonly environment: Receipt['environment'];
}

/** Receipts are written with their events. The store must refuse to change or remove one. */
export interface Receipts {
  /**
   * Oldest first, signed or not. Null if the request has no receipt `after`. Must answer any number of concurrent
   * questions in a
   * few statements.
   */
  list(query: ReceiptQuery): Promise<readonly ReceiptOfEvent[] | null>;
  /** Returns the place of an existing receipt among those of its request, counted from 1. */
  findPlace(id: string): Promise<ReceiptPlace>;
  /** All unsigned receipts, oldest first. Only those after `after`, by `issuedAt`, then ID. */
  listUnsigned(limit: number, after?: Cursor | null): Promise<readonly ReceiptOfEvent[]>;
  /**
   * Must keep existing signatures, and skip a receipt if an erasure has replaced one of its texts since it was read. Returns
   * the number of signed receipts.
   */
  sign(signatures: readonly LateSignature[]): Promise<number>;
}
