import { describe, expect, it } from 'vitest';
import { gatedEndpoints } from '../support/contract.ts';
import { expectRefusal } from '../support/expectations.ts';
import { conformance } from './conformance.ts';

const unknownKey = () => `svc_sk_live_${crypto.randomUUID().replaceAll('-', '')}`;
const json = { 'content-type': 'application/json' };

/** credential → rate limit → shape → scope → company → grant, each pair of neighbours once and some that lie apart. */
conformance('the order of checks', (given) => {
  describe('the credential comes first', () => {
    it.each([
      ['GET', '/v1/no-such-path', {}],
      ['DELETE', '/v1/companies', {}],
      ['GET', '/v1/access-requests?status=unknown', {}],
      ['POST', '/v1/access-requests', { raw: '{', headers: json }],
      ['POST', '/v1/access-requests', { raw: 'x'.repeat(70_000), headers: json }],
      ['POST', '/v1/access-requests', { raw: 'x', headers: { 'content-type': 'text/plain' } }],
      ['GET', '/v1/companies/co_none/metrics', {}],
    ] as const)('%s %s', async (method, path, ask) => {
      const { call } = given();
      expectRefusal(await call(method, path, ask), 'missing_api_key');
      expectRefusal(await call(method, path, { ...ask, key: unknownKey() }), 'invalid_api_key');
    });
  });

  describe('then the rate limit', () => {
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
      ['a scope that is there', 'GET', '/v1/companies', {}],
    ] as const)('before %s', async (_name, method, path, ask) => {
      const { call, get, fixtures } = given();
      const { key } = await fixtures.portfolio({ rateLimit: 1, scopes: ['companies:read'] });
      await get('/v1/companies', key);
      expectRefusal(await call(method, path, { ...ask, key }), 'rate_limit_exceeded');
    });
  });

  it('then the scope of the key, before the company and before the grant', async () => {
    const { get, fixtures } = given();
    const granted = await fixtures.readablePortfolio();
    const { key } = await fixtures.key(granted.investor, { scopes: ['reports:read'] });
    const stranger = await fixtures.company();
    for (const { path } of gatedEndpoints) {
      for (const id of [granted.company.id, stranger.id, 'co_none', 'impossible']) {
        expectRefusal(await get(path(id), key), 'insufficient_scope');
      }
    }
  });

  it('then the company, before the grant: leaving the portfolio hides a pending and a revoked one', async () => {
    const { get, fixtures, operator } = given();
    for (const state of ['pending', 'revoked']) {
      const { investor, company, key } = await fixtures.portfolio();
      const { id } = await fixtures.request(key, company.id);
      if (state === 'revoked') {
        await operator.approveAccessRequest({ id });
        await operator.revokeAccessRequest({ id });
      }
      await operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
      for (const { path } of gatedEndpoints) {
        expectRefusal(await get(path(company.id), key), 'company_not_found');
      }
    }
  });

  it('an empty part of a path is an id that no company has, not a missing one', async () => {
    const { get, fixtures } = given();
    const { key } = await fixtures.portfolio();
    for (const { path } of gatedEndpoints) {
      expectRefusal(await get(path(''), key), 'company_not_found');
    }
  });

  it('then the grant, before it is told whether a metric exists', async () => {
    const { get, fixtures } = given();
    const { company, key } = await fixtures.portfolio();
    const path = `/v1/companies/${company.id}/metrics`;
    expectRefusal(await get(`${path}/cash_balance`, key), 'access_required');
    expectRefusal(await get(`${path}/no_such_metric`, key), 'access_required');
    expectRefusal(await get(`${path}/no_such_metric/history`, key), 'access_required');
  });

  it('a wrong status filter is refused whatever the scopes of the key', async () => {
    const { get, fixtures } = given();
    const { key } = await fixtures.portfolio({ scopes: ['sources:read'] });
    const answer = await get('/v1/access-requests?status=unknown', key);
    expectRefusal(answer, 'invalid_parameter');
    expect(answer.body.error.message).toContain('status');
  });
});
