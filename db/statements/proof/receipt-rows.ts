import type { Receipt } from '#core';
import { sql } from '../../connections/store.ts';

/** The columns of a receipt, selected together with its event. All columns are null if the event has no receipt. */
export interface ReceiptRow {
  readonly receiptId: string | null;
  readonly previousId: Receipt['previousId'];
  readonly issuedAt: Receipt['issuedAt'];
  readonly signedAt: Receipt['signedAt'];
  readonly environment: Receipt['environment'];
  readonly receiptCompanyName: string;
  readonly receiptInvestorName: string;
  readonly keyNumber: number | null;
  readonly kid: string | null;
  readonly signature: Uint8Array | null;
}

export const receiptColumns = sql`receipt.id as "receiptId", receipt.previous_id as "previousId",
  receipt.issued_at as "issuedAt", receipt.signed_at as "signedAt", receipt.environment,
  receipt.company_name as "receiptCompanyName", receipt.investor_name as "receiptInvestorName",
  signing_key.number as "keyNumber", signing_key.kid, receipt.signature`;

export const withReceipt = sql`
  left join consent_receipt as receipt on receipt.event_id = event.id
  left join signing_key on signing_key.number = receipt.signing_key`;

export function toReceipt(row: ReceiptRow): Receipt | null {
  const { receiptId: id, previousId, issuedAt, signedAt, environment } = row;
  const { keyNumber, kid, signature } = row;
  if (id === null) return null;
  const isSigned = keyNumber !== null && kid !== null && signature !== null;
  return {
    id,
    previousId,
    issuedAt,
    signedAt,
    environment,
    companyName: row.receiptCompanyName,
    investorName: row.receiptInvestorName,
    signature: isSigned ? { keyNumber, kid, bytes: new Uint8Array(signature) } : null,
  };
}
