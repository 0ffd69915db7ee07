import { afterEach, expect, it, vi } from 'vitest';
import { expectRefusal } from '../support/expectations.ts';
import type { Answer } from '../support/http-client.ts';
import { conformance } from './conformance.ts';

const json = { 'content-type': 'application/json' };

const budget = ({ headers }: Answer) => ({
  limit: Number(headers['ratelimit-limit']),
  remaining: Number(headers['ratelimit-remaining']),
  reset: Number(headers['ratelimit-reset']),
});

conformance(
  'limits',
  ({ call, fixtures, get, operator }) => {
    afterEach(() => vi.useRealTimers());

    it('every call costs one point, whatever its status, and the response contains the remaining points', async () => {
      const { company, key } = await fixtures.portfolio();
      const requests = '/v1/access-requests';
      const made = { company_id: company.id, scopes: ['metrics:read'] };
      const long = 'x'.repeat(70_000);
      const asked = [
        [201, 'POST', requests, { body: made }],
        [200, 'POST', requests, { body: made }],
        [200, 'GET', requests, {}],
        [200, 'HEAD', '/v1/companies', {}],
        [400, 'POST', requests, { raw: '{', headers: json }],
        [403, 'GET', `/v1/companies/${company.id}/metrics`, {}],
        [404, 'GET', '/v1/companies/co_none/metrics', {}],
        [404, 'GET', '/v1/nothing', {}],
        [405, 'DELETE', '/v1/companies', {}],
        [409, 'POST', requests, { body: { ...made, scopes: ['sources:read'] } }],
        [413, 'POST', requests, { raw: long, headers: json }],
        [415, 'POST', requests, { raw: 'x' }],
        [422, 'POST', requests, { body: {} }],
        [501, 'GET', '/v1/reports', {}],
      ] as const;
      for (const [index, [status, method, path, ask]] of asked.entries()) {
        const answer = await call(method, path, { key, ...ask });
        expect(answer.status).toBe(status);
        expect(budget(answer)).toMatchObject({ limit: 20, remaining: 19 - index });
      }
    });

    it('the time until the limit resets is rounded up to whole seconds', async () => {
      const { key } = await fixtures.portfolio();
      const start = Date.now();
      vi.useFakeTimers({ toFake: ['Date'], now: start });
      expect(budget(await get('/v1/companies', key)).reset).toBe(60);
      vi.setSystemTime(start + 1);
      expect(budget(await get('/v1/companies', key)).reset).toBe(60);
      vi.setSystemTime(start + 59_999);
      expect(budget(await get('/v1/companies', key)).reset).toBe(1);
    });

    it('a revoked key gets the limit for unknown credentials instead of its own', async () => {
      const { key, keyId } = await fixtures.portfolio({ rateLimit: 500 });
      await get('/v1/companies', key);
      await operator.revokeApiKey({ id: keyId });
      const answer = await get('/v1/companies', key);
      expectRefusal(answer, 'invalid_api_key');
      expect(budget(answer)).toMatchObject({ limit: 20, remaining: 19 });
    });

    it('public calls cost no points, with or without a key', async () => {
      const { key } = await fixtures.portfolio();
      await get('/v1/companies', key);
      for (const [method, path] of [
        ['GET', '/healthz'],
        ['GET', '/readyz'],
        ['GET', '/docs/'],
        ['HEAD', '/docs/errors'],
        ['GET', '/v1/openapi.json'],
        ['OPTIONS', '/v1/companies'],
        ['GET', '/nothing'],
        ['POST', '/nothing'],
      ] as const) {
        for (const ask of [{ key }, {}]) {
          expect(budget(await call(method, path, ask)), path).toEqual({
            limit: 20,
            remaining: 20,
            reset: 60,
          });
        }
      }
      expect(budget(await get('/v1/companies', key)).remaining).toBe(18);
    });
  },
  { environment: { RATE_LIMIT_POINTS: '20/60' } },
);
