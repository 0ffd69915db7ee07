import assert from 'node:assert/strict';
import type { Json } from '../../support/http-client.ts';
import type { NormalizedMetric } from './driver.ts';

const decode = (part: string): Json => JSON.parse(Buffer.from(part, 'base64url').toString());

/**
 * Removes the signature, and checks that its fields equal the metric's fields. Other tests check
 * the signature itself. `additions` is true if the protocol returns fields in addition to the
 * contract.
 */
export function withoutSignature(
  { verification, ...metric }: Json,
  additions: 'shown' | 'not shown',
): NormalizedMetric {
  const { verified, signed, ...proof } = verification;
  const { revision, ...told } = metric;
  const withVerification = { ...told, verification: { verified, signed } } as NormalizedMetric;
  assert.equal(revision !== undefined, additions === 'shown');
  if (!signed) {
    assert.deepEqual(proof, {});
    return withVerification;
  }
  const { signature, publicKeyUrl, ...rest } = proof;
  const [header, payload, bytes] = signature.split('.');
  const { kid, ...form } = decode(header);
  assert.deepEqual(form, { alg: 'EdDSA', typ: 'metric+jws' });
  assert.equal(Buffer.from(bytes, 'base64url').length, 64);
  assert.match(publicKeyUrl, /\/\.well-known\/jwks\.json$/);
  assert.match(kid, /^[\w-]{43}$/);
  const { environment, signed_at, ...claims } = decode(payload);
  assert.match(environment, /^(live|test)$/);
  assert.deepEqual(claims, {
    v: 1,
    company_id: told.companyId,
    key: told.key,
    period: told.period,
    raw_value: told.rawValue,
    currency: told.currency,
    as_of: told.asOf,
    source: {
      system: told.source.system,
      method: told.source.method,
      last_synced: told.source.lastSynced,
    },
    revision: revision ?? claims.revision,
  });
  assert.deepEqual(rest, additions === 'shown' ? { revision, signedAt: signed_at } : {});
  return withVerification;
}
