import { expect } from 'vitest';
import { calls, readings } from '../calls.ts';
import { dataOf, expectRefused } from '../outcomes.ts';
import type { Topic } from '../scenario.ts';
import { impossibleIds } from './disclosure.ts';

/** The order of the checks: credential → rate limit → shape → scope → company → grant. */
export const order: Topic = {
  title: 'the order of checks',
  scenarios: [
    {
      name: 'the credential is checked before the shape of the input',
      async run({ driver }) {
        for (const input of [{}, { companyId: 7 }, { companyId: 'co_none', scopes: ['all'] }]) {
          expectRefused(await driver.requestAccess('password', input), 'invalid_api_key');
          expectRefused(await driver.requestAccess(null, input), 'missing_api_key');
        }
      },
    },
    {
      name: 'the rate limit is checked before the scope, the company and the grant',
      async run({ driver, fixtures }) {
        const { key, company } = await fixtures.portfolio({
          rateLimit: 1,
          scopes: ['companies:read'],
        });
        dataOf(await driver.listCompanies(key));
        for (const { ask } of calls) {
          expectRefused(await ask(driver, key, company.id), 'rate_limit_exceeded');
          expectRefused(await ask(driver, key, 'co_none'), 'rate_limit_exceeded');
        }
      },
    },
    {
      name: 'a parameter is checked before the company',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.portfolio({ scopes: ['sources:read'] });
        const purpose = 'x'.repeat(1001);
        const input = { companyId: 'co_none', scopes: ['metrics:read'], purpose };
        expectRefused(await driver.requestAccess(key, input), 'invalid_parameter');
      },
    },
    {
      name: 'a key needs the scope for each read, and the scope is checked before the company',
      async run({ driver, fixtures }) {
        const { company, investor } = await fixtures.readablePortfolio();
        const foreign = await fixtures.company();
        for (const { name, scope, ask } of readings) {
          const { key } = await fixtures.key(investor, { scopes: [scope] });
          const { key: without } = await fixtures.key(investor, { scopes: ['reports:read'] });
          dataOf(await ask(driver, key, company.id));
          for (const id of [company.id, foreign.id, ...impossibleIds]) {
            const { message } = expectRefused(await ask(driver, without, id), 'insufficient_scope');
            expect(message, name).toBe(`The API key lacks the scope ${scope}.`);
          }
        }
      },
    },
    {
      // GraphQL first checks if the key can see the company, which discloses no more than the list of companies.
      name: 'a key with only companies:read gets insufficient_scope, but in GraphQL the company is checked before the scope',
      async run({ driver, fixtures }) {
        const { company, investor } = await fixtures.readablePortfolio();
        const { key } = await fixtures.key(investor, { scopes: ['companies:read'] });
        const foreign = await fixtures.company();
        const code = driver.protocol === 'graphql' ? 'company_not_found' : 'insufficient_scope';
        for (const { ask } of readings) {
          expectRefused(await ask(driver, key, company.id), 'insufficient_scope');
          expectRefused(await ask(driver, key, foreign.id), code);
          expectRefused(await ask(driver, key, 'impossible'), code);
        }
      },
    },
    {
      name: 'the list of companies and each company need the scope companies:read',
      async run({ driver, fixtures }) {
        const { key, company } = await fixtures.portfolio({ scopes: ['metrics:read'] });
        const { message } = expectRefused(await driver.listCompanies(key), 'insufficient_scope');
        expect(message).toBe('The API key lacks the scope companies:read.');
        for (const id of [company.id, 'co_none', 'impossible']) {
          expectRefused(await driver.readCompany(key, id), 'insufficient_scope');
        }
      },
    },
    {
      name: 'the company is checked before the grant',
      async run({ driver, fixtures, operator }) {
        const { investor, company, key } = await fixtures.portfolio();
        await fixtures.request(key, company.id);
        await operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
        for (const { ask } of readings) {
          expectRefused(await ask(driver, key, company.id), 'company_not_found');
        }
      },
    },
    {
      name: 'the grant is checked before the existence of a metric',
      async run({ driver, fixtures }) {
        const { company, key } = await fixtures.portfolio();
        for (const metric of ['cash_balance', 'no_such_metric', 'no key at all']) {
          expectRefused(await driver.readLatestMetric(key, company.id, metric), 'access_required');
          expectRefused(await driver.readMetricHistory(key, company.id, metric), 'access_required');
        }
      },
    },
    {
      name: 'an access request with several errors always returns the same error first',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.portfolio();
        const empty = { companyId: '', scopes: [] };
        expectRefused(await driver.requestAccess(key, empty), 'missing_company_id');
        const noScopes = { companyId: 'co_none', scopes: [] };
        expectRefused(await driver.requestAccess(key, noScopes), 'missing_scopes');
        // GraphQL refuses this scope by its enum type, before the core gets it.
        if (driver.protocol !== 'graphql') {
          const wrongScope = { companyId: 'co_none', scopes: ['companies:read'] };
          expectRefused(await driver.requestAccess(key, wrongScope), 'invalid_scope');
          const noCompany = { companyId: '', scopes: ['companies:read'] };
          expectRefused(await driver.requestAccess(key, noCompany), 'missing_company_id');
        }
        const right = { companyId: 'co_none', scopes: ['metrics:read'] };
        expectRefused(await driver.requestAccess(key, right), 'company_not_found');
      },
    },
    {
      name: 'an invalid amendment is refused before the access request’s owner is checked',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.portfolio();
        const attempt = (input: object) => driver.amendAccessRequest(key, 'ar_none', { ...input });
        expectRefused(await attempt({ scopes: [] }), 'missing_scopes');
        const code = driver.protocol === 'graphql' ? 'invalid_parameter' : 'invalid_scope';
        expectRefused(await attempt({ scopes: ['reports:read'] }), code);
        const long = { scopes: ['metrics:read'], purpose: 'p'.repeat(1001) };
        expectRefused(await attempt(long), 'invalid_parameter');
      },
    },
  ],
};
