import { compactVerify, createLocalJWKSet } from 'jose';
import type { SigningKey } from '#core';

export interface ShownReceipt {
  readonly id: string;
  readonly jws: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read it field by field
export type ReceiptPayload = Record<string, any>;

export const jwksOf = (keys: readonly Pick<SigningKey, 'kid' | 'x'>[]) => ({
  keys: keys.map(({ kid, x }) => ({ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA' })),
});

/**
 * Checks receipts without code of the service: with the package jose and the rules of
 * docs/consent.md. The error names the defect.
 */
export async function verifyChain(
  receipts: readonly ShownReceipt[],
  jwks: ReturnType<typeof jwksOf>,
): Promise<ReceiptPayload[]> {
  const keys = createLocalJWKSet(jwks);
  const payloads: ReceiptPayload[] = [];
  for (const { id, jws } of receipts) {
    const { payload, protectedHeader } = await compactVerify(jws, keys, { algorithms: ['EdDSA'] });
    const said: ReceiptPayload = JSON.parse(new TextDecoder().decode(payload));
    const previous = payloads.at(-1);
    require(protectedHeader.typ === 'consent-receipt+jws', `${id} is no receipt`);
    const version = 'approvals' in said ? 3 : said.actor.type === 'contact' ? 2 : 1;
    require(said.v === version, `${id} is of an unknown version`);
    require(said.receipt_id === id, `${id} is the receipt ${said.receipt_id}`);
    require(said.previous_receipt_id ===
      (previous?.receipt_id ?? null), `${id} follows another one`);
    require(previous === undefined ||
      previous.access_request_id === said.access_request_id, `${id} is of another request`);
    payloads.push(said);
  }
  return payloads;
}

function require(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

export const confirm = async (): Promise<boolean> => true;

export function payloadOf({ jws }: Pick<ShownReceipt, 'jws'>): ReceiptPayload {
  return JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString());
}
