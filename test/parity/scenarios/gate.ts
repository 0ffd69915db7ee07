import { expect } from 'vitest';
import type { Scope } from '#core';
import { allScopes, grantable } from '../../support/contract.ts';
import { importLines, sampleData } from '../../support/fixtures.ts';
import { calls, readings } from '../calls.ts';
import { dataOf, expectRefused } from '../outcomes.ts';
import type { Scenario, Topic } from '../scenario.ts';
import { bring, everyState, states } from '../states.ts';

const hour = 3_600_000;

/** Each read in each state of a request. */
const inEveryState: Scenario[] = everyState.flatMap((state) =>
  readings.map(({ name, ask }): Scenario => {
    const { refusal } = states[state];
    return {
      name: `a read of ${name} if ${state}: ${refusal ?? 'readable'}`,
      async run(given) {
        const { company, key } = await bring(given, state);
        const outcome = await ask(given.driver, key, company.id);
        if (refusal === null) dataOf(outcome);
        else expectRefused(outcome, refusal);
      },
    };
  }),
);

const inPart: Scenario[] = readings.flatMap(({ name, scope, ask }): Scenario[] => [
  {
    name: `a read of ${name} if all scopes were requested but all except its scope approved: access_required`,
    async run({ driver, fixtures, operator }) {
      const { company, key } = await fixtures.portfolio();
      const { id } = await fixtures.request(key, company.id);
      const others = grantable.filter((other) => other !== scope);
      await operator.approveAccessRequest({ id, scopes: others });
      expectRefused(await ask(driver, key, company.id), 'access_required');
    },
  },
  {
    name: `a read of ${name} if all scopes except its scope were requested and approved: access_required`,
    async run({ driver, fixtures }) {
      const made = await fixtures.portfolio();
      await fixtures.grant(
        made,
        grantable.filter((other) => other !== scope),
      );
      expectRefused(await ask(driver, made.key, made.company.id), 'access_required');
    },
  },
  {
    name: `a read of ${name} if only its scope was approved and the key has no other scope: readable`,
    async run({ driver, fixtures, operator }) {
      const { investor, company, key } = await fixtures.readablePortfolio();
      const narrow = await fixtures.key(investor, { scopes: [scope] });
      dataOf(await ask(driver, narrow.key, company.id));
      const [request] = await operator.listCompanyAccessRequests({ companyId: company.id });
      await operator.revokeAccessRequest({ id: request?.id ?? '' });
      const { id } = await fixtures.request(key, company.id);
      await operator.approveAccessRequest({ id, scopes: [scope] });
      const again = await ask(driver, narrow.key, company.id);
      dataOf(again);
    },
  },
  {
    name: `a read of ${name} if the key has all scopes except its scope: insufficient_scope, with the scope`,
    async run({ driver, fixtures }) {
      const { company, investor } = await fixtures.readablePortfolio();
      const scopes: Scope[] = allScopes.filter((other) => other !== scope);
      const { key } = await fixtures.key(investor, { scopes });
      const { message } = expectRefused(await ask(driver, key, company.id), 'insufficient_scope');
      expect(message).toBe(`The API key lacks the scope ${scope}.`);
    },
  },
]);

export const gate: Topic = {
  title: 'reads and the grant that they need',
  scenarios: [
    ...inEveryState,
    ...inPart,
    ...readings.map(
      ({ name, ask }): Scenario => ({
        name: `a read of ${name} succeeds until the grant expires, and is refused from that instant on`,
        async run({ driver, fixtures, operator, setClock }) {
          const end = new Date(Date.now() + hour);
          const made = await fixtures.readablePortfolio();
          const other = await fixtures.companyOf(made.investor);
          await importLines(operator, sampleData(other.id));
          await fixtures.grant({ key: made.key, company: other }, grantable, end);
          setClock(new Date(end.getTime() - 1));
          dataOf(await ask(driver, made.key, other.id));
          setClock(end);
          expectRefused(await ask(driver, made.key, other.id), 'access_required');
          dataOf(await ask(driver, made.key, made.company.id));
        },
      }),
    ),
    {
      name: 'another investor’s company returns company_not_found, even if that investor may read it',
      async run({ driver, fixtures }) {
        const { company } = await fixtures.readablePortfolio();
        const { key } = await fixtures.portfolio();
        for (const { ask } of readings) {
          expectRefused(await ask(driver, key, company.id), 'company_not_found');
        }
      },
    },
    {
      name: 'a company of two portfolios is readable only for the investor with a grant',
      async run({ driver, fixtures, operator }) {
        const { company, key } = await fixtures.readablePortfolio();
        const other = await fixtures.portfolio();
        await operator.addToPortfolio({ investorId: other.investor.id, companyId: company.id });
        for (const { ask } of readings) {
          expectRefused(await ask(driver, other.key, company.id), 'access_required');
          dataOf(await ask(driver, key, company.id));
        }
      },
    },
    {
      name: 'a company of the other environment returns company_not_found',
      async run({ driver, fixtures }) {
        const { company } = await fixtures.readablePortfolio();
        const { key } = await fixtures.portfolio({ environment: 'test' });
        for (const { ask } of readings) {
          expectRefused(await ask(driver, key, company.id), 'company_not_found');
        }
        expectRefused(
          await driver.requestAccess(key, { companyId: company.id, scopes: ['metrics:read'] }),
          'company_not_found',
        );
      },
    },
    {
      name: 'reads work in the test environment as in the live environment',
      async run({ driver, fixtures }) {
        const made = await fixtures.portfolio({ environment: 'test' });
        await fixtures.grant(made);
        const { key, company } = made;
        expect(dataOf(await driver.readLatestMetrics(key, company.id))).toEqual([]);
        expect(dataOf(await driver.listCompanies(key)).map(({ id }) => id)).toEqual([company.id]);
      },
    },
    {
      name: 'a company outside the portfolio isn’t readable despite a grant, which works again after its return',
      async run({ driver, fixtures, operator }) {
        const { company, investor, key } = await fixtures.readablePortfolio();
        const pair = { investorId: investor.id, companyId: company.id };
        for (const { ask } of readings) dataOf(await ask(driver, key, company.id));
        await operator.removeFromPortfolio(pair);
        for (const { ask } of readings) {
          expectRefused(await ask(driver, key, company.id), 'company_not_found');
        }
        expect(dataOf(await driver.listCompanies(key))).toEqual([]);
        await operator.addToPortfolio(pair);
        for (const { ask } of readings) dataOf(await ask(driver, key, company.id));
      },
    },
    {
      name: 'reads return access_pending if a new request follows a revocation',
      async run(given) {
        const { company, key } = await bring(given, 'the grant was revoked');
        await given.fixtures.request(key, company.id);
        for (const { ask } of readings) {
          expectRefused(await ask(given.driver, key, company.id), 'access_pending');
        }
      },
    },
    {
      name: 'a key can read the data for which another key of the same investor requested access',
      async run({ driver, fixtures }) {
        const { company, investor } = await fixtures.readablePortfolio();
        const { key } = await fixtures.key(investor);
        for (const { ask } of calls) dataOf(await ask(driver, key, company.id));
      },
    },
  ],
};
