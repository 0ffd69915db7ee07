import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { verifyMetric } from '../../verify/index.ts';
import { restMetric, samplePayload } from './samples.ts';
import {
  createKey,
  encode,
  exampleKey,
  headerOf,
  jwksOf,
  publicJwk,
  signMetric,
  signTexts,
} from './signing.ts';

const key = exampleKey;
const good = signMetric(samplePayload, key);
const [head = '', body = '', tail = ''] = good.split('.');
const header = headerOf('metric+jws', key);
const payload = JSON.stringify(samplePayload);
const verify = (signature: unknown, jwks: unknown = jwksOf(key)) =>
  verifyMetric(restMetric(samplePayload, signature as string), { jwks: jwks as never });
const withHeader = (text: string) => signTexts(text, payload, key);

/** A careless verifier may use the public key as the secret of this HMAC. */
function hmac(secret: string | Uint8Array): string {
  const input = `${encode(JSON.stringify({ alg: 'HS256', kid: key.kid, typ: 'metric+jws' }))}.${body}`;
  return `${input}.${encode(createHmac('sha256', secret).update(input).digest())}`;
}

/** Some decoders ignore the unused bits in the last base64 character, so the bytes stay the same. */
function withSpareBits(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return part.slice(0, -1) + alphabet[alphabet.indexOf(part.at(-1) ?? '') + 1];
}

describe('a signature', () => {
  it('is refused because of its algorithm before anything else is checked', async () => {
    const none = encode(JSON.stringify({ alg: 'none', kid: key.kid, typ: 'metric+jws' }));
    for (const jws of [
      `${none}.${body}.`,
      `${none}.${body}.${tail}`,
      hmac(key.jwk.x),
      hmac(Buffer.from(key.jwk.x, 'base64url')),
      hmac(JSON.stringify(publicJwk(key))),
      withHeader(header.replace('EdDSA', 'eddsa')),
      withHeader(header.replace('"alg":"EdDSA",', '')),
    ]) {
      expect(await verify(jws), jws).toMatchObject({ valid: false, reason: 'wrong_algorithm' });
    }
  });

  it.each(['consent-receipt+jws', 'application/metric+jws', 'METRIC+JWS', 'JWT', ''])(
    'is refused if its type is "%s"',
    async (typ) => {
      expect(await verify(signTexts(headerOf(typ, key), payload, key))).toMatchObject({
        reason: 'wrong_type',
      });
    },
  );

  it.each([
    ['no kid', header.replace(`"kid":"${key.kid}",`, '')],
    ['a kid that is not a text', header.replace(`"${key.kid}"`, '7')],
    ['a critical extension', header.replace('}', ',"crit":["b64"],"b64":false}')],
    ['the member b64', header.replace('}', ',"b64":false}')],
    ['its own key', header.replace('}', `,"jwk":${JSON.stringify(key.jwk)}}`)],
    ['the URL of a key', header.replace('}', ',"jku":"https://evil.example/jwks.json"}')],
    ['any other member', header.replace('}', ',"iat":1}')],
    ['a member twice', header.replace('}', `,"kid":"${key.kid}"}`)],
    ['the algorithm twice', header.replace('{', '{"alg":"none",')],
    ['a space', header.replace(',', ', ')],
    ['an escaped character', header.replace('EdDSA', '\\u0045dDSA')],
    ['__proto__', header.replace('}', ',"__proto__":{"kid":"x"}}')],
    ['a list instead of an object', '["EdDSA"]'],
    ['a text that is not JSON', 'EdDSA'],
    ['a byte order mark', `\ufeff${header}`],
  ])('is refused if its header has %s', async (_name, text) => {
    expect(await verify(withHeader(text))).toMatchObject({
      valid: false,
      reason: 'malformed_jws',
    });
  });

  it('is accepted if the signed header has its members in another order', async () => {
    const reordered = JSON.stringify({ typ: 'metric+jws', kid: key.kid, alg: 'EdDSA' });
    expect(await verify(withHeader(reordered))).toMatchObject({ valid: true });
  });

  it.each([
    ['a number', 7],
    ['an object', { protected: head, payload: body, signature: tail }],
    ['empty', ''],
    ['two parts', `${head}.${body}`],
    ['four parts', `${good}.`],
    ['a valid signature and a line feed', `${good}\n`],
    ['a space and a valid signature', ` ${good}`],
    ['a valid signature and padding', `${good}==`],
    ['padded in the header', `${head}=.${body}.${tail}`],
    ['in base64 instead of base64url', `${head}.${body}.${tail.replaceAll(/[-_]/g, '+')}+`],
    ['a signature with other unused bits', `${head}.${body}.${withSpareBits(tail)}`],
    ['of a length that base64url does not have', `${head}.${body.slice(body.length % 4)}A.${tail}`],
    ['one byte too short', `${head}.${body}.${encode(Buffer.from(tail, 'base64url').subarray(1))}`],
    ['one byte too long', `${head}.${body}.${encode(Buffer.alloc(65))}`],
    ['without its last part', `${head}.${body}.`],
    ['70,000 characters long', `${head}.${'A'.repeat(70_000)}.${tail}`],
    ['a hundred million characters long', '.'.repeat(100_000_000)],
  ])('is refused as malformed if it is %s', async (_name, jws) => {
    expect(await verify(jws)).toMatchObject({ valid: false, reason: 'malformed_jws' });
  });

  it.each([
    ['of zero bytes', `${head}.${body}.${encode(Buffer.alloc(64))}`],
    ['of another payload', `${head}.${encode(payload.replace('co_harbor', 'co_lumen'))}.${tail}`],
    ['of another key', signMetric(samplePayload, { ...createKey('x'), kid: key.kid })],
  ])('is refused as a wrong signature if it is %s', async (_name, jws) => {
    expect(await verify(jws)).toMatchObject({ valid: false, reason: 'bad_signature' });
  });

  it('is refused if its number S isn’t reduced, although it fulfils the signature equation', async () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const bytes = Buffer.from(tail, 'base64url');
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
    const other = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
    const jws = `${head}.${body}.${encode(Buffer.concat([bytes.subarray(0, 32), other]))}`;
    expect(await verify(jws)).toMatchObject({ reason: 'bad_signature' });
  });
});

