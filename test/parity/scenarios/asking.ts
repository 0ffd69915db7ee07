import { expect } from 'vitest';
import { grantable } from '../../support/contract.ts';
import { dataOf, expectRefused, normalizeRequest } from '../outcomes.ts';
import type { Scenario, Topic } from '../scenario.ts';
import { bring } from '../states.ts';

const metrics = ['metrics:read'];

/** Invalid inputs with the same error code in every protocol. */
const refusedInputs = [
  ['an empty company id', { companyId: '', scopes: metrics }, 'missing_company_id'],
  ['no scopes', { scopes: [] }, 'missing_scopes'],
  ['a purpose of 1,001 characters', { purpose: 'x'.repeat(1001) }, 'invalid_parameter'],
  ['a purpose with half of a surrogate pair', { purpose: '\ud83c' }, 'invalid_parameter'],
  ['a purpose with a zero character', { purpose: '\u0000' }, 'invalid_parameter'],
] as const;

/** Inputs of a wrong type. GraphQL refuses them before the core sees them, always with one code. */
const mistypedInputs = [
  ['no company id', { companyId: undefined }, 'missing_company_id'],
  ['a company id of a wrong type', { companyId: {} }, 'invalid_parameter'],
  ['no list of scopes', { scopes: undefined }, 'missing_scopes'],
  ['scopes of a wrong type', { scopes: { all: true } }, 'invalid_parameter'],
  ['a scope that cannot be granted', { scopes: ['companies:read'] }, 'invalid_scope'],
  [
    'a scope that is announced for later',
    { scopes: [...metrics, 'reports:read'] },
    'invalid_scope',
  ],
  ['a scope that only keys can have', { scopes: [...metrics, 'webhooks:manage'] }, 'invalid_scope'],
  ['a scope that does not exist', { scopes: ['all:read'] }, 'invalid_scope'],
  ['a purpose of a wrong type', { purpose: {} }, 'invalid_parameter'],
] as const;

const refusals: Scenario[] = [
  ...refusedInputs.map(
    ([name, wrong, code]): Scenario => ({
      name: `a request with ${name} returns ${code}, and nothing is stored`,
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
      name: `a request with ${name} returns ${code}${code === 'invalid_parameter' ? '' : ' (in GraphQL invalid_parameter)'}, and nothing is stored`,
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
  title: 'requests for access',
  scenarios: [
    {
      name: 'a new request has the given scopes and purpose, and is pending',
      async run({ driver, fixtures, operator }) {
        const { company, key } = await fixtures.portfolio({ scopes: ['reports:read'] });
        const purpose = 'Größe ½ “高” 🏦 \n\t<b> ; drop table \\u0041';
        const scopes = ['sources:read', 'metrics:read', 'sources:read'];
        const input = { companyId: company.id, scopes, purpose };
        const { outcome, replayed, accessRequest } = dataOf(await driver.requestAccess(key, input));
        const [stored] = await operator.listCompanyAccessRequests({ companyId: company.id });
        expect({ outcome, replayed }).toEqual({ outcome: 'created', replayed: false });
        expect(accessRequest).toEqual(stored && normalizeRequest(stored));
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
      name: 'a purpose may be missing, null, empty, or up to 1,000 characters long',
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
      name: 'a repeated request returns the pending request',
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
      name: 'a request for scopes of a live request returns that request, even if it was approved in part',
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
            accessRequest: normalizeRequest(approved),
          });
        }
      },
    },
    {
      name: 'a request for more scopes than a live request has returns scope_conflict, and changes nothing',
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
        name: `a new request can be made if ${state}`,
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
      name: 'a request to a foreign or unknown company, or one of the other environment, returns company_not_found',
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
      name: 'a list filtered by an unknown status returns invalid_parameter',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.portfolio();
        expectRefused(await driver.listAccessRequests(key, 'unknown'), 'invalid_parameter');
      },
    },
  ],
};
