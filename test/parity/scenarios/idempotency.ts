import { expect } from 'vitest';
import { AccessError } from '#core';
import { dataOf, expectRefused } from '../outcomes.ts';
import type { Topic } from '../scenario.ts';

const newKey = () => `again-${crypto.randomUUID()}`;

export const idempotency: Topic = {
  title: 'idempotency keys',
  scenarios: [
    {
      name: 'a repeated request gets the same response, marked as a replay',
      async run({ driver, fixtures }) {
        const { company, key } = await fixtures.portfolio();
        const input = { companyId: company.id, scopes: ['metrics:read'], purpose: 'Reporting' };
        const again = newKey();
        const first = dataOf(await driver.requestAccess(key, input, again));
        expect(first).toMatchObject({ outcome: 'created', replayed: false });
        const second = dataOf(await driver.requestAccess(key, input, again));
        expect(second).toEqual({ ...first, replayed: true });
      },
    },
    {
      name: 'a used idempotency key with any other input returns idempotency_key_reused',
      async run({ driver, fixtures }) {
        const { company, investor, key } = await fixtures.portfolio();
        const other = await fixtures.companyOf(investor);
        const input = { companyId: company.id, scopes: ['metrics:read'] };
        const again = newKey();
        dataOf(await driver.requestAccess(key, input, again));
        for (const changed of [
          { companyId: other.id },
          { scopes: ['sources:read'] },
          { purpose: 'Another' },
        ]) {
          const outcome = await driver.requestAccess(key, { ...input, ...changed }, again);
          expectRefused(outcome, 'idempotency_key_reused');
        }
      },
    },
    {
      name: 'an idempotency key of more than 255 characters returns invalid_parameter',
      async run({ driver, fixtures }) {
        const { company, key } = await fixtures.portfolio();
        const input = { companyId: company.id, scopes: ['metrics:read'] };
        const outcome = await driver.requestAccess(key, input, 'x'.repeat(256));
        expectRefused(outcome, 'invalid_parameter');
        dataOf(await driver.requestAccess(key, input, 'x'.repeat(255)));
      },
    },
    {
      name: 'the core’s errors idempotency_key_in_use and request_conflict are returned to the caller',
      async run({ driver, fixtures, standIns }) {
        const { company, key } = await fixtures.portfolio();
        const input = { companyId: company.id, scopes: ['metrics:read'] };
        for (const code of ['idempotency_key_in_use', 'request_conflict'] as const) {
          standIns.break('requestAccess', new AccessError(code));
          expectRefused(await driver.requestAccess(key, input, newKey()), code);
        }
      },
    },
  ],
};
