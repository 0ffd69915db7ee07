import { CompactSign, calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { verifyMetric } from '../../verify/index.ts';
import { camelMetric, restMetric, samplePayload, signedSample } from './samples.ts';
import {
  createKey,
  exampleKey,
  headerOf,
  jwksOf,
  publicJwk,
  signMetric,
  signTexts,
} from './signing.ts';

const jwks = jwksOf(exampleKey);
const verify = (metric: unknown) => verifyMetric(metric, { jwks });
const signature = signMetric(samplePayload, exampleKey);

describe('a signed metric', () => {
  it('is verified with every digit of its amount, and the signed payload is returned', async () => {
    expect(await verify(signedSample(exampleKey))).toEqual({
      valid: true,
      exact: true,
      kid: await calculateJwkThumbprint(exampleKey.jwk),
      payload: samplePayload,
    });
  });

  it('is verified with the field names of GraphQL and tRPC', async () => {
    expect(await verify(camelMetric(samplePayload, signature))).toMatchObject({
      valid: true,
      exact: true,
    });
  });

  it('is verified if the library jose has signed it', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(samplePayload));
    const jws = await new CompactSign(bytes)
      .setProtectedHeader({ alg: 'EdDSA', kid: exampleKey.kid, typ: 'metric+jws' })
      .sign(exampleKey.privateKey);
    expect(jws).toBe(signature);
  });

  it.each(['EdDSA', 'Ed25519'])(
    'is verified with a key set that contains the algorithm %s',
    async (alg) => {
      const header = headerOf('metric+jws', exampleKey).replace('EdDSA', 'Ed25519');
      const jws = signTexts(header, JSON.stringify(samplePayload), exampleKey);
      const jwks = { keys: [{ ...publicJwk(exampleKey), alg }] };
      const metric = restMetric(samplePayload, jws);
      expect(await verifyMetric(metric, { jwks })).toMatchObject({ valid: true });
    },
  );

  it('is verified with a set of several keys, by the key whose ID is in the signature', async () => {
    const [first, last] = [createKey('first'), createKey('last')];
    const set = jwksOf(first, exampleKey, last);
    expect(await verifyMetric(signedSample(last), { jwks: set })).toMatchObject({
      valid: true,
      kid: 'last',
    });
  });

  it('is verified after JSON.parse if its amount has 37 digits', async () => {
    const payload = { ...samplePayload, raw_value: '1234567890123456789012345.123456789012' };
    const text = JSON.stringify(restMetric(payload, signMetric(payload, exampleKey)));
    const exact = text.replace(/"raw_value":[^,]+/, `"raw_value":${payload.raw_value}`);
    expect(exact).not.toBe(text);
    expect(await verify(JSON.parse(exact))).toMatchObject({ valid: true, exact: true, payload });
  });

  describe('of a voided value', () => {
    const payload = { ...samplePayload, raw_value: null, revision: 2 };
    const jws = signMetric(payload, exampleKey);
    const { raw_value, raw_value_text, ...rest } = restMetric(payload, jws);
    const voided = { ...rest, value: null, raw_value: null, raw_value_text: null };

    it('is verified, and its signed payload has no amount', async () => {
      expect(await verify(voided)).toMatchObject({ valid: true, exact: true, payload });
      const camel = { ...camelMetric(payload, jws), rawValue: null };
      expect(await verify(camel)).toMatchObject({ valid: true, exact: true, payload });
    });

    it.each([0, '0', '', '4182300.55', 4182300.55, false])(
      'is not verified with the amount %j',
      async (amount) => {
        for (const field of ['raw_value', 'raw_value_text']) {
          expect(await verify({ ...voided, [field]: amount })).toMatchObject({
            ...{ valid: false, reason: 'field_differs', field },
          });
        }
      },
    );

    it('is refused if its signature belongs to a value with an amount', async () => {
      const stands = { ...signedSample(exampleKey), raw_value: null, raw_value_text: null };
      expect(await verify(stands)).toMatchObject({ valid: false, reason: 'field_differs' });
    });

    it('is not verified if it lacks the field for the amount', async () => {
      expect(await verify(rest)).toMatchObject({ valid: false, field: 'raw_value' });
    });
  });

  it('is verified without raw_value_text, but only with the precision of a double and exact: false', async () => {
    const payload = { ...samplePayload, raw_value: '0.100000000001' };
    const { raw_value_text, ...metric } = restMetric(payload, signMetric(payload, exampleKey));
    expect(await verify(metric)).toMatchObject({ valid: true, exact: false, payload });
    expect(await verify({ ...metric, raw_value: 0.1 })).toMatchObject({
      valid: false,
      field: 'raw_value',
    });
  });

  it.each([
    ['a count', { currency: null, raw_value: '48' }],
    ['zero', { raw_value: '0' }],
    ['a negative amount', { raw_value: '-0.000000000001' }],
    ['a later revision', { revision: 7 }],
    ['live data', { environment: 'live' as const }],
    [
      'unusual characters',
      { source: { ...samplePayload.source, system: '"\\\u2028😀\u0000\ud800' } },
    ],
  ])('is verified if it has %s', async (_name, change) => {
    expect(await verify(signedSample(exampleKey, { ...samplePayload, ...change }))).toMatchObject({
      valid: true,
    });
  });
});

