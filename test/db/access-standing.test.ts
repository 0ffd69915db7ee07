import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { propertyRuns } from '../support/property-runs.ts';

type Client = Parameters<Parameters<typeof withClient>[1]>[0];

/** The standings that are not what the portfolio, the suspensions and the requests say. */
const differences = `
  select * from expected_access_standings() as expected
  full join access_standing as standing using (investor_id, company_id)
  where expected is distinct from standing
    and (expected.investor_id is not null or standing.in_portfolio or standing.newest_id is not null)`;

const request = (id: number, status: string, day: number) => `
  insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
    previous_scopes, pending_scopes, status, created_at, decided_at, expires_at, deadline_at,
    last_event_type)
  values ('ar_${id}_$co', 'inv_1', '$co', '{metrics:read}',
    ${status === 'approved' ? `'{metrics:read}'` : `'{}'`}, '{}', '{}', '${status}',
    timestamp '2026-01-01' + interval '${day} days', ${status === 'pending' ? 'null' : 'now()'},
    ${status === 'approved' ? `now() + interval '9 days'` : 'null'}, now() + interval '9 days',
    'access_request.created')`;

const days = fc.integer({ min: 0, max: 3 });
const statement = fc.oneof(
  fc.constant(`insert into portfolio_membership (investor_id, company_id, environment, added_at)
    values ('inv_1', '$co', 'live', now()) on conflict do nothing`),
  fc.constant(`delete from portfolio_membership where company_id = '$co'`),
  fc.constantFrom(
    `update company set suspended_at = now() where id = '$co'`,
    `update company set suspended_at = null where id = '$co'`,
    `update investor set suspended_at = now()`,
    `update investor set suspended_at = null`,
  ),
  fc
    .tuple(fc.nat({ max: 9 }), fc.constantFrom('pending', 'approved', 'declined'), days)
    .map(([id, status, day]) => request(id, status, day)),
  fc.constantFrom(
    `update access_request set status = 'revoked' where status = 'approved' and company_id = '$co'`,
    `update access_request set status = 'expired', expires_at = null where status = 'pending' and company_id = '$co'`,
    `update access_request set pending_scopes = '{sources:read}' where status = 'approved' and company_id = '$co'`,
    `update access_request set addition_declined = true, pending_scopes = '{}'
      where status = 'approved' and company_id = '$co'`,
    `update access_request set deadline_at = deadline_at + interval '1 day' where company_id = '$co'`,
  ),
);

/** Also a statement that the database refuses, and a transaction that is taken back, must leave a standing true. */
async function perform(client: Client, text: string, isKept: boolean): Promise<void> {
  await client.query('begin');
  try {
    await client.query(text);
    await client.query(isKept ? 'commit' : 'rollback');
  } catch (error) {
    await client.query('rollback');
    expect(['23505', '23514', '40P01']).toContain((error as { code?: string }).code);
  }
}

await describeOnPostgres('the standing of an investor with a company', (createDatabase) => {
  let url: string;
  beforeAll(async () => {
    url = (await createDatabase()).url;
    await withClient(url, (client) =>
      client.query(`insert into investor values ('inv_1', 'Somebody', 'live', now());
        `),
    );
  });

  let companies = 0;
  /** Whose pair with the investor has nothing yet: history is never taken back. */
  async function newCompany(): Promise<string> {
    companies += 1;
    const id = `co_${companies}`;
    await withClient(url, (client) =>
      client.query(`insert into company values ('${id}', 'Company', 'live', now())`),
    );
    return id;
  }

  test('says what the portfolio, the suspensions and the newest request say, whatever is written at once', async () => {
    const writer = fc.array(fc.tuple(statement, fc.boolean()), { minLength: 1, maxLength: 8 });
    await withClient(url, (one) =>
      withClient(url, (other) =>
        withClient(url, (third) =>
          fc.assert(
            fc.asyncProperty(writer, writer, writer, async (...plans) => {
              const company = await newCompany();
              const clients = [one, other, third];
              await Promise.all(
                plans.map(async (plan, index) => {
                  const client = clients[index] ?? one;
                  for (const [text, isKept] of plan)
                    await perform(client, text.replaceAll('$co', company), isKept);
                }),
              );
              expect((await one.query(differences)).rows).toEqual([]);
            }),
            { numRuns: propertyRuns(200) },
          ),
        ),
      ),
    );
  });

  test.each([
    `update access_standing set in_portfolio = not in_portfolio`,
    `update access_standing set newest_status = 'approved'`,
    `update access_standing set newest_approved_scopes = '{metrics:read,sources:read}'`,
    `update access_standing set newest_deadline_at = newest_deadline_at + interval '1 year'`,
    `update access_standing set newest_id = null`,
    `delete from access_standing`,
    `insert into access_standing (investor_id, company_id, in_portfolio) values ('inv_1', 'co_strange', true)`,
  ])('is refused at the commit when it says anything else, whoever writes it: %s', async (text) => {
    await withClient(url, async (client) => {
      const company = await newCompany();
      await client.query(`update investor set suspended_at = null`);
      const inPortfolio = `insert into portfolio_membership
        (investor_id, company_id, environment, added_at) values ('inv_1', '$co', 'live', now())`;
      for (const each of [inPortfolio, request(1, 'pending', 0)]) {
        await client.query(each.replaceAll('$co', company));
      }
      await client.query('begin');
      await client.query(text);
      await expect(client.query('commit')).rejects.toMatchObject({ code: '23000' });
    });
  });
});
