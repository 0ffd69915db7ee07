import type { AccessEvent, AccessRequest, GrantableScope } from '#core';

/** What a receipt says, of what a person reads. Version 1 of the format. */
export interface ReceiptPayload {
  readonly event_type: AccessEvent['type'];
  readonly issued_at: string;
  readonly purpose: string | null;
  readonly requested_scopes: readonly GrantableScope[];
  readonly approved_scopes: readonly GrantableScope[];
  readonly valid_until: string | null;
  readonly status: AccessRequest['status'];
  readonly actor: AccessEvent['actor'];
  readonly reason: string | null;
  readonly signed_at?: string;
}

/** What one of our own receipts says, so that the page shows what was signed and not what is stored beside it. */
export function readPayload(jws: string): ReceiptPayload {
  const [, payload = ''] = jws.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}
