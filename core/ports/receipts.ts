import type { Receipt, ReceiptSignature } from '../model/consent/receipt.ts';
import type { Cursor } from '../model/cursor.ts';
import type { AccessEvent } from '../model/events/access-event.ts';

export interface ReceiptOfEvent {
  readonly event: AccessEvent;
  readonly receipt: Receipt;
}

/** What a receipt gets that was not signed with its event. */
export interface LateSignature {
  readonly id: Receipt['id'];
  readonly signature: ReceiptSignature;
  readonly signedAt: Date;
}

/** A part of the receipts of one request. */
export interface ReceiptQuery {
  readonly accessRequestId: string;
  /** Only those after this receipt. */
  readonly after: string | null;
  readonly limit: number;
}

export interface ReceiptPlace {
  readonly number: number;
  readonly environment: Receipt['environment'];
}

/** Receipts are written with their events; the store itself must refuse to change or remove one. */
export interface Receipts {
  /**
   * Oldest first, signed or not; null when the request has no receipt `after`. Must answer any number of questions asked
   * at once in a few statements.
   */
  list(query: ReceiptQuery): Promise<readonly ReceiptOfEvent[] | null>;
  /** Of a receipt that is there: which one of its request it is, counted from 1. */
  findPlace(id: string): Promise<ReceiptPlace>;
  /** Those of all requests that have no signature, oldest first; only later ones than `after`, by `issuedAt`, then id. */
  listUnsigned(limit: number, after?: Cursor | null): Promise<readonly ReceiptOfEvent[]>;
  /** Must leave a signature that is there already. Answers how many receipts were signed. */
  sign(signatures: readonly LateSignature[]): Promise<number>;
}
