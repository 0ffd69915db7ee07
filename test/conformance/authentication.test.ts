import { expect, it } from 'vitest';
import { readEndpoints } from '../support/contract.ts';
import { expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const everyEndpoint = [
  ...readEndpoints.map(({ path }) => ['GET', path('co_any')] as const),
  ['GET', '/v1/access-requests'] as const,
  ['POST', '/v1/access-requests'] as const,
];

conformance('authentication', (service) => {
  const { get, call, fixtures, operator } = service;

  it.each(everyEndpoint)('%s %s is refused without a key', async (method, path) => {
    const answer = await service.call(method, path);
    expectRefusal(answer, 'missing_api_key');
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it.each(everyEndpoint)('%s %s is refused with an unknown key', async (method, path) => {
    const answer = await service.call(method, path, { key: `svc_sk_live_${'z'.repeat(32)}` });
    expectRefusal(answer, 'invalid_api_key');
  });

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

  it('a new key has the format of the API contract and isn’t shown again', async () => {
    for (const environment of ['live', 'test'] as const) {
      const { key, investor } = await fixtures.portfolio({ environment });
      expect(key).toMatch(new RegExp(`^svc_sk_${environment}_[0-9A-Za-z]{32}$`));
      const [listed] = await operator.listApiKeys({ investorId: investor.id });
      expect(JSON.stringify(listed)).not.toContain(key.slice('svc_sk_live_'.length, -4));
    }
  });
});
