import { afterEach, describe, expect, it, vi } from 'vitest';
import { readEndpoints } from '../support/contract.ts';
import { expectOk, expectRefusal, withoutRequestId } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const everyEndpoint = [
  ...readEndpoints.map(({ path }) => ['GET', path('co_any')] as const),
  ['GET', '/v1/access-requests'] as const,
  ['POST', '/v1/access-requests'] as const,
];

const hour = 3_600_000;

conformance('authentication', (given) => {
  afterEach(() => vi.useRealTimers());

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

  it('malformed, unknown, revoked and expired keys get the same bytes', async () => {
    const { get, fixtures, operator } = given();
    const investor = await fixtures.investor();
    const revoked = await fixtures.key(investor);
    await operator.revokeApiKey({ id: revoked.keyId });
    const expired = await fixtures.key(investor, { expiresAt: new Date(Date.now() + hour) });
    const { key: live } = await fixtures.key(investor);
    const refusedKeys = [
      'svc_sk_live_short',
      'nonsense',
      `svc_sk_prod_${'a'.repeat(32)}`,
      `svc_sk_live_${'a'.repeat(31)}-`,
      `svc_sk_live_${'a'.repeat(33)}`,
      `${live}x`,
      live.slice(0, -1),
      live.toLowerCase() === live ? live.toUpperCase() : live.toLowerCase(),
      live.replace('_live_', '_test_'),
      `svc_sk_live_${'0'.repeat(32)}`,
      'é'.repeat(44),
      'x'.repeat(4000),
      revoked.key,
      expired.key,
    ];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * hour });
    const answers = [];
    for (const key of refusedKeys) {
      const answer = await get('/v1/companies', key);
      expectRefusal(answer, 'invalid_api_key');
      answers.push(withoutRequestId(answer));
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expectOk(await get('/v1/companies', live));
  });

  it('a revoked key is refused by the very next request', async () => {
    const { get, fixtures, operator } = given();
    const { key, keyId, company } = await fixtures.readablePortfolio();
    const path = `/v1/companies/${company.id}/metrics`;
    expectOk(await get(path, key));
    await operator.revokeApiKey({ id: keyId });
    expectRefusal(await get(path, key), 'invalid_api_key');
  });

  it('a key works until the instant of its expiry, that instant excluded', async () => {
    const { get, fixtures } = given();
    const expiresAt = new Date(Date.now() + hour);
    const { key } = await fixtures.portfolio({ expiresAt });
    vi.useFakeTimers({ toFake: ['Date'], now: expiresAt.getTime() - 1 });
    expectOk(await get('/v1/companies', key));
    vi.setSystemTime(expiresAt);
    expectRefusal(await get('/v1/companies', key), 'invalid_api_key');
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

  describe('rotation', () => {
    it('lets the old secret work during the overlap, and no longer', async () => {
      const { get, fixtures, operator } = given();
      const { key, keyId } = await fixtures.portfolio();
      const now = Date.now();
      const successor = await operator.rotateApiKey({ id: keyId, overlapMilliseconds: 24 * hour });
      expectOk(await get('/v1/companies', key));
      expectOk(await get('/v1/companies', successor.secret));
      vi.useFakeTimers({ toFake: ['Date'], now: now + 25 * hour });
      expectRefusal(await get('/v1/companies', key), 'invalid_api_key');
      expectOk(await get('/v1/companies', successor.secret));
    });

    it('without an overlap refuses the old secret at once', async () => {
      const { get, fixtures, operator } = given();
      const { key, keyId } = await fixtures.portfolio();
      const successor = await operator.rotateApiKey({ id: keyId, overlapMilliseconds: 0 });
      expectRefusal(await get('/v1/companies', key), 'invalid_api_key');
      expectOk(await get('/v1/companies', successor.secret));
    });

    it('never lets the old secret live past its own expiry', async () => {
      const { get, fixtures, operator } = given();
      const expiresAt = new Date(Date.now() + hour);
      const { key, keyId } = await fixtures.portfolio({ expiresAt });
      await operator.rotateApiKey({ id: keyId, overlapMilliseconds: 24 * hour });
      vi.useFakeTimers({ toFake: ['Date'], now: expiresAt.getTime() });
      expectRefusal(await get('/v1/companies', key), 'invalid_api_key');
    });

    it('keeps the scopes and the grants, which belong to the investor', async () => {
      const { get, fixtures, operator } = given();
      const { keyId, company } = await fixtures.readablePortfolio();
      const { secret } = await operator.rotateApiKey({ id: keyId, overlapMilliseconds: 0 });
      expectOk(await get(`/v1/companies/${company.id}/metrics`, secret));
    });
  });

  describe('environments', () => {
    it('a test key cannot name a live company, and the other way round', async () => {
      const { get, post, fixtures } = given();
      const live = await fixtures.readablePortfolio();
      const sandbox = await fixtures.portfolio({ environment: 'test' });
      for (const [company, key] of [
        [live.company, sandbox.key],
        [sandbox.company, live.key],
      ] as const) {
        const path = `/v1/companies/${company.id}/metrics`;
        expectRefusal(await get(path, key), 'company_not_found');
        const body = { company_id: company.id, scopes: ['metrics:read'] };
        expectRefusal(await post('/v1/access-requests', key, body), 'company_not_found');
      }
    });

    it('a company cannot be put into a portfolio of the other environment', async () => {
      const { fixtures, operator } = given();
      const { investor } = await fixtures.portfolio({ environment: 'test' });
      const { id } = await fixtures.company('live');
      await expect(
        operator.addToPortfolio({ investorId: investor.id, companyId: id }),
      ).rejects.toMatchObject({ code: 'environment_mismatch' });
    });

    it('the sandbox works like production', async () => {
      const { get, fixtures } = given();
      const sandbox = await fixtures.portfolio({ environment: 'test' });
      await fixtures.grant(sandbox);
      expectOk(await get(`/v1/companies/${sandbox.company.id}/metrics`, sandbox.key));
    });
  });
});
