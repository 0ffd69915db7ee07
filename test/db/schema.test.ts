import { Migration } from '@mikro-orm/migrations';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#db';
import type { Connections } from '../../db/connections/pool.ts';
import { migrations } from '../../db/migrations/index.ts';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { isFull } from '../support/property-runs.ts';
import { connectTo } from './connect.ts';

const names = migrations.map(({ name }) => name);

class Later extends Migration {
  override up(): void {
    this.addSql('create table later ()');
  }

  override down(): void {
    this.addSql('drop table later');
  }
}

/** Finds sessions that have waited for a migration's lock longer than a statement of an API request may take. */
const waitsForLong = `select 1 from pg_stat_activity
  where datname = current_database() and wait_event = 'advisory'
    and now() - query_start > interval '3 seconds'`;

await describeOnPostgres('the schema', (createDatabase) => {
  const openUrl = (databaseUrl: string) =>
    openDatabase({ databaseUrl, dataDir: '', role: 'service' });

  describe('the database entities', () => {
    let connections: Connections;

    beforeAll(async () => {
      const { url } = await createDatabase();
      connections = connectTo(url, { connections: 2 });
    });
    afterAll(() => connections.close());

    /** Indexes, foreign keys, checks, triggers and policies exist only in migrations. */
    test('have the columns that the migrations create', async () => {
      const { orm } = connections;
      const { rows: constraints } = await sql<{ name: string }>`
        select conname as name from pg_constraint where contype in ('f', 'c', 'u')`.execute(
        orm.em.getKysely(),
      );
      const isOfMigrations = (line: string) =>
        /^drop (index|trigger|function|policy) |row level security;$/.test(line) ||
        constraints.some(({ name }) => line.endsWith(` drop constraint "${name}";`));
      const diff = (await orm.schema.getUpdateSchemaSQL({ wrap: false })).split('\n');
      expect(diff.filter((line) => line !== '' && !isOfMigrations(line))).toEqual([]);
    });
  });

  test('compares all IDs byte by byte', async () => {
    const { url } = await createDatabase();
    const { rows } = await withClient(url, (client) =>
      client.query(`
        select attrelid::regclass || '.' || attname as column
        from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
          and (attname in ('id', 'replaced_by') or attname like '%\\_id') and atttypid = 'text'::regtype
          and attcollation <> '"C"'::regcollation`),
    );
    expect(rows).toEqual([]);
  });

  describe('migrating the schema', () => {
    test('can undo later migrations, but never the first release', async () => {
      const { url } = await createDatabase();
      const database = await openUrl(url);
      const takeBackAll = async () => {
        for (const _ of names) await database.migrateDown();
      };
      await expect(takeBackAll()).rejects.toThrow('drop the database instead');
      const { pending, unknown } = await database.schemaState();
      expect([names.filter((name) => !pending.includes(name)).at(-1), unknown]).toEqual([
        '20261125-15-row-level-security',
        [],
      ]);
      await database.close();

      migrations.push({ name: '29991231-later', class: Later });
      const later = await openUrl(url);
      await later.migrate();
      await withClient(url, (client) => client.query('select from later'));
      await later.migrateDown();
      expect(await later.schemaState()).toEqual({ pending: ['29991231-later'], unknown: [] });
      await later.close();
      migrations.pop();
      await expect(
        withClient(url, (client) => client.query('select from later')),
      ).rejects.toMatchObject({ code: '42P01' });
    });

    test('changes nothing if it runs a second time', async () => {
      const database = await openUrl((await createDatabase('empty')).url);
      await database.migrate();
      await database.migrate();
      expect(await database.schemaState()).toEqual({ pending: [], unknown: [] });
      await database.close();
    });

    test('runs each migration once, even if several processes migrate at once', async () => {
      const { url } = await createDatabase('empty');
      const databases = await Promise.all(Array.from({ length: 6 }, () => openUrl(url)));
      await Promise.all(databases.map((database) => database.migrate()));
      const { rows } = await withClient(url, (client) =>
        client.query('select name from mikro_orm_migrations order by id'),
      );
      expect(rows.map(({ name }) => name)).toEqual(names);
      await Promise.all(databases.map((database) => database.close()));
    });

    test.runIf(isFull)('waits for another migrating process, however long it takes', async () => {
      const { url } = await createDatabase('empty');
      const database = await openUrl(url);
      await withClient(url, async (client) => {
        await client.query('begin');
        await client.query('select pg_advisory_xact_lock(5187203461)');
        const migrating = database.migrate();
        await expect
          .poll(() => withClient(url, (watcher) => watcher.query(waitsForLong)))
          .toMatchObject({ rows: [{}] });
        await client.query('commit');
        await migrating;
      });
      expect(await database.schemaState()).toEqual({ pending: [], unknown: [] });
      await database.close();
    });

    test('doesn’t create a missing database', async () => {
      const { url, drop } = await createDatabase('empty');
      await drop();
      const database = await openUrl(url);
      await expect(database.migrate()).rejects.toMatchObject({ code: '3D000' });
      await database.close();
    });
  });

  test('the state of a database that is newer than the code lists the unknown migrations', async () => {
    const { url } = await createDatabase();
    const database = await openUrl(url);
    await withClient(url, (client) =>
      client.query(`insert into mikro_orm_migrations (name) values ('29991231-later')`),
    );
    expect(await database.schemaState()).toEqual({ pending: [], unknown: ['29991231-later'] });
    await database.close();
  });

  describe('the database itself', () => {
    let url: string;

    beforeAll(async () => {
      url = (await createDatabase()).url;
      await withClient(url, (client) =>
        client.query(`
          insert into investor values ('inv_1', 'Northwind', 'live', now());
          insert into company values ('co_1', 'Harbor', 'live', now()), ('co_2', 'Haven', 'test', now());
          insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
            previous_scopes, pending_scopes, status, created_at, deadline_at, last_event_type)
          values ('ar_1', 'inv_1', 'co_1', '{metrics:read}', '{}', '{}', '{}', 'pending', now(), now(),
            'access_request.created');
        `),
      );
    });

    const key = (digest: string, scopes: string, rate = 'null', environment = 'live') =>
      `insert into api_key (id, investor_id, environment, digest, hint, scopes, rate_limit, created_at)
      values ('key_1', 'inv_1', '${environment}', ${digest}, '', '${scopes}', ${rate}, now())`;
    const digest = `sha256('x')`;

    test.each([
      ['an unknown environment', `insert into company values ('co_3', '', 'staging', now())`],
      [
        'a portfolio entry with a company of another environment',
        `insert into portfolio_membership values ('inv_1', 'co_2', 'live', now())`,
      ],
      [
        'a portfolio entry with an investor of another environment',
        `insert into portfolio_membership values ('inv_1', 'co_2', 'test', now())`,
      ],
      [
        'an API key of another environment than its investor',
        key(digest, '{metrics:read}', 'null', 'test'),
      ],
      ['a key without a scope', key(digest, '{}')],
      ['a key with an unknown scope', key(digest, '{metrics:read,metrics:write}')],
      ['a digest that is too short', key(`'\\x00'`, '{metrics:read}')],
      ['a rate limit of zero', key(digest, '{metrics:read}', '0')],
      ['an unknown status', `update access_request set status = 'gone'`],
      ['an access request without scopes', `update access_request set requested_scopes = '{}'`],
      [
        'an access request for a scope that can’t be granted',
        `update access_request set requested_scopes = '{companies:read}'`,
      ],
      [
        'an approval without scopes',
        `update access_request set status = 'approved', expires_at = now(), decided_at = now()`,
      ],
      [
        'an approval of a scope that was not requested',
        `update access_request set status = 'approved', expires_at = now(), decided_at = now(), approved_scopes = '{sources:read}'`,
      ],
      [
        'an approval without an end',
        `update access_request set status = 'approved', decided_at = now(), approved_scopes = '{metrics:read}'`,
      ],
      [
        'a pending access request with approved scopes',
        `update access_request set approved_scopes = '{metrics:read}'`,
      ],
      [
        'a pending access request with an end of the grant',
        `update access_request set expires_at = now()`,
      ],
      [
        'a second open access request of an investor to the same company',
        `insert into access_request
          select (jsonb_populate_record(access_request, '{"id": "ar_2"}')).* from access_request`,
      ],
      [
        'an addition to an access request that isn’t a grant',
        `update access_request set pending_scopes = '{sources:read}'`,
      ],
      [
        'the purpose of an addition that doesn’t exist',
        `update access_request set pending_purpose = 'The audit'`,
      ],
      [
        'a declined addition to an access request that isn’t a grant',
        `update access_request set addition_declined = true`,
      ],
      [
        'a notice of the end for an access request that isn’t a grant',
        `update access_request set expiring_at = now()`,
      ],
      [
        'earlier scopes for an access request that isn’t approved',
        `update access_request set previous_scopes = '{metrics:read}'`,
      ],
      ['an unknown event', `update access_request set last_event_type = 'access_request.lost'`],
      [
        'an access record that counts several allowed reads',
        `insert into access_record (id, occurred_at, request_id, protocol, key_id, investor_id, scope,
            resource, grant_id, outcome, count)
          values ('rec_x', now(), '', '', '', '', '', '', 'ar_1', 'allowed', 2)`,
      ],
      [
        'a negative count of access records',
        `insert into access_day_count (company_id, day, investor_id, scope, allowed, refused)
          values ('co_1', '2026-01-01', 'inv_1', 'metrics:read', 5, -5)`,
      ],
      [
        'an unknown account type',
        `insert into account values ('co_1', 'acc_1', '', '', 'crypto', 'USD', '', 0, null, now())`,
      ],
    ])('refuses %s', async (_what, statement) => {
      await withClient(url, async (client) => {
        await expect(client.query(statement)).rejects.toMatchObject({ code: /^23/ });
      });
    });
  });
});
