import { describe, expect, it } from 'vitest';
import { expectRefusal, withoutRequestId } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { apisOf, conformance, operationsOf } from './conformance.ts';

conformance('authentication', (service) => {
  const { get, call, fixtures, operator } = service;
  const [investors, companies] = apisOf(service);

  describe.each([
    { api: investors, other: companies, hint: 'It works in the API of companies, /company/v1.' },
    { api: companies, other: investors, hint: 'It works in /v1,' },
  ])('of the API for $api.name', ({ api, other, hint }) => {
    const operations = operationsOf(api?.document);

    it('refuses every operation without a key, with an unknown key, and with a key that belongs to the other API', async () => {
      expect(operations.length).toBeGreaterThan(15);
      const unknown = 'z'.repeat(32);
      const foreignKey = (await other?.createKey()) ?? '';
      for (const { method, path } of operations) {
        const missing = await call(method, path);
        expectRefusal(missing, 'missing_api_key');
        expect(missing.headers['www-authenticate']).toBe('Bearer');
        expectRefusal(
          await call(method, path, { key: `${api?.prefix}${unknown}` }),
          'invalid_api_key',
        );
        const invented = await call(method, path, { key: `${other?.prefix}${unknown}` });
        expectRefusal(invented, 'invalid_api_key');
        expect(invented.body.error.message).toContain(hint);
        const foreign = await call(method, path, { key: foreignKey });
        expect(withoutRequestId(foreign)).toEqual(withoutRequestId(invented));
      }
    });
  });

  it.each([
    ['POST', '/graphql'],
    ['GET', '/trpc/companies.list'],
    ['POST', '/mcp'],
    ['GET', '/v1/nothing'],
  ])(
    '%s %s refuses a company’s key with the same response as an unknown key',
    async (method, path) => {
      // Each protocol has its own error format, so this client skips the checks that all other answers must pass.
      const client = createHttpClient(service.url);
      const key = (await companies?.createKey()) ?? '';
      const invented = await client.call(method, path, { key: `svc_ck_live_${'z'.repeat(32)}` });
      expect(invented.status).toBe(401);
      expect(invented.text).toContain('invalid_api_key');
      const foreign = await client.call(method, path, { key });
      expect(withoutRequestId(foreign)).toEqual(withoutRequestId(invented));
      client.close();
    },
  );

  it.each([
    'Basic c3ZjX3NrX2xpdmU6',
    'Token svc_sk_live_00000000000000000000000000000000',
    'Bearersvc_sk_live_00000000000000000000000000000000',
    'svc_sk_live_00000000000000000000000000000000',
    'Digest username="a"',
    '',
  ])(
    'an Authorization header without the scheme Bearer (%j) counts as a missing key',
    async (authorization) => {
      const answer = await service.call('GET', '/v1/companies', { headers: { authorization } });
      expectRefusal(answer, 'missing_api_key');
    },
  );

  it('a key is accepted only in the Authorization header', async () => {
    const { key } = await fixtures.portfolio();
    expectRefusal(await get(`/v1/companies?api_key=${key}&access_token=${key}`), 'missing_api_key');
    const headers = {
      cookie: `api_key=${key}`,
      'x-api-key': key,
      'proxy-authorization': `Bearer ${key}`,
    };
    expectRefusal(await call('GET', '/v1/companies', { headers }), 'missing_api_key');
  });

  it('a new key has the format of the API contract, and its secret is shown only once', async () => {
    for (const environment of ['live', 'test'] as const) {
      const { key, investor } = await fixtures.portfolio({ environment });
      expect(key).toMatch(new RegExp(`^svc_sk_${environment}_[0-9A-Za-z]{32}$`));
      const [listed] = await operator.listApiKeys({ investorId: investor.id });
      expect(JSON.stringify(listed)).not.toContain(key.slice('svc_sk_live_'.length, -4));
    }
  });
});
