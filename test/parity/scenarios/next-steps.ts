import { expect } from 'vitest';
import type { ApiProtocol } from '#core';
import { grantable } from '../../support/contract.ts';
import type { Refused } from '../drivers/driver.ts';
import { dataOf, expectRefused } from '../outcomes.ts';
import type { Given, Scenario, Topic } from '../scenario.ts';
import { bring, type State } from '../states.ts';

type Way = 'request' | 'amend' | 'wait' | 'talk';

const ways: Readonly<Record<Way, Readonly<Record<ApiProtocol, (id: string) => string>>>> = {
  request: {
    rest: () => 'POST /v1/access-requests.',
    graphql: () => 'requestAccess.',
    trpc: () => 'accessRequests.create.',
    mcp: () => 'request_access',
  },
  amend: {
    rest: (id) => `PATCH /v1/access-requests/${id}.`,
    graphql: (id) => `amendAccessRequest of ${id}.`,
    trpc: (id) => `accessRequests.amend of ${id}.`,
    mcp: () => 'amend_access_request',
  },
  wait: {
    rest: (id) => `GET /v1/access-requests/${id}`,
    graphql: (id) => `accessRequest of ${id}`,
    trpc: (id) => `accessRequests.get of ${id}`,
    mcp: () => 'get_access_request',
  },
  talk: {
    rest: () => 'Talk to the company',
    graphql: () => 'Talk to the company',
    trpc: () => 'Talk to the company',
    mcp: () => 'Don’t request access again on your own.',
  },
};

export function expectWay({ driver }: Given, refused: Refused, way: Way, id: string): void {
  const told = refused.nextStep ?? refused.message;
  expect(told).toContain(ways[way][driver.protocol](id));
}

const inEachState: readonly [State, Way, says: string, isLive: boolean][] = [
  ['nothing was asked', 'request', 'haven’t asked the company', false],
  ['the request is pending', 'wait', 'hasn’t answered the access request {id} yet', true],
  ['the request was declined', 'talk', 'The company declined the last access request on 2', false],
  ['the request was not answered in time', 'request', 'has expired or was withdrawn', false],
  ['the grant has expired', 'request', 'has expired or was withdrawn', false],
  ['the grant was revoked', 'talk', 'The company has revoked its grant', false],
];

async function grantedInPart(given: Given) {
  const made = await bring(given, 'the request is pending');
  const id = made.request?.id ?? '';
  await given.operator.approveAccessRequest({ id, scopes: ['metrics:read'] });
  return { id, key: made.key, companyId: made.company.id };
}

export const nextSteps: Topic = {
  title: 'the next step of a caller without consent',
  scenarios: [
    ...inEachState.map(
      ([state, way, says, isLive]): Scenario => ({
        name: `the next step if ${state}: ${way}`,
        async run(given) {
          const { company, key, request } = await bring(given, state);
          const outcome = await given.driver.readSources(key, company.id);
          if (outcome.ok) throw new Error('was not refused');
          const id = request?.id ?? '';
          expect(outcome.message).toContain(says.replace('{id}', id));
          expectWay(given, outcome, way, id);
          expect(outcome.details).toEqual(isLive ? { accessRequestId: id } : {});
        },
      }),
    ),
    {
      name: 'the next step if a live grant lacks the scope: amend the request, then wait, and after a refusal talk to the company',
      async run(given) {
        const { driver, operator } = given;
        const { id, key, companyId } = await grantedInPart(given);
        const ask = (...scopes: string[]) => driver.requestAccess(key, { companyId, scopes });
        const leftOut = expectRefused(await driver.readSources(key, companyId), 'access_required');
        expect(leftOut.message).toContain(`The live grant ${id} leaves out sources:read.`);
        expect(leftOut.details).toEqual({ accessRequestId: id });
        expectWay(given, leftOut, 'amend', id);

        const conflict = expectRefused(await ask('sources:read'), 'scope_conflict');
        expect(conflict.message).toContain(`The live grant ${id} leaves out sources:read.`);
        expect(conflict.details).toEqual({ accessRequestId: id });
        expectWay(given, conflict, 'amend', id);
        expect(dataOf(await ask('metrics:read')).outcome).toBe('existing');
        expect(dataOf(await ask(...grantable)).outcome).toBe('existing');

        dataOf(await driver.amendAccessRequest(key, id, { scopes: ['sources:read'] }));
        const pending = expectRefused(await driver.readSources(key, companyId), 'access_pending');
        expect(pending.message).toContain(`whether to add sources:read to the grant ${id}`);
        expect(pending.details).toEqual({ accessRequestId: id });
        expectWay(given, pending, 'wait', id);
        expect(dataOf(await ask('metrics:read', 'sources:read')).outcome).toBe('existing');

        const { version } = (await operator.showAccessRequest({ id })).accessRequest;
        await operator.declineAccessRequest({ id, reason: 'No.', version });
        for (const outcome of [
          await driver.readSources(key, companyId),
          await ask('sources:read'),
        ]) {
          if (outcome.ok) throw new Error('was not refused');
          expect(outcome.message).toContain('The company declined the last addition to it.');
          expect(outcome.details).toEqual({ accessRequestId: id });
          expectWay(given, outcome, 'talk', id);
        }
      },
    },
    {
      name: 'the next step if a pending request lacks the scope: amend the request',
      async run(given) {
        const { driver, fixtures } = given;
        const { company, key } = await fixtures.portfolio();
        const ask = (...scopes: string[]) =>
          driver.requestAccess(key, { companyId: company.id, scopes });
        const { id } = dataOf(await ask('metrics:read')).accessRequest;
        const refused = expectRefused(await ask('metrics:read', 'sources:read'), 'scope_conflict');
        expect(refused.message).toContain(`${id} doesn’t include sources:read.`);
        expect(refused.details).toEqual({ accessRequestId: id });
        expectWay(given, refused, 'amend', id);
      },
    },
    {
      name: 'a company outside the portfolio returns no details about consent',
      async run(given) {
        const { company } = await bring(given, 'the request is pending');
        const { key } = await given.fixtures.portfolio();
        const refused = expectRefused(
          await given.driver.readSources(key, company.id),
          'company_not_found',
        );
        expect(refused.message).toBe('The company isn’t in the portfolio of this API key.');
        expect(refused.details).toEqual({});
      },
    },
    ...(
      [
        [{ scopes: [] }, { param: 'scopes', allowed: grantable }],
        [{ scopes: ['companies:read'] }, { param: 'scopes[0]', allowed: grantable }],
        [{ purpose: 'x'.repeat(1001) }, { param: 'purpose', allowed: { maxLength: 1000 } }],
        [{ companyId: '' }, { param: 'companyId', allowed: { minLength: 1 } }],
      ] as const
    ).map(
      ([input, details]): Scenario => ({
        name: `a refused input lists the allowed values: ${details.param}`,
        async run({ driver, fixtures }) {
          const { company, key } = await fixtures.portfolio();
          const asked = { companyId: company.id, scopes: ['metrics:read'], ...input };
          const outcome = await driver.requestAccess(key, asked);
          if (outcome.ok) throw new Error('was not refused');
          // GraphQL refuses this scope by its enum type, so the core can't add details.
          const isOfType = driver.protocol === 'graphql' && details.param === 'scopes[0]';
          expect(outcome.details).toEqual(isOfType ? {} : details);
        },
      }),
    ),
  ],
};