describe('a payload that the key signed', () => {
  it.each([['0'], ['2'], ['"1"'], ['null'], ['1.5']])(
    'is refused if its version is %s',
    async (v) => {
      const later = payload.replace('"v":1', `"v":${v}`);
      expect(await verify(signTexts(header, later, key))).toMatchObject({
        reason: 'unsupported_version',
      });
    },
  );

  const { v, key: metricKey, ...others } = samplePayload;
  it.each([
    ['a member twice', payload.replace('{', '{"company_id":"co_lumen",')],
    ['a member of the source twice', payload.replace('"method"', '"system":"x","method"')],
    ['its members in another order', JSON.stringify({ v, ...others, key: metricKey })],
    ['a missing member', JSON.stringify({ v, ...others })],
    ['an additional member', payload.replace(/\}$/, ',"more":1}')],
    ['the member __proto__', payload.replace(/\}$/, ',"__proto__":null}')],
    ['a space', payload.replace(',', ', ')],
    ['a line feed at its end', `${payload}\n`],
    ['another document after it', `${payload}{}`],
    ['a byte order mark', `\ufeff${payload}`],
    ['a number in another notation', payload.replace('"revision":1', '"revision":1e0')],
    ['an escaped character', payload.replace('co_harbor', '\\u0063o_harbor')],
    ['bytes that are not UTF-8', Buffer.from(payload.replace('é', '\u00ff'), 'latin1')],
    ['an amount that is a number', payload.replace('"4182300.55"', '4182300.55')],
    ['an amount with an exponent', payload.replace('"4182300.55"', '"4.18230055e6"')],
    ['an amount with a zero at its end', payload.replace('4182300.55', '4182300.550')],
    ['the amount minus zero', payload.replace('4182300.55', '-0')],
    ['a time in another time zone', payload.replace('23:59:59.000Z', '23:59:59.000+01:00')],
    ['a date that does not exist', payload.replace('2026-10-31"', '2026-02-30"')],
    ['a revision of 0', payload.replace('"revision":1', '"revision":0')],
    ['an unknown environment', payload.replace('"test"', '"prod"')],
    ['a currency that is not a text', payload.replace('"USD"', '840')],
    ['a source that is a text', payload.replace(/\{"system.*?\}/, '"Café Bank"')],
    ['a list around it', `[${payload}]`],
    ['the content null', 'null'],
    ['no content', ''],
  ])('is refused if it has %s', async (_name, text) => {
    expect(await verify(signTexts(header, text, key))).toMatchObject({
      valid: false,
      reason: 'malformed_payload',
    });
  });

  it('is refused if it is a list with 20,000 levels', async () => {
    const deep = signTexts(header, '['.repeat(20_000) + ']'.repeat(20_000), key);
    expect(await verify(deep)).toMatchObject({ reason: 'malformed_payload' });
  });
});

describe('a key set', () => {
  const jwk = publicJwk(key);
  const set = (...keys: unknown[]) => ({ keys });

  it.each([
    ['undefined', undefined, 'invalid_jwks'],
    ['null', null, 'invalid_jwks'],
    ['a list', [jwk], 'invalid_jwks'],
    ['an object without keys', {}, 'invalid_jwks'],
    ['an object with other keys', { keys: jwk }, 'invalid_jwks'],
    ['empty', set(), 'unknown_key'],
    ['a set without the key, as after its retirement', jwksOf(createKey('x')), 'unknown_key'],
    ['a set of values that are not keys', set(null, 7, 'x', [jwk]), 'unknown_key'],
    ['two keys with the same id', set(jwk, { ...jwk, x: createKey('x').jwk.x }), 'ambiguous_key'],
    [
      'two keys with the same id in the other order',
      set({ ...jwk, x: createKey('x').jwk.x }, jwk),
      'ambiguous_key',
    ],
    [
      'a private key',
      set({ ...jwk, d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' }),
      'unusable_key',
    ],
    ['a key for encryption', set({ ...jwk, use: 'enc' }), 'unusable_key'],
    ['the key twice, once for encryption', set(jwk, { ...jwk, use: 'enc' }), 'unusable_key'],
    ['a key of another algorithm', set({ ...jwk, alg: 'HS256' }), 'unusable_key'],
    ['a key to sign with', set({ ...jwk, key_ops: ['sign'] }), 'unusable_key'],
    ['a key of another curve', set({ ...jwk, crv: 'X25519' }), 'unusable_key'],
    ['a key of another type', set({ ...jwk, kty: 'EC', crv: 'P-256', y: jwk.x }), 'unusable_key'],
    ['a secret', set({ kid: jwk.kid, kty: 'oct', k: jwk.x }), 'unusable_key'],
    ['a key without x', set({ ...jwk, x: undefined }), 'unusable_key'],
    ['a short key', set({ ...jwk, x: jwk.x.slice(0, -2) }), 'unusable_key'],
    ['a padded key', set({ ...jwk, x: `${jwk.x}=` }), 'unusable_key'],
    ['a key with other unused bits', set({ ...jwk, x: withSpareBits(jwk.x) }), 'unusable_key'],
  ])('is refused if it is %s', async (_name, jwks, reason) => {
    expect(
      await verifyMetric(restMetric(samplePayload, good), { jwks: jwks as never }),
    ).toMatchObject({ valid: false, reason });
  });

  it.each([
    ['has no member use', set({ kid: jwk.kid, ...key.jwk })],
    ['may only verify', set({ ...jwk, key_ops: ['verify'] })],
    ['is in the set twice', set(jwk, { ...jwk })],
    [
      'is in a set with invalid keys',
      set({ kty: 'RSA', kid: 'x' }, { d: 'secret', kid: 'y' }, null, jwk),
    ],
  ])('is accepted if its key %s', async (_name, jwks) => {
    expect(await verify(good, jwks)).toMatchObject({ valid: true });
  });
});

describe('a polluted Object.prototype', () => {
  const prototype = Object.prototype as unknown as Record<string, unknown>;
  afterEach(() => {
    for (const name of ['kid', 'alg', 'typ', 'keys', 'kty', 'crv', 'x']) delete prototype[name];
  });

  it('can’t add a key, a header or a field', async () => {
    Object.assign(prototype, { kid: key.kid, alg: 'EdDSA', typ: 'metric+jws', ...key.jwk });
    prototype.keys = [publicJwk(key)];
    const bare = { crv: 'Ed25519', kty: 'OKP' };
    const results = [
      await verify(good, {}),
      await verify(good, { keys: [bare] }),
      await verify(withHeader(JSON.stringify({ alg: 'EdDSA', typ: 'metric+jws' }))),
    ];
    expect(results.map((result) => !result.valid && result.reason)).toEqual([
      'invalid_jwks',
      'unknown_key',
      'malformed_jws',
    ]);
  });
});
