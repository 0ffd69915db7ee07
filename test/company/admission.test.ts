import { describe, expect, it } from 'vitest';
import { conformance } from '../conformance/conformance.ts';
import { expectOk, expectRefusal, withoutRequestId } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { actions, base, requestsPath, soon } from './company.ts';

const endpoints = [
  ['GET', requestsPath],
  ['GET', `${requestsPath}/ar_1`],
  ...actions.map((action) => ['POST', `${requestsPath}/ar_1/${action}`] as const),
  ['GET', `${base}/access-records`],
  ['GET', `${base}/events`],
] as const;

const unknownKey = `svc_ck_live_${'z'.repeat(32)}`;

conformance('the admission of a company', ({ call, fixtures, url, get, operator, log }) => {
  it.each(endpoints)('%s %s requires a key', async (method, path) => {
    const answer = await call(method, path);
    expectRefusal(answer, 'missing_api_key');
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expectRefusal(await call(method, path, { key: unknownKey }), 'invalid_api_key');
  });

  it.each(endpoints)('%s %s refuses the key of an investor', async (method, path) => {
    const { key } = await fixtures.asking();
    const unknown = await call(method, path, { key: `svc_sk_live_${'z'.repeat(32)}` });
    expect(withoutRequestId(await call(method, path, { key }))).toEqual(withoutRequestId(unknown));
    expectRefusal(unknown, 'invalid_api_key');
    expect(unknown.body.error.message).toContain('It works in /v1,');
  });

  it.each([
    ['GET', '/v1/companies'],
    ['GET', '/v1/access-requests'],
    ['POST', '/v1/access-requests'],
    ['DELETE', '/v1/access-requests/ar_1'],
    ['GET', '/v1/events'],
    ['GET', '/v1/nothing'],
    ['POST', '/graphql'],
    ['GET', '/trpc/companies.list'],
  ] as const)('the API for investors refuses the key of a company: %s %s', async (method, path) => {
    const { companyKey } = await fixtures.asking();
    // Each protocol has its own error format, so the common checks of answers don't apply.
    const client = createHttpClient(url);
    const unknown = await client.call(method, path, { key: `svc_ck_live_${'z'.repeat(32)}` });
    expect([unknown.status, unknown.text]).toEqual([
      401,
      expect.stringContaining('invalid_api_key'),
    ]);
    expect(unknown.text).toContain('It works in the API of companies, /company/v1.');
    const answer = await client.call(method, path, { key: companyKey });
    expect(withoutRequestId(answer)).toEqual(withoutRequestId(unknown));
    client.close();
  });

  it('malformed, unknown, revoked and expired keys get the same answer, byte for byte', async () => {
    const company = await fixtures.company();
    const revoked = await fixtures.companyKey(company.id);
    await operator.revokeCompanyKey({ id: revoked.keyId });
    const rotated = await fixtures.companyKey(company.id);
    await operator.rotateCompanyKey({ id: rotated.keyId, overlapMilliseconds: 0 });
    const answers = [];
    for (const key of ['svc_ck_live_x', 'x', unknownKey, revoked.key, rotated.key]) {
      const answer = await get(requestsPath, key);
      expectRefusal(answer, 'invalid_api_key');
      answers.push(withoutRequestId(answer));
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  describe('the order of checks', () => {
    it.each([
      ['GET', `${base}/nothing`, 'route_not_found'],
      ['GET', `${requestsPath}/`, 'route_not_found'],
      ['GET', `${requestsPath}/ar_1/approve`, 'method_not_allowed'],
      ['POST', requestsPath, 'method_not_allowed'],
      ['DELETE', `${requestsPath}/ar_1`, 'method_not_allowed'],
      ['POST', `${base}/openapi.json`, 'method_not_allowed'],
      ['POST', `${requestsPath}/ar_1/withdraw`, 'route_not_found'],
    ] as const)(
      '%s %s returns missing_api_key without a key, and %s with a key',
      async (method, path, code) => {
        const { companyKey } = await fixtures.asking();
        expectRefusal(await call(method, path), 'missing_api_key');
        expectRefusal(await call(method, path, { key: companyKey }), code);
      },
    );

    it('OPTIONS and Allow list the methods of a path', async () => {
      const { companyKey: key } = await fixtures.asking();
      for (const [path, allow] of [
        [requestsPath, 'GET, HEAD, OPTIONS'],
        [`${requestsPath}/ar_1`, 'GET, HEAD, OPTIONS'],
        [`${requestsPath}/ar_1/extend`, 'POST, OPTIONS'],
        [`${base}/access-records`, 'GET, HEAD, OPTIONS'],
        [`${base}/events`, 'GET, HEAD, OPTIONS'],
      ] as const) {
        const told = await call('OPTIONS', path);
        expect([told.status, told.headers.allow]).toEqual([204, allow]);
        expect((await call('PUT', path, { key })).headers.allow).toBe(allow);
      }
    });

    it('HEAD returns the same headers as GET, without a body', async () => {
      const { companyKey: key, requestId } = await fixtures.asking();
      for (const path of [requestsPath, `${requestsPath}/${requestId}`, `${requestsPath}/ar_1`]) {
        const { text: _text, ...get } = withoutRequestId(await call('GET', path, { key }));
        const { text, ...head } = withoutRequestId(await call('HEAD', path, { key }));
        expect(head).toEqual(get);
        expect(text).toBe('');
      }
    });
  });

  it('the log contains the company and the key id, but not the secret', async () => {
    const { company, companyKey, companyKeyId } = await fixtures.asking();
    await get(`${base}/events?after=${companyKey}`, companyKey);
    const lines = log.filter((line) => line.includes(companyKeyId));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { key_id: companyKeyId, company_id: company.id, route: `${base}/events`, status: 410 },
    ]);
    expect(log.join('')).not.toContain(companyKey);
  });
});

conformance(
  'the budget of a company',
  (service) => {
    it('is shared by all keys of the company, and checked before the input of a request', async () => {
      const { companyKey, company, key } = await service.fixtures.asking();
      const remaining = [];
      for (const path of [requestsPath, `${base}/nothing`, `${base}/events?x=1`]) {
        remaining.push((await service.get(path, companyKey)).headers['ratelimit-remaining']);
      }
      expect(remaining).toEqual(['2', '1', '0']);
      const late = await service.post(`${requestsPath}/x/extend`, companyKey, {
        expires_at: soon(),
        unknown: 1,
      });
      expectRefusal(late, 'rate_limit_exceeded');
      const sibling = await service.fixtures.companyKey(company.id);
      const refused = await service.get(requestsPath, sibling.key);
      expectRefusal(refused, 'rate_limit_exceeded');
      expect(refused.body.error.message).toBe('The rate limit of this company is exceeded.');
      expectOk(await service.get('/v1/access-requests', key));
    });
  },
  { environment: { RATE_LIMIT_POINTS: '3' } },
);
