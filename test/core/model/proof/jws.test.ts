import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  base64url,
  compactJws,
  decodeBase64url,
  openJws,
  readOwnKeyId,
  readOwnPayload,
  signingInput,
} from '#core';
import { createMemoryPorts } from '../../../memory/index.ts';
import { fixedJwk, fixedKid } from '../../../support/signing-key.ts';

test('our base64url encoding returns the same text as Node’s encoding, for bytes and for UTF-8 text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(base64url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
      expect(base64url(text)).toBe(Buffer.from(text).toString('base64url'));
    }),
  );
});

test('the payload of a JWS from the service can be read, even with non-ASCII characters', () => {
  const said = { purpose: 'Zürich → 東京 ÿ?' };
  const jws = compactJws(base64url('{}'), JSON.stringify(said), new Uint8Array(64));
  expect(readOwnPayload(jws)).toEqual(said);
});

test('the key id of a JWS from the service can be read', () => {
  const header = base64url(JSON.stringify({ alg: 'EdDSA', kid: fixedKid }));
  expect(readOwnKeyId(compactJws(header, '{"kid":"another"}', new Uint8Array(64)))).toBe(fixedKid);
});

test('the example of RFC 8037, appendix A.4, is reproduced exactly', async () => {
  const identity = await createMemoryPorts().signer.current();
  const [header, payload] = [base64url('{"alg":"EdDSA"}'), 'Example of Ed25519 signing'];
  const signature = identity?.sign(signingInput(header, payload)) ?? new Uint8Array();
  expect(compactJws(header, payload, signature)).toBe(
    'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.' +
      'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
  );
  expect(identity?.kid).toBe(fixedKid);
});

test('the signature of a JWS covers the text before the last dot', async () => {
  const { signer } = createMemoryPorts();
  await signer.rotate({ atOnce: true });
  const identity = await signer.current();
  const header = base64url('{"alg":"EdDSA"}');
  const input = signingInput(header, 'ünïcode \u{1f511}');
  const signature = identity?.sign(input) ?? new Uint8Array();
  const jws = compactJws(header, 'ünïcode \u{1f511}', signature);
  expect(jws.slice(0, jws.lastIndexOf('.'))).toBe(input);
  expect(signature).toHaveLength(64);
  const fixed = createPublicKey(createPrivateKey({ key: fixedJwk, format: 'jwk' }));
  expect(verify(null, Buffer.from(input), fixed, signature)).toBe(false);
});

test('openJws splits a JWS into its three parts, and refuses a JWS whose parts aren’t canonical base64url', () => {
  const header = base64url('{"alg":"EdDSA"}');
  const jws = compactJws(header, '[{"a":1},{"a":2}]', Uint8Array.of(1));
  expect(openJws(jws)).toEqual({
    header: { alg: 'EdDSA' },
    payload: [{ a: 1 }, { a: 2 }],
    signature: Uint8Array.of(1),
  });
  const [, payload] = jws.split('.');
  const others = [
    `${jws}.AQ`,
    `${header}.${payload}`,
    `${jws}=`,
    `${jws.slice(0, -2)}AR`,
    `${jws}AAA`,
  ];
  expect(others.map(openJws)).toEqual(others.map(() => null));
});

test('openJws returns null as the payload if the signed bytes aren’t JSON in UTF-8', () => {
  const notUtf8 = base64url(Uint8Array.of(0x22, 0xff, 0x22));
  for (const payload of [base64url('\ufeff{}'), base64url('?'), notUtf8]) {
    expect(openJws(`e30.${payload}.AQ`)).toEqual({
      header: {},
      payload: null,
      signature: Uint8Array.of(1),
    });
  }
});

test('openJws accepts colons, quotes and backslashes in the texts of the payload', () => {
  const payload = { a: ':', 'b":': '":', c: '\\', d: [{ a: ':' }] };
  const jws = compactJws(base64url('{}'), JSON.stringify(payload), Uint8Array.of(1));
  expect(openJws(jws)?.payload).toEqual(payload);
});

test.each(['!', 'A', 'AQ=', 'AR', 'A Q', '+/'])('%j isn’t canonical base64url', (part) => {
  expect(decodeBase64url(part)).toBeNull();
});
