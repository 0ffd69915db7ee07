import { createPrivateKey, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { base64url, type Metric, metricHeader, metricPayload } from '#core';
import { sampleData } from '../../../support/fixtures.ts';
import { fixedJwk, fixedKid } from '../../../support/signing-key.ts';
import { withoutKey } from '../../builders.ts';
import { createWorld, expectRefusal, start } from '../../world.ts';
import { importIn } from './push-steps.ts';

const company = { type: 'company', id: 'co_harbor', name: 'Harbor', environment: 'test' };
const [sample] = sampleData('co_harbor') as [Record<string, unknown>];
const jwks = JSON.stringify({
  keys: [
    { kty: 'RSA', n: 'x', e: 'AQAB' },
    { kty: 'OKP', crv: 'Ed25519', x: fixedJwk.x, kid: fixedKid },
  ],
});

const createKeyless = () => createWorld(withoutKey);

const { source } = sample as { source: Record<'system' | 'method' | 'last_synced', string> };
const claims = JSON.parse(
  metricPayload(
    {
      environment: 'test',
      companyId: 'co_harbor',
      key: 'cash_balance',
      period: String(sample.period),
      rawValue: String(sample.raw_value) as Metric['rawValue'],
      currency: 'USD',
      asOf: new Date(String(sample.as_of)),
      source: { ...source, lastSynced: new Date(source.last_synced) },
      revision: 1,
    },
    start,
  ),
);

function signed(payload: string, header = metricHeader(fixedKid)): string {
  const text = `${header}.${base64url(payload)}`;
  const key = createPrivateKey({ key: fixedJwk, format: 'jwk' });
  return `${text}.${base64url(sign(null, Buffer.from(text), key))}`;
}

const line = (signature: string, change: object = {}) => ({
  ...sample,
  verification: { verified: true, signed: true, signature },
  ...change,
});
const saying = (change: object, more: object = {}) =>
  line(signed(JSON.stringify({ ...claims, ...change })), more);
const good = () => saying({});

describe('a value with a signature', () => {
  test('is stored with its signature, and its signing key is registered', async () => {
    const world = createKeyless();
    const { result, reasons } = await importIn(world, [company, good()], { jwks });
    expect(reasons).toEqual([]);
    expect(result).toMatchObject({ inserted: 2, signed: 1, unsigned: 0 });
    const [metric] = await world.operator.showMetricHistory({
      companyId: 'co_harbor',
      key: 'cash_balance',
    });
    const { signature } = good().verification;
    expect(metric?.verification).toMatchObject({ signed: true, signature, signedAt: start });
    expect(await world.operator.listSigningKeys()).toMatchObject([
      { kid: fixedKid, state: 'imported' },
    ]);
    const again = await importIn(world, [good()]);
    expect(again.result).toMatchObject({ unchanged: 1, problems: 0 });
  });

  test('is accepted if its line has the same revision number as the signature', async () => {
    const record = { ...good(), revision: 1 };
    const { result, reasons } = await importIn(createKeyless(), [company, record], { jwks });
    expect(reasons).toEqual([]);
    expect(result).toMatchObject({ inserted: 2, signed: 1 });
  });

  test('doesn’t register its signing key if another line of the file is invalid', async () => {
    const world = createKeyless();
    const { reasons } = await importIn(world, [company, good(), { type: 'nonsense' }], { jwks });
    expect(reasons).toHaveLength(1);
    expect(await world.ports.signingKeys.list()).toEqual([]);
  });

  test('doesn’t register its signing key if the signature is invalid', async () => {
    const world = createKeyless();
    const { reasons } = await importIn(world, [company, saying({ raw_value: '1' })], { jwks });
    expect(reasons).toEqual(['verification.signature: differs in raw_value']);
    expect(await world.ports.signingKeys.list()).toEqual([]);
  });

  test.each<[string, () => object, RegExp]>([
    [
      'has a header that no metric signature has',
      () => line(signed('{}', base64url(JSON.stringify({ kid: fixedKid })))),
      /isn't the signature of a metric$/,
    ],
    ['has an empty header', () => line('e30.e30.e30'), /isn't the signature of a metric$/],
    ['has a later format version', () => saying({ v: 2 }), /has an unknown format$/],
    [
      'was changed',
      () => line(good().verification.signature.replace(/.{4}$/, 'AAAA')),
      /does not verify$/,
    ],
    [
      'has a signing time in the year 0',
      () => saying({ signed_at: '0000-01-01T00:00:00.000Z' }),
      /has an unknown format$/,
    ],
    [
      'encodes the same bytes in another form',
      () =>
        line(
          good().verification.signature.replace(/.$/, (last) =>
            String.fromCharCode(last.charCodeAt(0) + 1),
          ),
        ),
      /isn't the signature of a metric$/,
    ],
    ['has a payload that isn’t JSON', () => line(signed('nonsense')), /has an unknown format$/],
    ['has an additional claim', () => saying({ more: 1 }), /differs in more$/],
    [
      'differs from its line in two fields',
      () => saying({ raw_value: '1', currency: null }),
      /differs in raw_value, currency$/,
    ],
    [
      'has white space in its payload',
      () => line(signed(JSON.stringify(claims, null, 1))),
      /differs in the form of the payload$/,
    ],
    [
      'is for another revision than its line',
      () => saying({}, { revision: 2 }),
      /differs in revision$/,
    ],
  ])('is refused if its signature %s', async (_, record, reason) => {
    const { reasons } = await importIn(createKeyless(), [company, record()], { jwks });
    expect(reasons).toEqual([expect.stringMatching(reason)]);
  });

  test('is refused if its signing key is unknown or retired', async () => {
    const world = createKeyless();
    const unknown = await importIn(world, [company, good()]);
    expect(unknown.reasons).toEqual([
      `verification.signature: is signed with the unknown key ${fixedKid}`,
    ]);
    await world.ports.signingKeys.register({ kid: fixedKid, x: fixedJwk.x }, start);
    await world.ports.signingKeys.retire(fixedKid, start);
    const retired = await importIn(world, [company, good()], { jwks });
    expect(retired.reasons).toEqual([
      `verification.signature: is signed with the retired key ${fixedKid}`,
    ]);
  });
});

test('a value with a revision number but without a signature is stored unsigned under this number', async () => {
  const world = createKeyless();
  const values = [1, 2].map((revision) => ({ ...sample, revision, raw_value: revision }));
  const { result } = await importIn(world, [company, ...values]);
  expect(result).toMatchObject({ inserted: 2, updated: 1, signed: 0, unsigned: 2 });
});

test('the receipts of an imported file are counted but not imported', async () => {
  const { result } = await importIn(createKeyless(), [
    company,
    { type: 'consent_receipt', id: 'rcpt_1', object: 'consent_receipt', jws: 'x' },
  ]);
  expect(result).toMatchObject({ inserted: 1, receipts: 1, problems: 0 });
});

test.each([
  ['nonsense', /isn’t a JSON Web Key Set/],
  ['{"keys":[]}', /no key of Ed25519/],
  [
    JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'mine', x: fixedJwk.x }] }),
    /thumbprint/,
  ],
])('a key set that contains %s is refused', async (text, message) => {
  const attempt = importIn(createKeyless(), [company], { jwks: text });
  await expectRefusal(attempt, 'invalid_parameter', message);
});

test('a value’s signature is refused if it was made for a company in another environment', async () => {
  const { reasons } = await importIn(createKeyless(), [company, saying({ environment: 'live' })], {
    jwks,
  });
  expect(reasons).toEqual(['verification.signature: belongs to a company in the live environment']);
});

test('an import can’t add a signature to a value that is stored without one', async () => {
  const world = createKeyless();
  await importIn(world, [company, sample]);
  const { reasons } = await importIn(world, [saying({}, { revision: 1 })], { jwks });
  expect(reasons).toEqual([
    'verification.signature: revision 1 of this period is stored without this signature',
  ]);
});

test('each line is reported exactly once if more than ten thousand lines are invalid', async () => {
  const count = 10_001;
  const { problems } = await importIn(
    createWorld(),
    Array.from({ length: count }, () => ({ ...sample, company_id: 'co_nobody' })),
  );
  expect(problems).toHaveLength(count);
  expect(new Set(problems.map(({ line }) => line)).size).toBe(count);
});
