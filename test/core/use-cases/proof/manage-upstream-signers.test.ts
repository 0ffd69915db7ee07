import { KeyObject, sign, type webcrypto } from 'node:crypto';
import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import type { MetricRevision } from '#core';
import { sampleData } from '../../../support/fixtures.ts';
import { createWorld, expectRefusal, later, type World } from '../../world.ts';

type Json = Record<string, unknown>;

interface Auditor {
  readonly jwk: Json;
  readonly privateJwk: Json;
  sign(payload: object | string, header?: object): Promise<string>;
  /** Accepts any JWS header, even a malformed one. */
  signAs(header: string, payload: object): string;
}

async function createAuditor(alg: string, kid: string): Promise<Auditor> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return {
    jwk: { ...(await exportJWK(publicKey)), kid },
    privateJwk: { ...(await exportJWK(privateKey)), kid },
    sign: (payload, header) =>
      new CompactSign(Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)))
        .setProtectedHeader({ alg, kid, ...header })
        .sign(privateKey),
    signAs(header, payload) {
      const text = [header, JSON.stringify(payload)]
        .map((part) => Buffer.from(part).toString('base64url'))
        .join('.');
      const key = KeyObject.from(privateKey as webcrypto.CryptoKey);
      return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
    },
  };
}

/** Returns the base64url character that differs from `letter` in the lowest bit. */
function afterLetter(letter = ''): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return letters[letters.indexOf(letter) ^ 1] ?? '';
}

const company = { type: 'company', id: 'co_harbor', name: 'Harbor', environment: 'test' };
const [cash] = sampleData('co_harbor') as [Json & { readonly source: Json }];
/** The minimal claims in an auditor's signature. They match the values of `cash`. */
const claims = {
  company_id: 'co_harbor',
  key: 'cash_balance',
  period: '2026-09-30',
  raw_value: '1250000.5',
  currency: 'USD',
};

let eddsa: Auditor;
let es256: Auditor;
let rs256: Auditor;

beforeAll(async () => {
  eddsa = await createAuditor('EdDSA', 'kid-eddsa');
  es256 = await createAuditor('ES256', 'kid-es256');
  rs256 = await createAuditor('RS256', 'kid-rs256');
});

async function createSignedWorld(...auditors: readonly Auditor[]): Promise<World> {
  const world = createWorld();
  await importIn(world, company);
  if (auditors.length > 0) await register(world, { keys: auditors.map(({ jwk }) => jwk) });
  return world;
}

const register = (world: World, jwks: unknown) =>
  world.operator.addUpstreamSigners({ companyId: 'co_harbor', jwks: JSON.stringify(jwks) });

async function importIn(world: World, ...lines: readonly object[]): Promise<string[]> {
  const problems: string[] = [];
  async function* texts() {
    for (const line of lines) yield JSON.stringify(line);
  }
  await world.operator.importRecords(texts(), { onProblem: ({ reason }) => problems.push(reason) });
  return problems;
}

const lineWith = (signature: string) => ({ ...cash, source: { ...cash.source, signature } });

async function stored(world: World): Promise<MetricRevision | undefined> {
  const query = { companyId: 'co_harbor', key: 'cash_balance' };
  const [metric] = await world.operator.showMetricHistory(query).catch(() => []);
  return metric;
}