describe('a signed metric without a currency', () => {
  const { currency, ...count } = signedSample(exampleKey, { ...samplePayload, currency: null });

  it('is verified without the field currency, as in REST, and with null', async () => {
    expect(await verify(count)).toMatchObject({ valid: true, payload: { currency: null } });
    expect(await verify({ ...count, currency: null })).toMatchObject({ valid: true });
  });

  it('is refused if a currency is added', async () => {
    expect(await verify({ ...count, currency: 'USD' })).toMatchObject({
      valid: false,
      reason: 'field_differs',
      field: 'currency',
    });
  });
});

describe('a metric that differs from its signed payload', () => {
  const metric = signedSample(exampleKey);

  it.each([
    ['company_id', { company_id: 'co_lumen' }],
    ['key', { key: 'burn' }],
    ['period', { period: '2026-09-30' }],
    ['currency', { currency: 'EUR' }],
    ['currency', { currency: null }],
    ['as_of', { as_of: '2026-11-01T00:59:59.000+01:00' }],
    ['as_of', { as_of: '2026-10-31T23:59:59Z' }],
    ['source.system', { source: { ...metric.source, system: 'Cafe\u0301 Bank' } }],
    ['source.method', { source: { ...metric.source, method: 'manual' } }],
    ['source.last_synced', { source: { ...metric.source, last_synced: metric.as_of } }],
    ['raw_value', { raw_value: 4182300.56 }],
    ['raw_value', { raw_value: '4182300.550' }],
    ['raw_value', { raw_value: null }],
    ['raw_value_text', { raw_value_text: '4182300.5500000000000000001' }],
    ['raw_value_text', { raw_value_text: '4182300.550' }],
    ['raw_value_text', { raw_value_text: '4.18230055e6' }],
    ['environment', { environment: 'live' }],
    ['revision', { revision: 2 }],
    ['signed_at', { signed_at: '2026-11-01T04:00:01.251Z' }],
    ['revision', { verification: { ...metric.verification, revision: 2 } }],
    ['signedAt', { verification: { ...metric.verification, signedAt: metric.as_of } }],
    // A caller that reads the field's other spelling must not get an unchecked value.
    ['companyId', { companyId: 'co_lumen' }],
    ['rawValue', { rawValue: '1' }],
    ['asOf', { asOf: '2026-10-31T00:00:00.000Z' }],
    ['source.lastSynced', { source: { ...metric.source, lastSynced: metric.as_of } }],
  ])('is refused, and the result contains the name of the field %s: %j', async (field, change) => {
    expect(await verify({ ...metric, ...change })).toEqual({
      valid: false,
      reason: 'field_differs',
      message: `${field} differs from the signed value`,
      field,
    });
  });

  it.each(['company_id', 'key', 'period', 'currency', 'as_of', 'source'])(
    'is refused if its field %s is missing',
    async (field) => {
      expect(await verify({ ...metric, [field]: undefined })).toMatchObject({
        reason: 'field_missing',
        field,
      });
    },
  );

  it('is refused if its amount or a field of its source is missing', async () => {
    const { raw_value, raw_value_text, ...bare } = metric;
    expect(await verify(bare)).toMatchObject({ reason: 'field_missing', field: 'raw_value' });
    const { system, ...source } = metric.source;
    expect(await verify({ ...metric, source })).toMatchObject({
      reason: 'field_missing',
      field: 'source.system',
    });
  });

  it('is refused if a field is missing, even if its prototype has the field', async () => {
    const { company_id, ...bare } = metric;
    expect(await verify(Object.setPrototypeOf(bare, { company_id }))).toMatchObject({
      reason: 'field_missing',
    });
    const parsed = JSON.parse(
      JSON.stringify(bare).replace(/^\{/, '{"__proto__":{"company_id":"co_harbor"},'),
    );
    expect(await verify(parsed)).toMatchObject({ reason: 'field_missing', field: 'company_id' });
  });

  it.each([
    ['is marked as not signed', { signed: false }],
    ['is marked as not signed but has a signature', { signed: false, signature }],
    ['has no signature', { signed: true }],
    ['has the signature null', { signed: true, signature: null }],
  ])('counts as not signed if its verification %s', async (_name, verification) => {
    expect(await verify({ ...metric, verification })).toMatchObject({ reason: 'not_signed' });
  });

  it.each([[{}], [{ verification: null }], [{ verification: 'signed' }]])(
    'counts as not signed if it has no verification object: %j',
    async (value) => {
      expect(await verify(value)).toMatchObject({ valid: false, reason: 'not_signed' });
    },
  );

  it.each([[null], [undefined], [7], ['metric'], [[]]])(
    'counts as malformed if it is not an object: %j',
    async (value) => {
      expect(await verify(value)).toMatchObject({ valid: false, reason: 'malformed' });
    },
  );
});
