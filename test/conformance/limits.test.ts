import { afterEach, describe, expect, it, vi } from 'vitest';
import { expectRefusal } from '../support/expectations.ts';
import type { Answer } from '../support/http-client.ts';
import { conformance } from './conformance.ts';

const unknownKey = () => `svc_sk_live_${crypto.randomUUID().replaceAll('-', '')}`;
const json = { 'content-type': 'application/json' };

const budget = ({ headers }: Answer) => ({
  limit: Number(headers['ratelimit-limit']),
  remaining: Number(headers['ratelimit-remaining']),
  reset: Number(headers['ratelimit-reset']),
});

const environment = { RATE_LIMIT_POINTS: '20/60' };

conformance(
  'limits',
  ({ call, fixtures, get, operator }) => {
    afterEach(() => vi.useRealTimers());

    it('every answer costs one point, whatever its status, and states the remaining points', async () => {
      const { company, key } = await fixtures.portfolio();
      const made = { company_id: company.id, scopes: ['metrics:read'] };
      const expected = [
        [201, await call('POST', '/v1/access-requests', { key, body: made })],
        [200, await call('POST', '/v1/access-requests', { key, body: made })],
        [200, await call('GET', '/v1/access-requests', { key })],
        [200, await call('HEAD', '/v1/companies', { key })],
        [400, await call('POST', '/v1/access-requests', { key, raw: '{', headers: json })],
        [403, await call('GET', `/v1/companies/${company.id}/metrics`, { key })],
        [404, await call('GET', '/v1/companies/co_none/metrics', { key })],
        [404, await call('GET', '/v1/nothing', { key })],
        [405, await call('DELETE', '/v1/companies', { key })],
        [
          409,
          await call('POST', '/v1/access-requests', {
            key,
            body: { ...made, scopes: ['sources:read'] },
          }),
        ],
        [
          413,
          await call('POST', '/v1/access-requests', {
            key,
            raw: 'x'.repeat(70_000),
            headers: json,
          }),
        ],
        [415, await call('POST', '/v1/access-requests', { key, raw: 'x' })],
        [422, await call('POST', '/v1/access-requests', { key, body: {} })],
        [501, await call('GET', '/v1/reports', { key })],
      ] as const;
      for (const [index, [status, answer]] of expected.entries()) {
        expect(answer.status).toBe(status);
        expect(budget(answer)).toMatchObject({ limit: 20, remaining: 19 - index });
      }
    });

    it('the seconds until the reset are rounded up to whole numbers', async () => {
      const { key } = await fixtures.portfolio();
      const start = Date.now();
      vi.useFakeTimers({ toFake: ['Date'], now: start });
      expect(budget(await get('/v1/companies', key)).reset).toBe(60);
      vi.setSystemTime(start + 1);
      expect(budget(await get('/v1/companies', key)).reset).toBe(60);
      vi.setSystemTime(start + 59_999);
      expect(budget(await get('/v1/companies', key)).reset).toBe(1);
    });

    describe('the owner of the rate limit', () => {
      it('a credential that isn’t a valid key has a rate limit too', async () => {
        const nonsense = `nonsense-${unknownKey()}`;
        expect(budget(await get('/v1/companies', nonsense)).remaining).toBe(19);
        expect(budget(await get('/v1/companies', nonsense)).remaining).toBe(18);
      });

      it('a revoked key has the limit of an unknown credential, not that of the key', async () => {
        const { key, keyId } = await fixtures.portfolio({ rateLimit: 500 });
        await get('/v1/companies', key);
        await operator.revokeApiKey({ id: keyId });
        const answer = await get('/v1/companies', key);
        expectRefusal(answer, 'invalid_api_key');
        expect(budget(answer)).toMatchObject({ limit: 20, remaining: 19 });
      });

      it.each([
        ['GET', '/healthz'],
        ['GET', '/readyz'],
        ['GET', '/docs/'],
        ['GET', '/docs/errors'],
        ['HEAD', '/docs/errors'],
        ['GET', '/v1/openapi.json'],
        ['OPTIONS', '/v1/companies'],
        ['GET', '/nothing'],
        ['POST', '/nothing'],
      ])('public calls cost no points: %s %s', async (method, path) => {
        const { key } = await fixtures.portfolio();
        await get('/v1/companies', key);
        for (const ask of [{ key }, {}]) {
          expect(budget(await call(method, path, ask))).toEqual({
            limit: 20,
            remaining: 20,
            reset: 60,
          });
        }
        expect(budget(await get('/v1/companies', key)).remaining).toBe(18);
      });
    });
  },
  { environment },
);
