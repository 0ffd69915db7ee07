import { expect } from 'vitest';
import { dataOf, expectRefused, normalizeRequest } from '../outcomes.ts';
import type { Topic } from '../scenario.ts';

const metrics = ['metrics:read'];

/** The error code is the same in every protocol. */
const invalid = [
  [{ companyId: '' }, 'missing_company_id'],
  [{ scopes: [] }, 'missing_scopes'],
  [{ purpose: 'x'.repeat(1001) }, 'invalid_parameter'],
  // Half of a surrogate pair.
  [{ purpose: '\ud83c' }, 'invalid_parameter'],
  [{ purpose: '\u0000' }, 'invalid_parameter'],
] as const;

/** GraphQL always refuses wrong types with invalid_parameter, before the core gets them. */
const mistyped = [
  [{ companyId: undefined }, 'missing_company_id'],
  [{ companyId: {} }, 'invalid_parameter'],
  [{ scopes: undefined }, 'missing_scopes'],
  [{ scopes: { all: true } }, 'invalid_parameter'],
  [{ scopes: ['companies:read'] }, 'invalid_scope'],
  [{ scopes: [...metrics, 'reports:read'] }, 'invalid_scope'],
  [{ scopes: [...metrics, 'webhooks:manage'] }, 'invalid_scope'],
  [{ scopes: ['all:read'] }, 'invalid_scope'],
  [{ purpose: {} }, 'invalid_parameter'],
] as const;

export const asking: Topic = {
  title: 'requests for access',
  scenarios: [
    {
      name: 'a new access request has the given scopes and purpose, and sending it again returns the same request',
      async run({ driver, fixtures, operator }) {
        const { company, key } = await fixtures.portfolio({ scopes: ['reports:read'] });
        const purpose = 'Größe ½ “高” 🏦 \n\t<b> ; drop table \\u0041';
        const scopes = ['sources:read', 'metrics:read', 'sources:read'];
        const input = { companyId: company.id, scopes, purpose };
        const first = dataOf(await driver.requestAccess(key, input));
        const [stored] = await operator.listCompanyAccessRequests({ companyId: company.id });
        expect(first).toEqual({
          outcome: 'created',
          replayed: false,
          accessRequest: stored && normalizeRequest(stored),
        });
        expect(first.accessRequest).toMatchObject({
          companyId: company.id,
          requestedScopes: ['sources:read', 'metrics:read'],
          approvedScopes: [],
          status: 'pending',
          purpose,
          expiresAt: null,
        });
        const second = dataOf(await driver.requestAccess(key, input));
        expect(second).toEqual({ ...first, outcome: 'existing' });
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
          [{ purpose: '' }, ''],
          ...['ü', '東', '🗼'].map((character) => {
            const purpose = character.repeat(1000);
            return [{ purpose }, purpose] as const;
          }),
        ] as const) {
          const { id: companyId } = await fixtures.companyOf(investor);
          const input = { companyId, scopes: metrics, ...given };
          const { accessRequest } = dataOf(await driver.requestAccess(key, input));
          expect(accessRequest.purpose).toBe(kept);
        }
      },
    },
    {
      name: 'an invalid access request returns the code of its problem, and nothing is stored',
      async run({ driver, fixtures, operator }) {
        const { company, key } = await fixtures.portfolio();
        const attempt = (wrong: object) =>
          driver.requestAccess(key, { companyId: company.id, scopes: metrics, ...wrong });
        for (const [wrong, code] of invalid) expectRefused(await attempt(wrong), code);
        for (const [wrong, code] of mistyped) {
          const expected = driver.protocol === 'graphql' ? 'invalid_parameter' : code;
          expectRefused(await attempt(wrong), expected);
        }
        expect(await operator.listCompanyAccessRequests({ companyId: company.id })).toEqual([]);
      },
    },
  ],
};
