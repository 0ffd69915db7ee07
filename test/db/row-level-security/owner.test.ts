import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { advice } from '../../../cli/doctor/deep.ts';
import type { Connections } from '../../../db/connections/pool.ts';
import { sql } from '../../../db/connections/store.ts';
import { createPostgresDatabase, whyNoPostgres, withClient } from '../../support/databases.ts';
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
    // This role fills the database, which shows that a service can do all its work as the owner.
    neighbours = await fillForNeighbours(owned.url, owned.superuserUrl);
    connections = connectTo(owned.url);
  });
  afterAll(async () => {
    await connections?.close();
    await owned?.drop();
  });

  test('sees no rows without a row scope', async () => {
    expect(await connections.store.run(companies)).toEqual([]);
    for (const table of ['access_request', 'company', 'investor', 'metric_point']) {
      expect(await asOwner(`select from ${table}`), table).toEqual([]);
    }
  });

  test('sees only the rows in its row scope', async () => {
    const [id] = neighbours.companies;
    expect(await connections.scopes.scoped({ companies: [id] }).run(companies)).toEqual([{ id }]);
  });

  test('sees all rows after it has set portfolio_access.everyone', async () => {
    const all = await withClient(owned.url, async (client) => {
      await client.query(`set portfolio_access.everyone = 'on'`);
      return client.query('select distinct company_id from account');
    });
    expect(all.rows.length).toBeGreaterThan(1);
  });

  test.each(['versions', 'names'] as const)(
    'can run the statements that doctor --deep recommends about %s',
    async (check) => {
      const [, setting = '', update = ''] =
        /^run as the owner: (set [^;]+); (update .+?)(?: where company_id = ….*)?$/.exec(
          advice[check],
        ) ?? [];
      const updated = await withClient(owned.url, async (client) => {
        await client.query(setting);
        return client.query(`${update} returning company_id`);
      });
      expect(updated.rows).not.toEqual([]);
    },
  );

  test.skipIf(postgresPrograms === null)(
    'can dump all rows, but only after it has set portfolio_access.everyone',
    async () => {
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
    },
  );

  test.skipIf(postgresPrograms === null)(
    'can dump and restore the database without a superuser',
    async () => {
      const restored = await createPostgresDatabase();
      const url = new URL(restored.url);
      const { username } = new URL(owned.url);
      try {
        await withClient(restored.url, async (client) => {
          await client.query(`alter database ${url.pathname.slice(1)} owner to ${username}`);
          await client.query(`alter schema public owner to ${username}`);
        });
        url.username = username;
        const program = (name: string) => join(postgresPrograms ?? '', name);
        const dump = await promisify(execFile)(
          program('pg_dump'),
          ['--enable-row-security', owned.url],
          {
            env: { ...process.env, PGOPTIONS: '-c portfolio_access.everyone=on' },
            maxBuffer: 100_000_000,
          },
        );
        const restoring = promisify(execFile)(program('psql'), [
          ...['--quiet', '--set', 'ON_ERROR_STOP=1', url.href],
        ]);
        restoring.child.stdin?.end(dump.stdout);
        await restoring;
        const count = (superuserUrl: string) =>
          withClient(superuserUrl, async (client) => {
            const { rows } = await client.query(`
            select (select count(*) from metric_point) as points,
              (select count(*) from consent_receipt) as receipts`);
            return rows;
          });
        expect(await count(restored.url)).toEqual(await count(owned.superuserUrl));
        expect((await count(restored.url))[0]?.points).not.toBe('0');
      } finally {
        await restored.drop();
      }
    },
  );
});
