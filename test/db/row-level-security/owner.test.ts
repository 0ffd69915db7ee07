import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connections } from '../../../db/connections/pool.ts';
import { sql } from '../../../db/connections/store.ts';
import { whyNoPostgres, withClient } from '../../support/databases.ts';
import { postgresPrograms } from '../../support/own-postgres.ts';
import { createOwnedDatabase, type OwnedDatabase } from '../../support/owned-database.ts';
import { connectTo } from '../connect.ts';
import { fillForNeighbours, type Neighbours } from './neighbours.ts';

describe.skipIf((await whyNoPostgres()) !== null)('the owner of the tables', () => {
  let owned: OwnedDatabase;
  let neighbours: Neighbours;
  let connections: Connections;
  const companies = sql<{ id: string }>`select distinct company_id as id from account`;
  const asOwner = (text: string) =>
    withClient(owned.url, async (client) => (await client.query(text)).rows);

  beforeAll(async () => {
    owned = await createOwnedDatabase();
    // Which also shows that a service can do all of it as this role.
    neighbours = await fillForNeighbours(owned.url, owned.superuserUrl);
    connections = connectTo(owned.url);
  });
  afterAll(async () => {
    await connections?.close();
    await owned?.drop();
  });

  test('sees nothing where it does not say for whom it works', async () => {
    expect(await connections.store.run(companies)).toEqual([]);
    for (const table of ['access_request', 'company', 'investor', 'metric_point']) {
      expect(await asOwner(`select from ${table}`), table).toEqual([]);
    }
  });

  test('sees the rows of a scope in it', async () => {
    const [id] = neighbours.companies;
    expect(await connections.scopes.scoped({ companies: [id] }).run(companies)).toEqual([{ id }]);
  });

  test('sees everything where it works for everybody', async () => {
    const all = await withClient(owned.url, async (client) => {
      await client.query(`set portfolio_access.everyone = 'on'`);
      return client.query('select distinct company_id from account');
    });
    expect(all.rows.length).toBeGreaterThan(1);
  });

  test.skipIf(postgresPrograms === null)('dumps all rows, when it says so', async () => {
    const dump = (options: readonly string[], environment: Record<string, string> = {}) =>
      promisify(execFile)(
        join(postgresPrograms ?? '', 'pg_dump'),
        ['--data-only', '--inserts', '--table=source', ...options, owned.url],
        { env: { ...process.env, ...environment } },
      );
    await expect(dump([])).rejects.toThrow('row-level security');
    const { stdout } = await dump(['--enable-row-security'], {
      PGOPTIONS: '-c portfolio_access.everyone=on',
    });
    const { rows } = await withClient(owned.superuserUrl, (client) =>
      client.query('select count(*)::int as count from source'),
    );
    expect(stdout.match(/^INSERT/gm)).toHaveLength(Number(rows[0]?.count));
  });
});