describe('a value with the signature of its source', () => {
  test('is accepted if a registered signer signed it, and keeps the signature unchanged', async () => {
    const world = await createSignedWorld(eddsa, es256, rs256);
    for (const auditor of [eddsa, es256, rs256]) {
      const signature = await auditor.sign(claims);
      expect(await importIn(world, lineWith(signature))).toEqual([]);
      expect((await stored(world))?.verification).toMatchObject({
        signed: true,
        sourceSignature: signature,
      });
    }
    expect((await stored(world))?.revision).toBe(3);
  });

  test.each([
    ['white space', (text: string) => text.replaceAll(':', ' :\n ')],
    ['escaped characters', (text: string) => text.replace('cash', '\\u0063ash')],
    [
      'the same name in two objects',
      (text: string) => text.replace('}', ',"more":[{"key":1},{"key":": \\": "}]}'),
    ],
    [
      'texts that look like field names',
      (text: string) => text.replace('}', ',"more":["x",":y",": "]}'),
    ],
  ])('can have %s in its signed payload', async (_what, change) => {
    const world = await createSignedWorld(eddsa);
    const signature = await eddsa.sign(change(JSON.stringify(claims)));
    expect(await importIn(world, lineWith(signature))).toEqual([]);
  });

  test('can have further signed fields: known fields must match the line, and unknown fields are ignored', async () => {
    const world = await createSignedWorld(eddsa);
    const all = {
      ...claims,
      raw_value_text: '1250000.50',
      label: 'Cash balance',
      currency: 'USD',
      source: { system: 'mercury', method: 'api', last_synced: '2026-11-01T05:00:00+01:00' },
      verification: { verified: true },
      confidence: 'high',
      value: '$1,250,000.50',
      category: 'liquidity',
      as_of: '2026-09-30T23:59:59.000Z',
      iss: 'https://auditor.example',
      iat: 1,
    };
    expect(await importIn(world, lineWith(await eddsa.sign(all)))).toEqual([]);
    const others: readonly [string, object][] = [
      ['company_id', { company_id: 'co_other' }],
      ['key', { key: 'mrr' }],
      ['period', { period: '2026-10-31' }],
      ['raw_value', { raw_value: '1250000.500000000001' }],
      ['raw_value', { raw_value: 'much' }],
      ['raw_value_text', { raw_value_text: 1250000.5 }],
      ['raw_value_text', { raw_value_text: ['1250000.50'] }],
      ['label, raw_value', { raw_value: '1', label: 'Cash' }],
      ['label', { label: 'Cash' }],
      ['currency', { currency: null }],
      ['source', { source: 'mercury' }],
      ['source', { source: null }],
      ['source.system', { source: { system: 'Mercury' } }],
      ['source.method', { source: { method: 'manual' } }],
      ['source.last_synced', { source: { last_synced: '2026-11-01' } }],
      ['source.last_synced', { source: { last_synced: 1 } }],
      ['source.last_synced', { source: { last_synced: Date.parse('2026-11-01T04:00:00Z') } }],
      ['source.last_synced', { source: { last_synced: '2026-11-01 04:00:00Z' } }],
      ['verification.verified', { verification: { verified: false } }],
      ['confidence', { confidence: 'low' }],
      ['value', { value: '$1' }],
      ['category', { category: 'other' }],
      ['as_of', { as_of: '2026-09-30T23:59:59.001Z' }],
    ];
    for (const [field, change] of others) {
      const signature = await eddsa.sign({ ...all, ...change });
      expect(await importIn(world, lineWith(signature))).toEqual([
        `source.signature: differs in ${field}`,
      ]);
    }
  });

  test('is refused if the signature is invalid', async () => {
    const world = await createSignedWorld(eddsa);
    const signature = await eddsa.sign(claims);
    const [head = '', , bytes = ''] = signature.split('.');
    const forged = Buffer.from(JSON.stringify({ ...claims, raw_value: '1' })).toString('base64url');
    const stranger = await createAuditor('EdDSA', 'kid-eddsa');
    const noHeader = 'has a header without alg or kid, or with crit or b64';
    const doubled = 'is not in canonical form, or has a duplicate member';
    const withHeader = (text: string) => eddsa.signAs(text, claims);
    const cases: readonly [string, string][] = [
      [`${head}.${forged}.${bytes}`, 'does not verify'],
      [await stranger.sign(claims), 'does not verify'],
      [await es256.sign(claims), 'is signed with kid-es256, which the company has not registered'],
      [await es256.sign(claims, { kid: 'kid-eddsa' }), 'has a different algorithm than its key'],
      [await eddsa.sign(claims, { kid: undefined }), noHeader],
      [`AAB.${forged}.${bytes}`, doubled],
      [`AAAA.${forged}.${bytes}`, noHeader],
      [`${signature.slice(0, -1)}${afterLetter(signature.at(-1))}`, doubled],
      [withHeader(`{"alg":"EdDSA","kid":"kid-eddsa","b64":true}`), noHeader],
      [withHeader(`{"alg":"EdDSA","kid":"kid-eddsa","crit":[],"typ":"JWT"}`), noHeader],
      [withHeader(`{"alg":"EdDSA","kid":"kid-eddsa","kid":"kid-eddsa"}`), doubled],
      [await eddsa.sign(JSON.stringify(claims).replace('{', '{"raw_value":"1",')), doubled],
      [
        await eddsa.sign(JSON.stringify(claims).replace('}', ',"source":{"a":1,"\\u0061":2}}')),
        doubled,
      ],
      [
        await eddsa.sign('?'),
        'must contain company_id, key, period, currency, and raw_value as text',
      ],
      [
        await eddsa.sign({ ...claims, raw_value: 1_250_000.5 }),
        'must contain company_id, key, period, currency, and raw_value as text',
      ],
    ];
    for (const [wrong, reason] of cases) {
      expect(await importIn(world, lineWith(wrong))).toEqual([`source.signature: ${reason}`]);
    }
    expect(await importIn(world, lineWith('no'))).toEqual([
      'source.signature: is not a compact JWS',
    ]);
    expect(await importIn(world, lineWith(`a.${'b'.repeat(5_000)}.c`))).toEqual([
      'source.signature: is longer than 4096 characters',
    ]);
    expect(await stored(world)).toBeUndefined();
  });

  test('is refused if a signer with this key id is registered only for another company', async () => {
    const world = await createSignedWorld();
    await importIn(world, { ...company, id: 'co_other' });
    const jwks = JSON.stringify(eddsa.jwk);
    await world.operator.addUpstreamSigners({ companyId: 'co_other', jwks });
    expect(await importIn(world, lineWith(await eddsa.sign(claims)))).toEqual([
      'source.signature: is signed with kid-eddsa, which the company has not registered',
    ]);
  });
});

