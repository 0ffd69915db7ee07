import { expect } from 'vitest';
import { calls } from '../calls.ts';
import type { Outcome } from '../drivers/driver.ts';
import { dataOf, expectRefused } from '../outcomes.ts';
import type { Topic } from '../scenario.ts';

function budget({ wire: { headers } }: Outcome<unknown>) {
  return {
    limit: Number(headers['ratelimit-limit']),
    remaining: Number(headers['ratelimit-remaining']),
    reset: Number(headers['ratelimit-reset']),
  };
}

export const limits: Topic = {
  title: 'the rate limit',
  scenarios: [
    {
      name: 'each call costs a point, whatever its result',
      async run({ driver, fixtures }) {
        const { key, company } = await fixtures.portfolio({ rateLimit: 100 });
        let remaining = 100;
        for (const { ask } of calls) {
          remaining -= 1;
          expect(budget(await ask(driver, key, company.id))).toMatchObject({
            limit: 100,
            remaining,
          });
        }
      },
    },
    {
      name: 'a call without remaining points returns rate_limit_exceeded until the window is over',
      async run({ driver, fixtures, setClock }) {
        const { key } = await fixtures.portfolio({ rateLimit: 2 });
        const now = Date.now();
        setClock(new Date(now));
        expect(budget(await driver.listCompanies(key))).toEqual({
          limit: 2,
          remaining: 1,
          reset: 60,
        });
        dataOf(await driver.listCompanies(key));
        const { wire } = expectRefused(await driver.listCompanies(key), 'rate_limit_exceeded');
        expect(wire.status).toBe(429);
        expect(wire.headers['retry-after']).toBe('60');
        setClock(new Date(now + 59_000));
        expectRefused(await driver.listCompanies(key), 'rate_limit_exceeded');
        setClock(new Date(now + 60_000));
        dataOf(await driver.listCompanies(key));
      },
    },
    {
      name: 'a request for access without remaining points stores nothing',
      async run({ driver, fixtures, operator }) {
        const { key, company } = await fixtures.portfolio({ rateLimit: 1 });
        dataOf(await driver.listCompanies(key));
        const input = { companyId: company.id, scopes: ['metrics:read'] };
        expectRefused(await driver.requestAccess(key, input), 'rate_limit_exceeded');
        expect(await operator.listCompanyAccessRequests({ companyId: company.id })).toEqual([]);
      },
    },
    {
      name: 'a call without a credential isn’t counted, and an unknown key has its own limit',
      async run({ driver }) {
        for (let count = 0; count < 2; count += 1) {
          const outcome = expectRefused(await driver.listCompanies(null), 'missing_api_key');
          expect(budget(outcome)).toEqual({ limit: 100_000, remaining: 100_000, reset: 60 });
        }
        const unknown = `svc_sk_live_${crypto.randomUUID().replaceAll('-', '')}`;
        for (const remaining of [99_999, 99_998]) {
          const outcome = expectRefused(await driver.listCompanies(unknown), 'invalid_api_key');
          expect(budget(outcome)).toMatchObject({ limit: 100_000, remaining });
        }
      },
    },
  ],
};
