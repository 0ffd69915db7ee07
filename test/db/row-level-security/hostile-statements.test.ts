import { beforeAll, describe, expect, test } from 'vitest';
import { type Scopes, sql } from '../../../db/connections/store.ts';
import { describeOnPostgres, withClient } from '../../support/databases.ts';
import { useWorld } from './world.ts';

const setting = 'portfolio_access.companies';

/** Statements that a session can run to change its own settings. */
const saying = [
  'select 1',
  `set portfolio_access.everyone = 'on'`,
  `set ${setting} = ''`,
  `set ${setting} = '{}'`,
  `set ${setting} = '{*}'`,
  `set ${setting} = '{NULL}'`,
  `set ${setting} = '{%}'`,
  `reset all`,
  `discard all`,
  `select set_config('${setting}', null, false)`,
  `set row_security = off`,
  `reset role`,
];

await describeOnPostgres('the database role for API requests', (createDatabase) => {
  const { world, ways, asOwner, open } = useWorld(createDatabase);
  let tables: readonly string[];

  const asService = <T>(work: (query: (text: string) => Promise<unknown[]>) => Promise<T>) =>
    withClient(world().roles.serviceUrl, (client) =>
      work(async (text) => (await client.query(text)).rows),
    );

  beforeAll(async () => {
    const rows = await asOwner(`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
        and has_any_column_privilege('${world().roles.names.service}', oid, 'select') order by 1`);
    tables = rows.map(({ name }) => String(name));
  });

  describe('without a row scope', () => {
    test.each(saying)('sees no row of any company or investor after: %s', async (statement) => {
      await asService(async (query) => {
        await query(statement).catch((error) => expect(error).toMatchObject({ code: '42501' }));
        for (const table of tables.filter((name) => name !== 'signing_key')) {
          // If a session turns row-level security off, its statement is refused instead of returning rows.
          const found = query(`select from ${table}`).catch(({ code }) => code);
          expect([[], '42501'], table).toContainEqual(await found);
          const copied = query(`copy ${table} to stdout`).catch(({ code }) => code);
          expect([[], '42501'], table).toContainEqual(await copied);
        }
      });
    });

    test('can’t switch to another role', async () => {
      const { background, operator } = world().roles.names;
      const [owner] = await asOwner('select current_user as name');
      await asService(async (query) => {
        for (const name of [background, operator, String(owner?.name), 'pg_read_all_data']) {
          for (const text of [
            `set role ${name}`,
            `set session authorization ${name}`,
            `select set_config('role', '${name}', false)`,
            `select set_config('session_authorization', '${name}', true)`,
            `grant ${name} to current_user`,
          ]) {
            await expect(query(text), text).rejects.toMatchObject({ code: '42501' });
          }
        }
      });
    });

    test('can’t change a policy, and can’t create anything that runs with another role', async () => {
      await asService(async (query) => {
        for (const text of [
          'alter table account disable row level security',
          'alter table account no force row level security',
          'drop policy of_scope on account',
          'create policy mine on account using (true)',
          'alter policy of_scope on account using (true)',
          'create view everything as select * from account',
          `create function mine() returns int language sql as 'select 1'`,
          `copy account to '/tmp/account'`,
          `copy account to program 'cat'`,
          `select pg_read_file('postgresql.conf')`,
          `create temp view mine as select * from account; alter view mine owner to ${world().roles.names.operator}`,
        ]) {
          await expect(query(text), text).rejects.toMatchObject({ code: '42501' });
        }
      });
    });

    test('can’t read column values from the planner’s statistics', async () => {
      await asOwner('analyze');
      await asService(async (query) => {
        for (const table of ['account', 'company', 'access_request', 'metric_point', 'investor']) {
          const found = await query(`select from pg_stats where tablename = '${table}'`);
          expect(found, table).toEqual([]);
        }
        for (const table of ['pg_statistic', 'pg_statistic_ext_data', 'pg_authid']) {
          await expect(query(`select from ${table}`), table).rejects.toMatchObject({
            code: '42501',
          });
        }
      });
    });

    test('can’t call functions that run with their owner’s rights and return rows', async () => {
      const rows = await asOwner(`
        select proname as name, prorettype::regtype::text as type, pronargs as arguments,
          has_function_privilege('${world().roles.names.service}', oid, 'execute') as "isCallable"
        from pg_proc where pronamespace = 'public'::regnamespace and prosecdef order by 1`);
      expect(rows.length).toBeGreaterThan(3);
      for (const { name, type, arguments: count, isCallable } of rows) {
        // drawn_event_number returns only a number of the session itself. Another test covers lock_acting_session.
        if (!isCallable || ['drawn_event_number', 'lock_acting_session'].includes(`${name}`))
          continue;
        expect(['trigger', 'void'], String(name)).toContain(type);
        expect(count, String(name)).toBe(0);
      }
    });
  });

  test('finds only the sign-in sessions of contacts in its row scope', async () => {
    const [own, other] = world().neighbours.companies;
    const withEntry = `
      with told as (
        insert into settings_change (id, type, created_at, company_id, actor, subject, changes)
        values ('chg_acting', 'contact.added', now(), '${own}', '{"type": "operator"}',
          '{"type": "contact", "id": "ct_acting", "name": ""}', '{}')
      )`;
    await asOwner(`${withEntry}
      insert into contact (id, company_id, email, role, created_at)
      values ('ct_acting', '${own}', 'acting@harbor.example', 'viewer', now())`);
    await asOwner(`
      insert into desk_session (id, digest, email, contact_id, signed_in_by, created_at,
          last_seen_at, expires_at)
        values ('ds_acting', sha256('ds_acting'), 'acting@harbor.example', 'ct_acting', 'link',
          now(), now(), now() + interval '1 hour')`);
    const found = `select role from lock_acting_session('ds_acting', 'ct_acting')`;
    const { scopes, store } = open(world().roles.serviceUrl);
    const within = (company: string) =>
      scopes.scoped({ companies: [company] }).run(sql.raw<object>(found));
    expect(await within(own)).toEqual([{ role: 'viewer' }]);
    expect(await within(other)).toEqual([]);
    expect(await store.run(sql.raw<object>(found))).toEqual([]);
  });

  describe.each(ways)('with a row scope that %s opens', (_way, begin) => {
    let scopes: Scopes;
    const run = (text: string) =>
      scopes
        .scoped({ companies: [world().neighbours.companies[0]] })
        .run(sql.raw<{ id: string }>(text));
    const own = () => [{ id: world().neighbours.companies[0] }];
    /** Makes an attacker's statement return the ids of all companies with visible rows. */
    const around = (text: string) => `
      with said as materialized (${text})
      select distinct company_id as id from said, account`;

    beforeAll(() => {
      scopes = begin(world().roles.serviceUrl);
    });

    test.each([
      `select set_config('${setting}', '', true)`,
      `select set_config('${setting}', '{}', true)`,
      `select set_config('${setting}', null, true)`,
      `select set_config('portfolio_access.investors', '', true)`,
      `select set_config('portfolio_access.everyone', 'on', true)`,
      `select set_config('row_security', 'off', true)`,
    ])('can’t see more rows than the row scope allows after: %s', async (text) => {
      const found = await run(around(text));
      expect([[], own()]).toContainEqual(found);
      expect(await run('select distinct company_id as id from account')).toEqual(own());
    });

    test.each(['role', 'session_authorization'])(
      'can’t change its role with the setting %s',
      async (name) => {
        const text = `select set_config('${name}', '${world().roles.names.background}', true)`;
        await expect(run(around(text))).rejects.toMatchObject({ code: '42501' });
        expect(await run('select distinct company_id as id from account')).toEqual(own());
      },
    );

    test('can see another company’s rows only with a row scope that contains this company’s id', async () => {
      const [, other] = world().neighbours.companies;
      const said = `select set_config('${setting}', '{${other}}', true)`;
      const found = await run(around(said));
      // No role can prevent this change, but the attacker can't find out another company's id.
      expect([own(), [{ id: other }], []]).toContainEqual(found);
      const guessed = `select set_config('${setting}', '{co_%}', true)`;
      expect([own(), []]).toContainEqual(await run(around(guessed)));
    });

    test('gets no rows of another company through a union or a join', async () => {
      const all = tables.filter((name) => !['company', 'investor', 'signing_key'].includes(name));
      const ofTable = (table: string) =>
        `select string_agg("row"::text, '') as id from ${table} as "row"`;
      const [, other] = world().neighbours.companies;
      for (const table of all) {
        const found = await run(`select null as id where false union all ${ofTable(table)}`);
        // The company's own rows can name investors, but must not name another company.
        expect(JSON.stringify(found), table).not.toContain(other);
      }
      const joined = await run(`
        select distinct company.id from company
          left join account on true left join access_request on true
          left join portfolio_membership as membership on true`);
      expect(joined).toEqual(own());
    });

    test('gets no values of other companies’ rows in error messages', async () => {
      const [, other] = world().neighbours.companies;
      const text = `select id from company where (name || id)::int = 1`;
      const error = await run(text).catch((thrown: unknown) => thrown);
      expect(String(error)).not.toContain(other);
    });
  });
});