describe('the signers of a company', () => {
  test('are listed with the oldest first, and only with the public parts of their keys', async () => {
    const world = await createSignedWorld(rs256);
    world.clock.set(later(1000));
    const { kid: _, ...anonymous } = eddsa.jwk;
    const [added] = await register(world, { ...anonymous, use: 'sig', alg: 'EdDSA', x5t: 'x' });
    expect(added).toEqual({
      companyId: 'co_harbor',
      kid: expect.stringMatching(/^[\w-]{43}$/),
      jwk: { kty: 'OKP', crv: 'Ed25519', x: eddsa.jwk.x },
      addedAt: later(1000),
    });
    const signers = await world.operator.listUpstreamSigners({ companyId: 'co_harbor' });
    expect(signers.map(({ kid }) => kid)).toEqual(['kid-rs256', added?.kid]);
    expect(signers[0]?.jwk).toEqual({ kty: 'RSA', n: rs256.jwk.n, e: rs256.jwk.e });
  });

  test('can be registered again, but not with another key under the same id', async () => {
    const world = await createSignedWorld(eddsa);
    await register(world, eddsa.jwk);
    const other = await createAuditor('EdDSA', 'kid-eddsa');
    await expectRefusal(register(world, other.jwk), 'signer_conflict', /kid-eddsa/);
  });

  test('can’t sign new values after their removal, and their earlier values keep the signatures', async () => {
    const world = await createSignedWorld(eddsa);
    const line = lineWith(await eddsa.sign(claims));
    await importIn(world, line);
    const one = { companyId: 'co_harbor', kid: 'kid-eddsa' };
    await world.operator.removeUpstreamSigner(one);
    await expectRefusal(world.operator.removeUpstreamSigner(one), 'signer_not_found', /kid-eddsa/);
    expect(await importIn(world, line)).toHaveLength(1);
    expect((await stored(world))?.verification.sourceSignature).toBeDefined();
  });

  test('are refused if their keys aren’t public keys for signatures', async () => {
    const world = await createSignedWorld();
    const refuse = (jwks: unknown, message: RegExp) =>
      expectRefusal(register(world, jwks), 'invalid_parameter', message);
    for (const { privateJwk } of [eddsa, es256, rs256])
      await refuse(privateJwk, /key 1 is private/);
    await refuse({ kty: 'oct', k: 'AAAA' }, /key 1 is private/);
    await refuse({ keys: [eddsa.jwk, es256.privateJwk] }, /key 2 is private/);
    await refuse({ keys: [eddsa.jwk, { ...es256.jwk, alg: 'RS256' }] }, /key 2 isn’t a key/);
    await refuse({ keys: [] }, /isn’t a JSON Web Key Set/);
    await refuse({ keys: Array.from({ length: 21 }, () => eddsa.jwk) }, /isn’t a JSON Web Key Set/);
    await refuse({ ...eddsa.jwk, use: 'enc' }, /isn’t a JSON Web Key Set/);
    await refuse({ ...eddsa.jwk, alg: 'ES256' }, /key 1 isn’t a key/);
    await refuse({ ...eddsa.jwk, crv: 'X25519' }, /key 1 isn’t a key/);
    await refuse({ ...rs256.jwk, n: 'AQAB' }, /key 1 isn’t a key/);
    await refuse({ ...es256.jwk, y: es256.jwk.x }, /kid-es256 cannot verify/);
    await expectRefusal(
      world.operator.addUpstreamSigners({ companyId: 'co_harbor', jwks: '?' }),
      'invalid_parameter',
      /isn’t a JSON Web Key Set/,
    );
    await expectRefusal(
      world.operator.listUpstreamSigners({ companyId: 'co_nobody' }),
      'company_not_found',
      /co_nobody/,
    );
  });

  test('are limited to fifty, and count only once if they are registered again', async () => {
    const world = await createSignedWorld();
    const set = (from: number, count: number) => ({
      keys: Array.from({ length: count }, (_, index) => ({ ...eddsa.jwk, kid: `${from + index}` })),
    });
    for (const from of [0, 20]) await register(world, set(from, 20));
    for (const from of [40, 40]) expect(await register(world, set(from, 10))).toHaveLength(10);
    await expectRefusal(register(world, set(50, 1)), 'signer_limit', /at most 50/);
  });
});
