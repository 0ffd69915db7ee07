import { expect } from 'vitest';
import { AccessError } from '#core';
import { dataOf, expectRefused, normalizeRequest } from '../outcomes.ts';
import type { Topic } from '../scenario.ts';

const day = 86_400_000;
const newKey = () => `again-${crypto.randomUUID()}`;

export const idempotency: Topic = {
  title: 'idempotency keys',
  scenarios: [
    {
      name: 'a repeated request gets the same answer, marked as a replay',
      async run({ driver, fixtures, operator }) {
        const { company, key } = await fixtures.portfolio();
        const input = { companyId: company.id, scopes: ['metrics:read'], purpose: 'Reporting' };
        const again = newKey();
        const first = dataOf(await driver.requestAccess(key, input, again));
        expect(first).toMatchObject({ outcome: 'created', replayed: false });
        const second = dataOf(await driver.requestAccess(key, input, again));
        expect(second).toEqual({ ...first, replayed: true });
        expect(await operator.listCompanyAccessRequests({ companyId: company.id })).toHaveLength(1);
      },
    },
    {
      name: 'a replay returns the current state of the request',
      async run({ driver, fixtures, operator }) {
        const { company, key } = await fixtures.portfolio();
        const input = { companyId: company.id, scopes: ['metrics:read'] };
        const again = newKey();
        const { accessRequest } = dataOf(await driver.requestAccess(key, input, again));
        const { accessRequest: declined } = await operator.declineAccessRequest({
          id: accessRequest.id,
          reason: 'Not now.',
        });
        expect(dataOf(await driver.requestAccess(key, input, again))).toEqual({
          outcome: 'created',
          replayed: true,
          accessRequest: normalizeRequest(declined),
        });
      },
    },
    {
      name: 'a used key with another input returns idempotency_key_reused',
      async run({ driver, fixtures, operator }) {
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
        expect(await operator.listCompanyAccessRequests({ companyId: other.id })).toEqual([]);
      },
    },
    {
      name: 'the same key of two investors counts as two keys',
      async run({ driver, fixtures }) {
        const again = newKey();
        for (const made of [await fixtures.portfolio(), await fixtures.portfolio()]) {
          const input = { companyId: made.company.id, scopes: ['metrics:read'] };
          const answer = dataOf(await driver.requestAccess(made.key, input, again));
          expect(answer).toMatchObject({ outcome: 'created', replayed: false });
        }
      },
    },
    {
      name: 'an idempotency key is shared by the API keys of an investor',
      async run({ driver, fixtures }) {
        const { company, investor, key } = await fixtures.portfolio();
        const { key: second } = await fixtures.key(investor);
        const input = { companyId: company.id, scopes: ['metrics:read'] };
        const again = newKey();
        dataOf(await driver.requestAccess(key, input, again));
        expect(dataOf(await driver.requestAccess(second, input, again)).replayed).toBe(true);
      },
    },
    {
      name: 'an idempotency key is forgotten after a day',
      async run({ driver, fixtures, operator, setClock }) {
        const { company, key } = await fixtures.portfolio();
        const input = { companyId: company.id, scopes: ['metrics:read'] };
        const now = Date.now();
        setClock(new Date(now));
        const again = newKey();
        const { accessRequest } = dataOf(await driver.requestAccess(key, input, again));
        await operator.declineAccessRequest({ id: accessRequest.id });
        setClock(new Date(now + day - 1));
        expect(dataOf(await driver.requestAccess(key, input, again)).replayed).toBe(true);
        setClock(new Date(now + day));
        const answer = dataOf(await driver.requestAccess(key, input, again));
        expect(answer).toMatchObject({ outcome: 'created', replayed: false });
        expect(answer.accessRequest.id).not.toBe(accessRequest.id);
      },
    },
    {
      name: 'a refused request can be sent again under the same key',
      async run({ driver, fixtures, operator }) {
        const { investor, key } = await fixtures.portfolio();
        const { id: companyId } = await fixtures.company();
        const input = { companyId, scopes: ['metrics:read'] };
        const again = newKey();
        expectRefused(await driver.requestAccess(key, input, again), 'company_not_found');
        await operator.addToPortfolio({ investorId: investor.id, companyId });
        expect(dataOf(await driver.requestAccess(key, input, again)).outcome).toBe('created');
      },
    },
    {
      name: 'a key of more than 255 characters returns invalid_parameter',
      async run({ driver, fixtures }) {
        const { company, key } = await fixtures.portfolio();
        const input = { companyId: company.id, scopes: ['metrics:read'] };
        const outcome = await driver.requestAccess(key, input, 'x'.repeat(256));
        expectRefused(outcome, 'invalid_parameter');
        dataOf(await driver.requestAccess(key, input, 'x'.repeat(255)));
      },
    },
    {
      name: 'idempotency_key_in_use and request_conflict of the core reach the caller',
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
