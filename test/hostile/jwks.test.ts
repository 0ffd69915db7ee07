import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { importJWK } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AccessError, type SigningKeys } from '#core';
import { expectRefusal } from '../support/expectations.ts';
import { startService, type TestService } from '../support/service.ts';
import { fixedJwk, fixedKid } from '../support/signing-key.ts';

const path = '/.well-known/jwks.json';

let service: TestService;
let keys: SigningKeys;
let isAway = false;
let asked = 0;
let hold: Promise<void> | undefined;

beforeAll(async () => {
  service = await startService({
    storage: { memory: true },
    replace({ signingKeys }) {
      keys = {
        ...signingKeys,
        async list() {
          asked += 1;
          await hold;
          if (isAway) throw new AccessError('service_unavailable');
          return signingKeys.list();
        },
      };
      return { signingKeys: keys };
    },
  });
  await keys.register({ kid: fixedKid, x: fixedJwk.x }, new Date());
});
afterAll(() => service?.close());

test('every caller gets the public keys, and caches must revalidate the keys for each request', async () => {
  const answer = await service.get(path);
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'cache-control': 'public, no-cache',
    'content-type': 'application/json; charset=utf-8',
  });
  expect(answer.body).toEqual({
    keys: [{ kty: 'OKP', crv: 'Ed25519', x: fixedJwk.x, kid: fixedKid, alg: 'EdDSA', use: 'sig' }],
  });
  expect(answer.text).not.toContain(fixedJwk.d);
  await expect(importJWK(answer.body.keys[0])).resolves.toBeDefined();
});

test('the key set keeps a rotated key, loses a retired key, and gets a new ETag each time', async () => {
  const before = await service.get(path);
  const { kid } = await service.operator.rotateSigningKey({ atOnce: true });
  const rotated = await service.get(path);
  const kids = ({ body }: typeof before) => body.keys.map((key: { kid: string }) => key.kid);
  expect(kids(rotated)).toEqual([kid, fixedKid]);
  expect(rotated.headers.etag).not.toBe(before.headers.etag);
  await service.operator.retireSigningKey(fixedKid);
  const retired = await service.get(path);
  expect(kids(retired)).toEqual([kid]);
  expect(retired.headers.etag).not.toBe(rotated.headers.etag);
});

test('a caller that sends the ETag of the current key set gets 304', async () => {
  const { headers } = await service.get(path);
  const ask = (tag: string) => service.call('GET', path, { headers: { 'if-none-match': tag } });
  for (const tag of [String(headers.etag), `"other", ${headers.etag}`, '*']) {
    const answer = await ask(tag);
    expect(answer).toMatchObject({ status: 304, text: '' });
    expect(answer.headers).toMatchObject({
      etag: headers.etag,
      'access-control-allow-origin': '*',
      'cache-control': 'public, no-cache',
    });
  }
  expect((await ask('"other"')).status).toBe(200);
});

test('only GET, HEAD and OPTIONS are allowed', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND']) {
    const answer = await service.call(method, path);
    expectRefusal(answer, 'method_not_allowed');
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
  }
  const options = await service.call('OPTIONS', path);
  expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  const [head, get] = [await service.call('HEAD', path), await service.get(path)];
  expect(head).toMatchObject({ status: 200, text: '' });
  for (const name of ['etag', 'cache-control', 'content-type', 'content-length', 'vary']) {
    expect(head.headers[name], name).toBe(get.headers[name]);
  }
});

test.each([`${path}/`, '/.well-known', '/.well-known/', '/.well-known/jwks', `/v1${path}`])(
  'the path %s isn’t the key set',
  async (other) => {
    expect([401, 404]).toContain((await service.get(other)).status);
  },
);

test('credentials and query parameters are ignored, and no points are charged', async () => {
  const { key } = await service.fixtures.portfolio();
  const remaining = async () =>
    Number((await service.get('/v1/companies', key)).headers['ratelimit-remaining']);
  const before = await remaining();
  for (const credential of [key, 'nonsense', 'svc_sk_live_wrong']) {
    expect((await service.get(`${path}?kid=x`, credential)).status).toBe(200);
  }
  expect(await remaining()).toBe(before - 1);
});

test('the response is 503 while the database is down, and contains the keys again afterwards', async () => {
  isAway = true;
  const answer = await service.get(path);
  expect(answer.status).toBe(503);
  expect(answer.headers['cache-control'] ?? '').not.toContain('public');
  expect(answer.body.error.code).toBe('service_unavailable');
  isAway = false;
  expect((await service.get(path)).status).toBe(200);
});

test('the response is complete and compressed if there are many keys', async () => {
  for (let count = 0; count < 40; count += 1) {
    await service.operator.rotateSigningKey({ atOnce: true });
  }
  const plain = await service.get(path);
  expect(plain.body.keys.length).toBeGreaterThan(40);
  for (const [encoding, decode] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const answer = await service.app.inject({
      url: path,
      headers: { host: 'a', 'accept-encoding': encoding },
    });
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers.vary).toContain('Accept-Encoding');
    expect(answer.headers.etag).not.toBe(plain.headers.etag);
    expect(decode(answer.rawPayload).toString()).toBe(plain.text);
  }
});

test('a key that is registered while earlier requests wait is in the responses to later requests', async () => {
  const gate = Promise.withResolvers<void>();
  hold = gate.promise;
  const before = asked;
  const early = Array.from({ length: 20 }, () => service.get(path));
  await expect.poll(() => asked).toBeGreaterThan(before);
  const { kid } = await service.operator.rotateSigningKey({ atOnce: true });
  const late = service.get(path);
  gate.resolve();
  hold = undefined;
  const answers = await Promise.all([...early, late]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(answers.at(-1)?.text).toContain(kid);
});
