import { publicUrl } from '../settings.ts';

export const signingKid = 'k'.repeat(43);

export const publicKeyUrl = `${publicUrl}/.well-known/jwks.json`;

const base64url = (text: string) => Buffer.from(text).toString('base64url');

export const jwsHeader = base64url(
  JSON.stringify({ alg: 'EdDSA', kid: signingKid, typ: 'metric+jws' }),
);

interface Signed {
  readonly companyId: string;
  readonly key: string;
  readonly period: string;
  readonly rawValue: string;
  readonly currency: string | null;
  readonly asOf: string;
  readonly source: {
    readonly system: string;
    readonly method: string;
    readonly lastSynced: string;
  };
  readonly revision: number;
  readonly signedAt: string;
  readonly signature: Uint8Array;
}

/** Builds the compact form of a JWS from a stored signature. */
export function compactJws(value: Signed): string {
  const { system, method, lastSynced } = value.source;
  const payload = JSON.stringify({
    v: 1,
    environment: 'live',
    company_id: value.companyId,
    key: value.key,
    period: value.period,
    raw_value: value.rawValue,
    currency: value.currency,
    as_of: value.asOf,
    source: { system, method, last_synced: lastSynced },
    revision: value.revision,
    signed_at: value.signedAt,
  });
  return `${jwsHeader}.${base64url(payload)}.${Buffer.from(value.signature).toString('base64url')}`;
}
