import { expect } from 'vitest';
import type { CompanyAccess } from '#core';
import { allScopes, grantable } from '../../support/contract.ts';
import type { NormalizedCompany } from '../drivers/driver.ts';
import { dataOf, expectRefused } from '../outcomes.ts';
import type { Scenario, Topic } from '../scenario.ts';
import { type AccessFacts, bring, everyState, states } from '../states.ts';

/** The expected entry in the list of companies. */
function normalizeOf({ company, request }: AccessFacts, access: CompanyAccess): NormalizedCompany {
  const { approvedScopes = [], expiresAt = null } = request ?? {};
  return {
    id: company.id,
    name: company.name,
    access,
    grant:
      access === 'approved' && expiresAt !== null
        ? { approvedScopes, expiresAt: expiresAt.toISOString() }
        : null,
    accessRequestId: request?.id ?? null,
  };
}

const names = ['Zebra', 'alpha', 'Ähre', 'Alpha', 'Übermut 株式会社 🏦', 'A&B <i>"x"</i>', '½'];

export const companies: Topic = {
  title: 'companies',
  scenarios: [
    ...everyState.flatMap((state): Scenario[] => {
      const { access } = states[state];
      return [
        {
          name: `the access of a company in the list if ${state}: ${access}`,
          async run(given) {
            const facts = await bring(given, state);
            expect(dataOf(await given.driver.listCompanies(facts.key))).toEqual([
              normalizeOf(facts, access),
            ]);
          },
        },
        {
          name: `the access of a single company if ${state}: ${access}`,
          async run(given) {
            const { readCompany } = given.driver;
            const facts = await bring(given, state);
            expect(dataOf(await readCompany(facts.key, facts.company.id))).toEqual(
              normalizeOf(facts, access),
            );
          },
        },
        {
          name: `the list filtered by the access of the companies if ${state}`,
          async run(given) {
            const { listCompaniesWith } = given.driver;
            const facts = await bring(given, state);
            for (const asked of ['none', 'pending', 'approved', 'revoked']) {
              expect(dataOf(await listCompaniesWith(facts.key, asked))).toEqual(
                asked === access ? [normalizeOf(facts, access)] : [],
              );
            }
          },
        },
      ];
    }),
    {
      name: 'a company that approved some scopes is listed with these scopes and the end of the grant',
      async run(given) {
        const { fixtures, operator, driver } = given;
        const made = await fixtures.portfolio();
        const { id } = await fixtures.request(made.key, made.company.id);
        const { accessRequest: request } = await operator.approveAccessRequest({
          id,
          scopes: ['sources:read', 'metrics:read'],
          expiresAt: new Date('9999-12-31T23:59:59.999Z'),
        });
        const [company] = dataOf(await driver.listCompanies(made.key));
        expect(company).toEqual(normalizeOf({ ...made, request }, 'approved'));
        expect(company?.grant).toEqual({
          approvedScopes: ['metrics:read', 'sources:read'],
          expiresAt: '9999-12-31T23:59:59.999Z',
        });
      },
    },
    {
      name: 'an empty portfolio has empty lists of companies and access requests',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.key(await fixtures.investor());
        expect(dataOf(await driver.listCompanies(key))).toEqual([]);
        expect(dataOf(await driver.listAccessRequests(key))).toEqual([]);
      },
    },
    {
      name: 'the list is sorted by name, and names in any script are returned unchanged',
      async run({ driver, fixtures }) {
        const investor = await fixtures.investor();
        for (const name of names) await fixtures.companyOf(investor, name);
        const { key } = await fixtures.key(investor);
        const listed = dataOf(await driver.listCompanies(key)).map(({ name }) => name);
        expect(listed).toEqual(names.toSorted());
      },
    },
    {
      name: 'the list has only companies of the portfolio, with the access of this investor',
      async run({ driver, fixtures, operator }) {
        const mine = await fixtures.portfolio();
        const other = await fixtures.readablePortfolio();
        await fixtures.portfolio({ environment: 'test' });
        await operator.addToPortfolio({
          investorId: mine.investor.id,
          companyId: other.company.id,
        });
        const listed = dataOf(await driver.listCompanies(mine.key));
        expect(listed.map(({ id, access }) => [id, access])).toEqual([
          [mine.company.id, 'none'],
          [other.company.id, 'none'],
        ]);
        expect(dataOf(await driver.listAccessRequests(mine.key))).toEqual([]);
      },
    },
    {
      name: 'the list returns insufficient_scope and names the scope if the key lacks companies:read',
      async run({ driver, fixtures }) {
        const scopes = allScopes.filter((scope) => scope !== 'companies:read');
        const { key } = await fixtures.portfolio({ scopes });
        const { message } = expectRefused(await driver.listCompanies(key), 'insufficient_scope');
        expect(message).toBe('The API key lacks the scope companies:read.');
      },
    },
    {
      name: 'any single company returns insufficient_scope if the key lacks companies:read',
      async run({ fixtures, driver: { readCompany } }) {
        const { key, company } = await fixtures.portfolio({ scopes: grantable });
        const foreign = await fixtures.company();
        for (const id of [company.id, foreign.id, 'co_none', 'impossible']) {
          expectRefused(await readCompany(key, id), 'insufficient_scope');
        }
      },
    },
    {
      name: 'a single company outside the portfolio returns company_not_found',
      async run({ fixtures, driver: { readCompany } }) {
        const { key } = await fixtures.portfolio();
        const foreign = await fixtures.company();
        const { company: granted } = await fixtures.readablePortfolio();
        for (const id of [foreign.id, granted.id, 'co_none', 'impossible']) {
          expectRefused(await readCompany(key, id), 'company_not_found');
        }
      },
    },
  ],
};
