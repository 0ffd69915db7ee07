import { expect } from 'vitest';
import { grantable } from '../../support/contract.ts';
import { dataOf, expectRefused, told } from '../outcomes.ts';
import type { Scenario, Topic } from '../scenario.ts';
import { bring } from '../states.ts';

const metrics = ['metrics:read'];

/** The mistakes of an input that are mistakes in every protocol. */
const refusedInputs = [
  ['an empty company id', { companyId: '', scopes: metrics }, 'missing_company_id'],
  ['no scopes', { scopes: [] }, 'missing_scopes'],
  ['a purpose of 1,001 characters', { purpose: 'x'.repeat(1001) }, 'invalid_parameter'],
  ['a purpose with half a character', { purpose: '\ud83c' }, 'invalid_parameter'],
  ['a purpose that no store can hold', { purpose: '\u0000' }, 'invalid_parameter'],
] as const;

/** GraphQL refuses a value of the wrong type before the core sees it, and always with one code. */
const mistypedInputs = [
  ['no company id', { companyId: undefined }, 'missing_company_id'],
  ['a company id of a wrong type', { companyId: {} }, 'invalid_parameter'],
  ['scopes that are absent', { scopes: undefined }, 'missing_scopes'],
  ['scopes of a wrong type', { scopes: { all: true } }, 'invalid_parameter'],
  ['a scope that cannot be granted', { scopes: ['companies:read'] }, 'invalid_scope'],
  ['a scope that is only announced', { scopes: [...metrics, 'reports:read'] }, 'invalid_scope'],
  ['a scope of keys alone', { scopes: [...metrics, 'webhooks:manage'] }, 'invalid_scope'],
  ['a scope that does not exist', { scopes: ['all:read'] }, 'invalid_scope'],
  ['a purpose of a wrong type', { purpose: {} }, 'invalid_parameter'],
] as const;

const refusals: Scenario[] = [
  ...refusedInputs.map(
    ([name, wrong, code]): Scenario => ({
      name: `${name}: ${code}, and nothing is written`,
      async run({ driver, fixtures, operator }) {
        const { company, key } = await fixtures.portfolio();
        const input = { companyId: company.id, scopes: metrics, ...wrong };
        expectRefused(await driver.requestAccess(key, input), code);
        expect(await operator.listCompanyAccessRequests({ companyId: company.id })).toEqual([]);
      },
    }),
  ),
  ...mistypedInputs.map(
    ([name, wrong, code]): Scenario => ({
      name: `${name}: ${code}${code === 'invalid_parameter' ? '' : ', in GraphQL invalid_parameter'}, and nothing is written`,
      async run({ driver, fixtures, operator }) {
        const { company, key } = await fixtures.portfolio();
        const input = { companyId: company.id, scopes: metrics, ...wrong };
        const outcome = await driver.requestAccess(key, input);
        expectRefused(outcome, driver.protocol === 'graphql' ? 'invalid_parameter' : code);
        expect(await operator.listCompanyAccessRequests({ companyId: company.id })).toEqual([]);
      },
    }),
  ),
];

