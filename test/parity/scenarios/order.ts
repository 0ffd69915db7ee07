import { calls, readings } from '../calls.ts';
import { expectRefused } from '../outcomes.ts';
import type { Scenario, Topic } from '../scenario.ts';

const impossibleIds = ['co_none', 'impossible', '../../etc/passwd', 'co_ü', 'co_%00', ' ', '🏢'];

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
        await driver.listCompanies(key);
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
    ...readings.map(
      ({ name, ask }): Scenario => ({
        name: `${name}: a key without the scope gets insufficient_scope for any company`,
        async run({ driver, fixtures }) {
          const { company, investor } = await fixtures.readablePortfolio();
          const { key } = await fixtures.key(investor, { scopes: ['reports:read'] });
          const foreign = await fixtures.company();
          for (const id of [company.id, foreign.id, ...impossibleIds]) {
            expectRefused(await ask(driver, key, id), 'insufficient_scope');
          }
        },
      }),
    ),
    ...readings.map(
      ({ name, ask }): Scenario => ({
        // GraphQL first reads the company itself, under its own scope. That discloses no more than the list of
        // companies does.
        name: `${name}: a key with only companies:read gets insufficient_scope; GraphQL checks the company first`,
        async run({ driver, fixtures }) {
          const { company, investor } = await fixtures.readablePortfolio();
          const { key } = await fixtures.key(investor, { scopes: ['companies:read'] });
          const foreign = await fixtures.company();
          expectRefused(await ask(driver, key, company.id), 'insufficient_scope');
          for (const id of [foreign.id, ...impossibleIds]) {
            expectRefused(
              await ask(driver, key, id),
              driver.protocol === 'graphql' ? 'company_not_found' : 'insufficient_scope',
            );
          }
        },
      }),
    ),
    ...readings.map(
      ({ name, scope, ask }): Scenario => ({
        name: `${name}: a malformed company id returns company_not_found`,
        async run({ driver, fixtures }) {
          const { key, investor } = await fixtures.readablePortfolio();
          const { key: narrow } = await fixtures.key(investor, { scopes: [scope] });
          for (const id of impossibleIds) {
            expectRefused(await ask(driver, key, id), 'company_not_found');
            expectRefused(await ask(driver, narrow, id), 'company_not_found');
          }
        },
      }),
    ),
    {
      name: 'the company is checked before the grant: outside the portfolio it returns company_not_found',
      async run({ driver, fixtures, operator }) {
        for (const state of ['pending', 'revoked']) {
          const { investor, company, key } = await fixtures.portfolio();
          const { id } = await fixtures.request(key, company.id);
          if (state === 'revoked') {
            await operator.approveAccessRequest({ id });
            await operator.revokeAccessRequest({ id });
          }
          await operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
          for (const { ask } of readings) {
            expectRefused(await ask(driver, key, company.id), 'company_not_found');
          }
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
      name: 'the errors of an access request are reported in a fixed order',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.portfolio();
        const empty = { companyId: '', scopes: [] };
        expectRefused(await driver.requestAccess(key, empty), 'missing_company_id');
        const noScopes = { companyId: 'co_none', scopes: [] };
        expectRefused(await driver.requestAccess(key, noScopes), 'missing_scopes');
        // The GraphQL enum of scopes doesn't have this one.
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
  ],
};
