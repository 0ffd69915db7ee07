import { expect, test } from 'vitest';
import { addCompany, addInvestor, anEntry, at } from '../contracts/builders.ts';
import {
  describeOnPostgres,
  untilSomeoneWaits,
  useDatabase,
  withClient,
} from '../support/databases.ts';

await describeOnPostgres('the copy of a company’s name in a portfolio', (createDatabase) => {
  const database = useDatabase(createDatabase);

  /** Commits the statement's transaction once the other change waits for it. */
  async function race(statement: string, change: () => Promise<unknown>): Promise<void> {
    await withClient(database.url, async (client) => {
      await client.query('begin');
      await client.query(statement);
      const changing = change();
      await untilSomeoneWaits(database.url);
      await client.query('commit');
      await changing;
    });
  }

  const copiesOf = async (companyId: string) =>
    withClient(database.url, async (client) => {
      const { rows } = await client.query(
        'select company_name as name from portfolio_membership where company_id = $1',
        [companyId],
      );
      return rows.map(({ name }) => name);
    });

  test('is the new name if the company joins the portfolio while it is renamed', async () => {
    const { directory } = database.repositories;
    const investor = await addInvestor(database.repositories);
    const company = await addCompany(database.repositories);
    await race(`update company set name = 'Zenith' where id = '${company.id}'`, () =>
      directory.addToPortfolio(investor, company, at(), anEntry()),
    );
    expect(await copiesOf(company.id)).toEqual(['Zenith']);
  });

  test('is the new name if the company is renamed while it joins the portfolio', async () => {
    const { directory } = database.repositories;
    const investor = await addInvestor(database.repositories);
    const company = await addCompany(database.repositories);
    await race(
      `insert into portfolio_membership (investor_id, company_id, environment, added_at, company_name)
        select '${investor.id}', id, environment, now(), name from company
        where id = '${company.id}' for share`,
      () => directory.rename({ companyId: company.id }, 'Zenith', anEntry()),
    );
    expect(await copiesOf(company.id)).toEqual(['Zenith']);
  });
});
