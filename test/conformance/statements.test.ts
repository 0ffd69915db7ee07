import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { expectOk } from '../support/expectations.ts';
import { startService, type TestService } from '../support/service.ts';
import { type StatementCounter, startStatementCounter } from '../support/statement-counter.ts';

/** A scoped read sends four statements together: begin, the company's ID, the read and commit. */
const inScope = 4;

await describeOnPostgres('the number of statements of a call', (createDatabase) => {
  let url: string;
  let counter: StatementCounter;
  let service: TestService;

  beforeAll(async () => {
    ({ url } = await createDatabase());
    counter = await startStatementCounter(url);
    service = await startService({ storage: { databaseUrl: counter.url } });
  });
  afterAll(async () => {
    await service?.close();
    await counter?.close();
  });

  async function countGet(path: string, key: string): Promise<number> {
    return counter.count(async () => expectOk(await service.get(path, key)));
  }

  it('is one for the access check, one for the access record, and a scoped read if nothing is cached', async () => {
    const { company, key } = await service.fixtures.readablePortfolio();
    await countGet('/v1/companies', key);
    // The first read of a signed value in a process also loads the ID of its signing key.
    const other = await service.fixtures.readablePortfolio();
    await countGet(`/v1/companies/${other.company.id}/metrics`, other.key);
    for (const what of ['metrics', 'sources', 'accounts']) {
      expect(await countGet(`/v1/companies/${company.id}/${what}`, key)).toBe(2 + inScope);
      expect(await countGet(`/v1/companies/${company.id}/${what}`, key)).toBe(2);
    }
  });

  it('is the same for a portfolio of one company and a portfolio of 1,000', async () => {
    const counted = [];
    for (const companies of [1, 1_000]) {
      const investor = await service.fixtures.investor();
      const { key } = await service.fixtures.key(investor);
      const prefix = `co_of_${companies}_`;
      await withClient(url, async (client) => {
        await client.query(
          `insert into company (id, name, environment, created_at)
            select $1 || n, 'Company ' || n, $2, now() from generate_series(1, $3::int) as n`,
          [prefix, investor.environment, companies],
        );
        await client.query(
          `insert into portfolio_membership (investor_id, company_id, environment, added_at)
            select $1, id, environment, now() from company where starts_with(id, $2)`,
          [investor.id, prefix],
        );
      });
      const listed = await service.get('/v1/companies', key);
      expect(JSON.parse(listed.text).data).toHaveLength(companies);
      counted.push(await countGet('/v1/companies', key));
    }
    expect(counted).toEqual([1 + inScope, 1 + inScope]);
  });
});
