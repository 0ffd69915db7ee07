import type { Environment } from '../identity/investor.ts';
import { ownHeader, signingInput } from '../proof/jws.ts';
import type { SigningIdentity } from '../proof/signing-key.ts';
import type { MetricRevision } from './metric.ts';

/** The signed fields of a value, without the time of signing. */
export interface MetricClaims
  extends Pick<
    MetricRevision,
    'companyId' | 'key' | 'period' | 'rawValue' | 'currency' | 'asOf' | 'source' | 'revision'
  > {
  readonly environment: Environment;
}

/** The stored fields of a signature. The header and the payload can be rebuilt from the value. */
export interface MetricSignature {
  readonly signedAt: Date;
  readonly keyNumber: number;
  /** The signature, which is always 64 bytes long. */
  readonly signature: Uint8Array;
}

/** Builds the payload in format 1. Stored signatures depend on every byte, so any change needs a new format number. */
export function metricPayload(claims: MetricClaims, signedAt: Date): string {
  const { system, method, lastSynced } = claims.source;
  return JSON.stringify({
    v: 1,
    environment: claims.environment,
    company_id: claims.companyId,
    key: claims.key,
    period: claims.period,
    raw_value: claims.rawValue,
    currency: claims.currency,
    as_of: claims.asOf.toISOString(),
    source: { system, method, last_synced: lastSynced.toISOString() },
    revision: claims.revision,
    signed_at: signedAt.toISOString(),
  });
}

export const metricHeader = (kid: string): string => ownHeader(kid, 'metric+jws');

export function signMetric(
  identity: SigningIdentity,
  claims: MetricClaims,
  signedAt: Date,
): MetricSignature {
  const text = signingInput(metricHeader(identity.kid), metricPayload(claims, signedAt));
  const signature = identity.sign(text);
  return { signedAt, keyNumber: identity.keyNumber, signature };
}
