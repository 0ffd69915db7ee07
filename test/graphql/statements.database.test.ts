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

/** Numbers of companies. Ten reveal a statement per company, and the largest also a statement per group of them. */
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

  /** Creates each portfolio once. Only the last test reads its data, so that its first read fills the caches. */
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

  it('is the same for the histories of one access request and of many', async () => {
    const counted = [];
    for (const companies of sizes(100)) {
      const key = await keyOfPortfolio(companies);
      counted.push(
        await counter.count(async () => {
          const answer = await client.ask(key, '{ accessRequests { nodes { history { type } } } }');
          const created = [{ type: 'CREATED' }, { type: 'APPROVED' }];
          expect(answer.body.data.accessRequests.nodes).toEqual(
            Array.from({ length: companies }, () => ({ history: created })),
          );
        }),
      );
    }
    const [of1, ...ofMore] = counted;
    for (const each of ofMore) expect(each).toBe(of1);
  });

  it('is higher if totalCount is selected, since only then the list is counted', async () => {
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

  it('is the same for the receipts of one access request and of many', async () => {
    const counted = [];
    for (const companies of sizes(50)) {
      const key = await keyOfPortfolio(companies);
      counted.push(
        await counter.count(async () => {
          const answer = await client.ask(
            key,
            '{ accessRequests { nodes { receipts { id jws } } } }',
          );
          const accessRequests = answer.body.data.accessRequests.nodes;
          expect(accessRequests).toHaveLength(companies);
          for (const { receipts } of accessRequests) expect(receipts).toHaveLength(2);
        }),
      );
    }
    const [of1, ...ofMore] = counted;
    for (const each of ofMore) expect(each).toBe(of1);
  });

  it('is the same for one and for many companies, at the first read and later', async () => {
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
    // A page of the portfolio and three kinds of data are read in a scope, which needs three further statements each.
    expect(of1?.first).toBeLessThan(15 + 4 * 3);
  });
});
