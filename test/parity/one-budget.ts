import { describe, expect, it } from 'vitest';
import type { Outcome } from './drivers/driver.ts';
import { dataOf, expectRefused } from './outcomes.ts';
import { type Parts, protocols } from './parity.ts';

const remainingOf = ({ wire: { headers } }: Outcome<unknown>) =>
  Number(headers['ratelimit-remaining']);

const metricsOfAll = `{ companies { nodes { id metrics { __typename } } } }`;

/** A key has one budget for all protocols and calls. */
export function describeOneBudget(given: () => Parts): void {
  describe('the rate limit that a key has for all protocols', () => {
    /** An investor with this number of companies. The first ones have granted everything. */
    async function investorOf(companies: number, granted: number, rateLimit: number) {
      const { fixtures } = given().service;
      const investor = await fixtures.investor();
      const { key } = await fixtures.key(investor, { rateLimit });
      // The requests for access cost points of another key.
      const { key: other } = await fixtures.key(investor);
      const ids: string[] = [];
      for (let count = 0; count < companies; count += 1) {
        const company = await fixtures.companyOf(investor);
        if (count < granted) await fixtures.grant({ key: other, company });
        ids.push(company.id);
      }
      return { key, ids };
    }

    for (const spent of protocols) {
      for (const refused of protocols) {
        it(`points that were spent through ${spent} are missing in ${refused}`, async () => {
          const { service, drivers } = given();
          const { key } = await service.fixtures.portfolio({ rateLimit: 2 });
          const first = await drivers[spent].listCompanies(key);
          expect(remainingOf(first)).toBe(1);
          const second = await drivers[spent].listAccessRequests(key);
          expect(remainingOf(second)).toBe(0);
          dataOf(first);
          dataOf(second);
          expectRefused(await drivers[refused].listCompanies(key), 'rate_limit_exceeded');
        });
      }
    }

    it('each protocol counts down the same points', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio({ rateLimit: 8 });
      const seen: number[] = [];
      for (const protocol of [...protocols, ...protocols]) {
        seen.push(remainingOf(await drivers[protocol].listCompanies(key)));
      }
      expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
    });

    it('a tRPC batch of ten calls costs ten points', async () => {
      const { drivers } = given();
      const { key, ids } = await investorOf(10, 5, 30);
      const calls = ids.map((companyId) => ({ path: 'metrics.latest', input: { companyId } }));
      const outcomes = await drivers.trpc.batch(key, calls);
      expect(outcomes.map((outcome) => outcome.ok)).toEqual(ids.map((_, index) => index < 5));
      expect(new Set(outcomes.map(remainingOf))).toEqual(new Set([20]));
      expect(remainingOf(await drivers.rest.listCompanies(key))).toBe(19);
    });

    it('a tRPC batch that costs more than the remaining points is refused as a whole', async () => {
      const { drivers } = given();
      const { key, ids } = await investorOf(3, 3, 5);
      const calls = ids.map((companyId) => ({ path: 'metrics.latest', input: { companyId } }));
      for (const outcome of await drivers.trpc.batch(key, calls)) dataOf(outcome);
      for (const outcome of await drivers.trpc.batch(key, calls)) {
        expectRefused(outcome, 'rate_limit_exceeded');
      }
      expectRefused(await drivers.graphql.listCompanies(key), 'rate_limit_exceeded');
    });

    it.each([
      ['no company', 0, 0, 1],
      ['one company', 1, 1, 1],
      ['seven companies', 7, 7, 7],
      ['ten companies, of which four have granted access', 10, 4, 10],
    ])(
      'a GraphQL operation costs a point per company, at least one, if it reads the data of %s',
      async (_name, all, granted, cost) => {
        const { drivers } = given();
        const { key } = await investorOf(all, granted, 100);
        const outcome = await drivers.graphql.ask(key, metricsOfAll);
        expect(dataOf(outcome).companies.nodes).toHaveLength(all);
        expect(remainingOf(outcome)).toBe(100 - cost);
        expect(remainingOf(await drivers.trpc.listCompanies(key))).toBe(100 - cost - 1);
      },
    );

    it('a GraphQL operation costs a point per read, like separate calls in other protocols', async () => {
      const { drivers } = given();
      const { key } = await investorOf(2, 1, 100);
      const query = `{ companies { nodes { metrics { __typename } sources { __typename } accounts { __typename }
        again: metrics { __typename } } } }`;
      expect(remainingOf(await drivers.graphql.ask(key, query))).toBe(100 - 2 * 4);
    });

    it('a GraphQL operation that exceeds the limit gets its answer, but the next calls are refused', async () => {
      const { drivers } = given();
      const { key } = await investorOf(5, 5, 3);
      const outcome = await drivers.graphql.ask(key, metricsOfAll);
      expect(dataOf(outcome).companies.nodes).toHaveLength(5);
      expect(remainingOf(outcome)).toBe(0);
      for (const protocol of protocols) {
        expectRefused(await drivers[protocol].listCompanies(key), 'rate_limit_exceeded');
      }
    });

    it('a batch of GraphQL operations costs the sum of its operations', async () => {
      const { drivers } = given();
      const { key } = await investorOf(3, 3, 100);
      const queries = [metricsOfAll, '{ viewer { scopes } }', metricsOfAll];
      expect(remainingOf(await drivers.graphql.askMany(key, queries))).toBe(93);
    });

    it('the GraphQL field viewer returns the same budget as the headers', async () => {
      const { service, drivers } = given();
      const { key } = await service.fixtures.portfolio({ rateLimit: 9 });
      const query = '{ viewer { rateLimit { limit remaining resetSeconds } } }';
      const outcome = await drivers.graphql.ask(key, query);
      const { headers } = outcome.wire;
      expect(dataOf(outcome).viewer.rateLimit).toEqual({
        limit: Number(headers['ratelimit-limit']),
        remaining: Number(headers['ratelimit-remaining']),
        resetSeconds: Number(headers['ratelimit-reset']),
      });
    });
  });
}
