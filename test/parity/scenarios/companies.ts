import { expect } from 'vitest';
import type { CompanyAccess } from '#core';
import { allScopes, grantable } from '../../support/contract.ts';
import type { ToldCompany } from '../drivers/driver.ts';
import { dataOf, expectRefused } from '../outcomes.ts';
import type { Scenario, Topic } from '../scenario.ts';
import { type AccessFacts, bring, everyState, states } from '../states.ts';

/** The expected entry in the list of companies. */
function toldOf({ company, request }: AccessFacts, access: CompanyAccess): ToldCompany {
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
          name: `the list, when ${state}: ${access}`,
          async run(given) {
            const facts = await bring(given, state);
            expect(dataOf(await given.driver.listCompanies(facts.key))).toEqual([
              toldOf(facts, access),
            ]);
          },
        },
        {
          name: `one company, when ${state}: ${access}`,
          async run(given) {
            const { readCompany } = given.driver;
            const facts = await bring(given, state);
            expect(dataOf(await readCompany(facts.key, facts.company.id))).toEqual(
              toldOf(facts, access),
            );
          },
        },
        {
          name: `the list of one kind of access, when ${state}`,
          async run(given) {
            const { listCompaniesWith } = given.driver;
            const facts = await bring(given, state);
            for (const asked of ['none', 'pending', 'approved', 'revoked']) {
              expect(dataOf(await listCompaniesWith(facts.key, asked))).toEqual(
                asked === access ? [toldOf(facts, access)] : [],
              );
            }
          },
        },
      ];
    }),
    {
      name: 'a partial approval shows the approved part, and when it ends',
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
        expect(company).toEqual(toldOf({ ...made, request }, 'approved'));
        expect(company?.grant).toEqual({
          approvedScopes: ['metrics:read', 'sources:read'],
          expiresAt: '9999-12-31T23:59:59.999Z',
        });
      },
    },
    {
      name: 'an empty portfolio is an empty list',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.key(await fixtures.investor());
        expect(dataOf(await driver.listCompanies(key))).toEqual([]);
        expect(dataOf(await driver.listAccessRequests(key))).toEqual([]);
      },
    },
    {
      name: 'by name, to the character; names of any script come through whole',
      async run({ driver, fixtures }) {
        const investor = await fixtures.investor();
        for (const name of names) await fixtures.companyOf(investor, name);
        const { key } = await fixtures.key(investor);
        const listed = dataOf(await driver.listCompanies(key)).map(({ name }) => name);
        expect(listed).toEqual(names.toSorted());
      },
    },
    {
      name: 'only the companies of the portfolio, and of the investor’s own requests',
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
      name: 'without companies:read: insufficient_scope, and the scope is named',
      async run({ driver, fixtures }) {
        const scopes = allScopes.filter((scope) => scope !== 'companies:read');
        const { key } = await fixtures.portfolio({ scopes });
        const { message } = expectRefused(await driver.listCompanies(key), 'insufficient_scope');
        expect(message).toBe('The API key lacks the scope companies:read.');
      },
    },
    {
      name: 'one company without companies:read: insufficient_scope, whatever the company',
      async run({ fixtures, driver: { readCompany } }) {
        const { key, company } = await fixtures.portfolio({ scopes: grantable });
        const foreign = await fixtures.company();
        for (const id of [company.id, foreign.id, 'co_none', 'impossible']) {
          expectRefused(await readCompany(key, id), 'insufficient_scope');
        }
      },
    },
    {
      name: 'one company outside the portfolio: company_not_found',
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
