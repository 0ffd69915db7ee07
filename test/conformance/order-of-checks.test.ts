import { describe, expect, it } from 'vitest';
import { gatedEndpoints } from '../support/contract.ts';
import { expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const unknownKey = () => `svc_sk_live_${crypto.randomUUID().replaceAll('-', '')}`;
const json = { 'content-type': 'application/json' };

/**
 * Tests the order credential → rate limit → shape → scope → company → grant, for each pair of neighbours and some
 * others.
 */
conformance('the order of checks', ({ call, get, fixtures }) => {
  describe('the credential', () => {
    it.each([
      ['GET', '/v1/no-such-path', {}],
      ['DELETE', '/v1/companies', {}],
      ['GET', '/v1/access-requests?status=unknown', {}],
      ['POST', '/v1/access-requests', { raw: '{', headers: json }],
      ['POST', '/v1/access-requests', { raw: 'x'.repeat(70_000), headers: json }],
      ['POST', '/v1/access-requests', { raw: 'x', headers: { 'content-type': 'text/plain' } }],
      ['GET', '/v1/companies/co_none/metrics', {}],
    ] as const)('is checked first: %s %s', async (method, path, ask) => {
      expectRefusal(await call(method, path, ask), 'missing_api_key');
      expectRefusal(await call(method, path, { ...ask, key: unknownKey() }), 'invalid_api_key');
    });
  });

  describe('the rate limit', () => {
    it.each([
      ['a path that does not exist', 'GET', '/v1/no-such-path', {}],
      ['a wrong method', 'DELETE', '/v1/companies', {}],
      ['a wrong parameter', 'GET', '/v1/access-requests?status=unknown', {}],
      ['a malformed body', 'POST', '/v1/access-requests', { raw: '{', headers: json }],
      [
        'a body that is too large',
        'POST',
        '/v1/access-requests',
        { raw: 'x'.repeat(70_000), headers: json },
      ],
      ['a missing scope', 'GET', '/v1/companies/co_none/metrics', {}],
      ['a valid request', 'GET', '/v1/companies', {}],
    ] as const)('is checked before %s', async (_name, method, path, ask) => {
      const { key } = await fixtures.portfolio({ rateLimit: 1, scopes: ['companies:read'] });
      await get('/v1/companies', key);
      expectRefusal(await call(method, path, { ...ask, key }), 'rate_limit_exceeded');
    });
  });

  it('a path with an empty company id returns route_not_found', async () => {
    const { key } = await fixtures.portfolio();
    for (const { path } of gatedEndpoints) {
      expectRefusal(await get(path(''), key), 'route_not_found');
    }
  });

  it('an invalid status filter is refused whatever scopes the key has', async () => {
    const { key } = await fixtures.portfolio({ scopes: ['sources:read'] });
    const answer = await get('/v1/access-requests?status=unknown', key);
    expectRefusal(answer, 'invalid_parameter');
    expect(answer.body.error.message).toContain('status');
  });
});
