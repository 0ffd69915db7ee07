import { afterEach, describe, expect, it, vi } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
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
  (given) => {
    afterEach(() => vi.useRealTimers());

    it('a request costs one point of the default budget', async () => {
      const { get, fixtures } = given();
      const { key } = await fixtures.portfolio();
      const answers = [await get('/v1/companies', key), await get('/v1/companies', key)];
      expect(answers.map(budget)).toMatchObject([
        { limit: 20, remaining: 19 },
        { limit: 20, remaining: 18 },
      ]);
      for (const { reset } of answers.map(budget)) {
        expect(reset).toBeGreaterThan(0);
        expect(reset).toBeLessThanOrEqual(60);
      }
    });

    it('every answer costs the same, whatever its status, and shows the budget', async () => {
      const { call, fixtures } = given();
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

    it('after the last point every request is refused until the window resets', async () => {
      const { get, fixtures } = given();
      const { key } = await fixtures.portfolio({ rateLimit: 2 });
      const start = Date.now();
      vi.useFakeTimers({ toFake: ['Date'], now: start });
      expect(budget(await get('/v1/companies', key))).toMatchObject({ limit: 2, remaining: 1 });
      const last = await get('/v1/companies', key);
      expectOk(last);
      expect(budget(last).remaining).toBe(0);
      const refused = await get('/v1/companies', key);
      expectRefusal(refused, 'rate_limit_exceeded');
      expect(refused.headers['retry-after']).toBe(refused.headers['ratelimit-reset']);
      const wait = Number(refused.headers['retry-after']);
      vi.setSystemTime(start + (wait - 1) * 1000);
      expectRefusal(await get('/v1/companies', key), 'rate_limit_exceeded');
      vi.setSystemTime(start + wait * 1000);
      const again = await get('/v1/companies', key);
      expectOk(again);
      expect(budget(again)).toEqual({ limit: 2, remaining: 1, reset: 60 });
    });

    it('seconds until the reset are whole and rounded up', async () => {
      const { get, fixtures } = given();
      const { key } = await fixtures.portfolio();
      const start = Date.now();
      vi.useFakeTimers({ toFake: ['Date'], now: start });
      expect(budget(await get('/v1/companies', key)).reset).toBe(60);
      vi.setSystemTime(start + 1);
      expect(budget(await get('/v1/companies', key)).reset).toBe(60);
      vi.setSystemTime(start + 59_999);
      expect(budget(await get('/v1/companies', key)).reset).toBe(1);
    });

    it('of many requests at once exactly as many pass as there are points', async () => {
      const { get, fixtures } = given();
      const { key } = await fixtures.portfolio({ rateLimit: 15 });
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => get('/v1/companies', key)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(15);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(25);
    });

    describe('whose budget', () => {
      it('a key may have a limit of its own', async () => {
        const { get, fixtures } = given();
        const { key } = await fixtures.portfolio({ rateLimit: 1000 });
        expect(budget(await get('/v1/companies', key))).toMatchObject({
          limit: 1000,
          remaining: 999,
        });
      });

      it('an unknown credential has a bucket of its own, counted', async () => {
        const { get } = given();
        const [one, other] = [unknownKey(), unknownKey()];
        for (let remaining = 19; remaining >= 0; remaining -= 1) {
          const answer = await get('/v1/companies', one);
          expectRefusal(answer, 'invalid_api_key');
          expect(budget(answer)).toMatchObject({ limit: 20, remaining });
        }
        expectRefusal(await get('/v1/companies', one), 'rate_limit_exceeded');
        const untouched = await get('/v1/companies', other);
        expectRefusal(untouched, 'invalid_api_key');
        expect(budget(untouched).remaining).toBe(19);
      });

      it('a credential that is not even a key is counted too', async () => {
        const { get } = given();
        const nonsense = `nonsense-${unknownKey()}`;
        expect(budget(await get('/v1/companies', nonsense)).remaining).toBe(19);
        expect(budget(await get('/v1/companies', nonsense)).remaining).toBe(18);
      });

      it('a revoked key is an unknown credential: its own limit is gone', async () => {
        const { get, fixtures, operator } = given();
        const { key, keyId } = await fixtures.portfolio({ rateLimit: 500 });
        await get('/v1/companies', key);
        await operator.revokeApiKey({ id: keyId });
        const answer = await get('/v1/companies', key);
        expectRefusal(answer, 'invalid_api_key');
        expect(budget(answer)).toMatchObject({ limit: 20, remaining: 19 });
      });

      it('a revoked key is told so at once, whatever it had spent, and is slowed down then', async () => {
        const { get, fixtures, operator } = given();
        const { key, keyId } = await fixtures.portfolio({ rateLimit: 30 });
        for (let count = 0; count <= 30; count += 1) await get('/v1/companies', key);
        await operator.revokeApiKey({ id: keyId });
        for (let remaining = 19; remaining >= 0; remaining -= 1) {
          const answer = await get('/v1/companies', key);
          expectRefusal(answer, 'invalid_api_key');
          expect(budget(answer).remaining).toBe(remaining);
        }
        expectRefusal(await get('/v1/companies', key), 'rate_limit_exceeded');
      });

      it('no credential at all shows the default policy, untouched and uncounted', async () => {
        const { get } = given();
        for (let count = 0; count < 25; count += 1) {
          const answer = await get('/v1/companies');
          expectRefusal(answer, 'missing_api_key');
          expect(budget(answer)).toEqual({ limit: 20, remaining: 20, reset: 60 });
        }
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
      ])('what is open to everyone costs nothing: %s %s', async (method, path) => {
        const { call, get, fixtures } = given();
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