export const asking: Topic = {
  title: 'asking for access',
  scenarios: [
    {
      name: 'a request is created as it was asked, and is pending',
      async run({ driver, fixtures, operator }) {
        const { company, key } = await fixtures.portfolio({ scopes: ['reports:read'] });
        const purpose = 'Größe ½ “高” 🏦 \n\t<b> ; drop table \\u0041';
        const scopes = ['sources:read', 'metrics:read', 'sources:read'];
        const input = { companyId: company.id, scopes, purpose };
        const { outcome, replayed, accessRequest } = dataOf(await driver.requestAccess(key, input));
        const [stored] = await operator.listCompanyAccessRequests({ companyId: company.id });
        expect({ outcome, replayed }).toEqual({ outcome: 'created', replayed: false });
        expect(accessRequest).toEqual(stored && told(stored));
        expect(accessRequest).toMatchObject({
          companyId: company.id,
          requestedScopes: ['sources:read', 'metrics:read'],
          approvedScopes: [],
          status: 'pending',
          purpose,
          expiresAt: null,
        });
      },
    },
    {
      name: 'a purpose may be left out, be null, and have 1,000 characters',
      async run({ driver, fixtures }) {
        const investor = await fixtures.investor();
        const { key } = await fixtures.key(investor);
        for (const [given, kept] of [
          [{}, null],
          [{ purpose: null }, null],
          [{ purpose: 'ü'.repeat(1000) }, 'ü'.repeat(1000)],
          [{ purpose: '' }, ''],
        ] as const) {
          const { id: companyId } = await fixtures.companyOf(investor);
          const input = { companyId, scopes: metrics, ...given };
          const { accessRequest } = dataOf(await driver.requestAccess(key, input));
          expect(accessRequest.purpose).toBe(kept);
        }
      },
    },
    {
      name: 'an identical repeat answers the live request',
      async run({ driver, fixtures, operator }) {
        const { company, key } = await fixtures.portfolio();
        const input = { companyId: company.id, scopes: metrics, purpose: 'Reporting' };
        const first = dataOf(await driver.requestAccess(key, input));
        const second = dataOf(await driver.requestAccess(key, input));
        expect(second).toEqual({ ...first, outcome: 'existing' });
        expect(await operator.listCompanyAccessRequests({ companyId: company.id })).toHaveLength(1);
      },
    },
    {
      name: 'what a live request covers is answered with it, also when only a part was approved',
      async run({ driver, fixtures, operator }) {
        const { company, key } = await fixtures.portfolio();
        const { id } = await fixtures.request(key, company.id, ['metrics:read', 'sources:read']);
        const ask = async (scopes: readonly string[]) =>
          dataOf(await driver.requestAccess(key, { companyId: company.id, scopes }));
        for (const scopes of [['sources:read'], metrics, ['sources:read', 'metrics:read']]) {
          expect(await ask(scopes)).toMatchObject({ outcome: 'existing', accessRequest: { id } });
        }
        const { accessRequest: approved } = await operator.approveAccessRequest({
          id,
          scopes: metrics,
        });
        for (const scopes of [metrics, ['sources:read', 'metrics:read']]) {
          expect(await ask(scopes)).toEqual({
            outcome: 'existing',
            replayed: false,
            accessRequest: told(approved),
          });
        }
      },
    },
    {
      name: 'more than a live request covers: scope_conflict, and it stays as it was',
      async run({ driver, fixtures, operator }) {
        const { company, key } = await fixtures.portfolio();
        const request = await fixtures.request(key, company.id, ['metrics:read']);
        const input = { companyId: company.id, scopes: ['metrics:read', 'sources:read'] };
        expectRefused(await driver.requestAccess(key, input), 'scope_conflict');
        await operator.approveAccessRequest({ id: request.id });
        expectRefused(await driver.requestAccess(key, input), 'scope_conflict');
        expect(await operator.listCompanyAccessRequests({ companyId: company.id })).toHaveLength(1);
      },
    },
    ...(
      [
        'the request was declined',
        'the request was not answered in time',
        'the grant has expired',
        'the grant was revoked',
      ] as const
    ).map(
      (state): Scenario => ({
        name: `a new request may be made when ${state}`,
        async run(given) {
          const { key, company, request } = await bring(given, state);
          const input = { companyId: company.id, scopes: grantable };
          const { outcome, accessRequest } = dataOf(await given.driver.requestAccess(key, input));
          expect(outcome).toBe('created');
          expect(accessRequest).toMatchObject({ status: 'pending', approvedScopes: [] });
          expect(accessRequest.id).not.toBe(request?.id);
        },
      }),
    ),
    {
      name: 'a company outside the portfolio, of another environment or that does not exist: company_not_found',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.portfolio();
        const foreign = await fixtures.company();
        const sandbox = await fixtures.company('test');
        for (const companyId of [foreign.id, sandbox.id, 'co_none', 'impossible']) {
          const outcome = await driver.requestAccess(key, { companyId, scopes: metrics });
          expectRefused(outcome, 'company_not_found');
        }
      },
    },
    ...refusals,
    {
      name: 'a status to filter by that does not exist: invalid_parameter',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.portfolio();
        expectRefused(await driver.listAccessRequests(key, 'unknown'), 'invalid_parameter');
      },
    },
  ],
};
