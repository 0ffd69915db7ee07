import { expect, it } from 'vitest';
import { readEndpoints } from '../support/contract.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const everyEndpoint = [
  ...readEndpoints.map(({ path }) => ['GET', path('co_any')] as const),
  ['GET', '/v1/access-requests'] as const,
  ['POST', '/v1/access-requests'] as const,
];

conformance('authentication', (given) => {
  it.each(everyEndpoint)('%s %s is refused without a key', async (method, path) => {
    const answer = await given().call(method, path);
    expectRefusal(answer, 'missing_api_key');
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it.each(everyEndpoint)('%s %s is refused with an unknown key', async (method, path) => {
    const answer = await given().call(method, path, { key: `svc_sk_live_${'z'.repeat(32)}` });
    expectRefusal(answer, 'invalid_api_key');
  });

  it.each([
    'Basic c3ZjX3NrX2xpdmU6',
    'Token svc_sk_live_00000000000000000000000000000000',
    'Bearersvc_sk_live_00000000000000000000000000000000',
    'svc_sk_live_00000000000000000000000000000000',
    'Digest username="a"',
    '',
  ])('a header that is not Bearer (%j) is a missing key', async (authorization) => {
    const answer = await given().call('GET', '/v1/companies', { headers: { authorization } });
    expectRefusal(answer, 'missing_api_key');
  });

  it.each(['Bearer', 'Bearer '])('%j without a key is refused', async (authorization) => {
    const answer = await given().call('GET', '/v1/companies', { headers: { authorization } });
    expect(answer.status).toBe(401);
  });

  it('a key is taken from the Authorization header alone', async () => {
    const { get, call, fixtures } = given();
    const { key } = await fixtures.portfolio();
    expectRefusal(await get(`/v1/companies?api_key=${key}&access_token=${key}`), 'missing_api_key');
    const headers = {
      cookie: `api_key=${key}`,
      'x-api-key': key,
      'proxy-authorization': `Bearer ${key}`,
    };
    expectRefusal(await call('GET', '/v1/companies', { headers }), 'missing_api_key');
  });

  it('the name of the scheme has no case', async () => {
    const { call, fixtures } = given();
    const { key } = await fixtures.portfolio();
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${key}` };
      expectOk(await call('GET', '/v1/companies', { headers }));
    }
  });

  it('a minted key has the form of the contract, and is not shown again', async () => {
    const { fixtures, operator } = given();
    for (const environment of ['live', 'test'] as const) {
      const { key, investor } = await fixtures.portfolio({ environment });
      expect(key).toMatch(new RegExp(`^svc_sk_${environment}_[0-9A-Za-z]{32}$`));
      const [listed] = await operator.listApiKeys({ investorId: investor.id });
      expect(JSON.stringify(listed)).not.toContain(key.slice('svc_sk_live_'.length, -4));
    }
  });
});
