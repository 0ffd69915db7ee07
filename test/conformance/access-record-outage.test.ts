import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createMigratedPostgresDatabase,
  describeOnPostgres,
  type FreshDatabase,
  withClient,
} from '../support/databases.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { startService, type TestService } from '../support/service.ts';

await describeOnPostgres('while no access record can be committed', () => {
  let database: FreshDatabase;
  let service: TestService;

  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
    service = await startService({ storage: { databaseUrl: database.url } });
  });
  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  test('reads return 503 without data until access records can be written again', async () => {
    const { company, key } = await service.fixtures.readablePortfolio();
    const read = () => service.get(`/v1/companies/${company.id}/metrics`, key);
    expectOk(await read());
    await withClient(database.url, async (client) => {
      await client.query('begin');
      await client.query('lock table access_record in exclusive mode');
      const answer = await read();
      expectRefusal(answer, 'service_unavailable');
      expect(answer.text).not.toContain('cash_balance');
      await client.query('rollback');
    });
    expectOk(await read());
  });
});
