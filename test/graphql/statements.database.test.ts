import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/databases.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { isFull } from '../support/property-runs.ts';
import { startService, type TestService } from '../support/service.ts';
import { type StatementCounter, startStatementCounter } from '../support/statement-counter.ts';
import { codesOf, createGraphqlClient, type GraphqlClient } from './support.ts';

const dashboard = `{ companies { nodes {
  id name
  access { status approvedScopes expiresAt request { id status createdAt } }
  metrics { ... on CompanyMetrics { metrics { key value period } } }
  metric(key: "cash_balance") { ... on Metric { value } }
  sources { ... on CompanySources { sources { provider status } } }
  accounts { ... on CompanyAccounts { accounts { name balance } } }
} } }`;

/**
 * With ten companies, a statement for each company is noticed. With the largest number, a statement
 * for each group of companies is noticed, too.
 */
const sizes = (largest: number) => (isFull ? [1, 10, largest] : [1, 10]);

await describeOnPostgres('the number of statements of a dashboard', (createDatabase) => {
  let counter: StatementCounter;
  let service: TestService;
  let client: GraphqlClient;

  beforeAll(async () => {
    const { url } = await createDatabase();
    counter = await startStatementCounter(url);
    service = await startService({ storage: { databaseUrl: counter.url } });
    client = createGraphqlClient(service.url);
    await read(await keyOfPortfolio(3), 3);
  });
  afterAll(async () => {
    client?.close();
    await service?.close();
    await counter?.close();
  });

  const portfolios = new Map<number, Promise<string>>();

  /** Creates each portfolio once. Only the last test reads its data, so its first read fills the caches. */
  function keyOfPortfolio(companies: number): Promise<string> {
    const key = portfolios.get(companies) ?? makePortfolio(companies);
    portfolios.set(companies, key);
    return key;
  }

  async function makePortfolio(companies: number): Promise<string> {
    const { fixtures, operator } = service;
    const investor = await fixtures.investor();
    const { key } = await fixtures.key(investor, { rateLimit: 1_000_000 });
    for (let index = 0; index < companies; index++) {
      const company = await fixtures.companyOf(investor);
      await importLines(operator, sampleData(company.id));
      await fixtures.grant({ key, company });
    }
    return key;
  }

  async function read(key: string, companies: number): Promise<void> {
    const answer = await client.ask(key, dashboard);
    expect(codesOf(answer)).toEqual([]);
    expect(answer.body.data.companies.nodes).toHaveLength(companies);
    expect(answer.body.data.companies.nodes.at(-1)).toMatchObject({
      access: { status: 'APPROVED', request: { status: 'APPROVED' } },
      metrics: { metrics: { length: 2 } },
      metric: { value: expect.any(String) },
      sources: { sources: { length: 2 } },
      accounts: { accounts: { length: 2 } },
    });
  }

  it.each([
    ['histories', 'history { type }'],
    ['receipts', 'receipts { id jws }'],
  ])('is the same for the %s of one access request and of many', async (_name, field) => {
    const counted = new Set<number>();
    for (const companies of sizes(50)) {
      const key = await keyOfPortfolio(companies);
      const query = `{ accessRequests { nodes { all: ${field} } } }`;
      const count = await counter.count(async () => {
        const { nodes } = (await client.ask(key, query)).body.data.accessRequests;
        expect(nodes).toHaveLength(companies);
        for (const { all } of nodes) expect(all).toHaveLength(2);
      });
      counted.add(count);
    }
    expect(counted.size).toBe(1);
  });

  it('is the same for pages of any size, and for several pages in one operation', async () => {
    const key = await keyOfPortfolio(10);
    const of = (args: string) =>
      `companies(${args}) { nodes { name access { status } } pageInfo { endCursor } }`;
    const ask = async (query: string) => {
      const answer = await client.ask(key, query);
      expect(codesOf(answer)).toEqual([]);
      return answer.body.data;
    };
    const { companies } = await ask(`{ ${of('first: 4')} }`);
    const after = companies.pageInfo.endCursor;
    const counted = new Set<number>();
    for (const query of [
      `{ ${of('first: 1')} }`,
      `{ ${of('first: 10')} }`,
      `{ ${of(`first: 5, after: "${after}"`)} }`,
      `{ a: ${of('first: 5')} b: ${of(`first: 5, after: "${after}", search: "1"`)} }`,
    ]) {
      counted.add(await counter.count(() => ask(query)));
    }
    expect(counted.size).toBe(1);
  });

  it('is higher if totalCount is selected, because the list is counted only then', async () => {
    const key = await keyOfPortfolio(3);
    const count = (list: string, field: string) =>
      counter.count(async () => {
        const { body } = await client.ask(key, `{ ${list}(first: 1) { nodes { id } ${field} } }`);
        expect(body.data[list].totalCount).toBe(field === '' ? undefined : 3);
      });
    for (const list of ['companies', 'accessRequests']) {
      const without = await count(list, '');
      expect(await count(list, 'totalCount')).toBeGreaterThan(without);
      expect(await count(list, '')).toBe(without);
    }
  });

  it('is the same for one company and for many companies, at the first read and later', async () => {
    const counted = [];
    for (const companies of sizes(100)) {
      const key = await keyOfPortfolio(companies);
      const first = await counter.count(() => read(key, companies));
      const again = await counter.count(() => read(key, companies));
      counted.push({ first, again });
    }
    const [of1, ...ofMore] = counted;
    for (const each of ofMore) expect(each).toEqual(of1);
    expect(of1?.again).toBeGreaterThan(0);
    // The page of the portfolio and the three kinds of data each need a scope, which adds three statements.
    expect(of1?.first).toBeLessThan(15 + 4 * 3);
  });
});
