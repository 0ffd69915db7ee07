import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connections, openConnections } from '../../db/connections.ts';
import { genericPlans, preparedStatements } from '../../db/prepared-statements.ts';
import type { Scope } from '../../db/scope.ts';
import { type ScopedRunner, sql } from '../../db/store.ts';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { fillForNeighbours, type Neighbours } from '../support/neighbours.ts';
import { postgresPrograms } from '../support/own-postgres.ts';
import { createRoles, type Roles } from '../support/roles.ts';

const ofSeries = 'series_id in (select id from metric_series where company_id = $1)';

/** Whose a row of a protected table is, for an owner whom no policy binds. */
const ofCompany: Readonly<Record<string, string>> = {
  company: 'id = $1',
  metric_point: ofSeries,
  metric_revision: ofSeries,
};

const ofInvestor: Readonly<Record<string, string>> = {
  portfolio_membership: 'investor_id = $1',
  access_request: 'investor_id = $1',
  access_event: 'investor_id = $1',
  webhook_endpoint: 'investor_id = $1',
  consent_receipt: 'event_id in (select id from access_event where investor_id = $1)',
};

const tables = [
  'access_event',
  'access_record_day',
  'access_record_day_sum',
  'access_record_grant',
  'access_request',
  'account',
  'company',
  'company_contact',
  'company_data_version',
  'company_key',
  'consent_receipt',
  'mail',
  'metric_point',
  'metric_revision',
  'metric_series',
  'portfolio_membership',
  'source',
  'upstream_signer',
  'webhook_delivery',
  'webhook_endpoint',
];

const refused = { code: '42501', message: expect.stringContaining('row-level security') };

await describeOnPostgres('row-level security', (createDatabase) => {
  let url: string;
  let roles: Roles;
  let neighbours: Neighbours;
  const opened: Connections[] = [];

  const open = (as: string, server?: Readonly<Record<string, string>>) => {
    const connections = openConnections(
      { url: as },
      {
        connections: 1,
        acquireMilliseconds: 5000,
        statementMilliseconds: null,
        isPipelined: server !== undefined,
        ...(server && { server }),
        onError() {},
      },
    );
    opened.push(connections);
    return connections;
  };
  const asOwner = (text: string, values: unknown[] = []) =>
    withClient(url, async (client) => (await client.query(text, values)).rows);

  const ways: Record<string, () => ScopedRunner> = {
    'a transaction': () => open(roles.operatorUrl).store,
    'a batch': () => {
      const { pool, orm } = open(roles.operatorUrl, genericPlans);
      return preparedStatements(pool, orm.em.getKysely());
    },
  };

  beforeAll(async () => {
    ({ url } = await createDatabase());
    roles = await createRoles(url);
    neighbours = await fillForNeighbours(url);
  });
  afterAll(async () => {
    for (const connections of opened) await connections.close();
    await roles?.drop();
  });

  test('protects these tables', async () => {
    const rows = await asOwner(`
      select relname from pg_class where relrowsecurity and relforcerowsecurity order by 1`);
    expect(rows.map(({ relname }) => relname)).toEqual(tables);
  });

  test('leaves out of those that name a company what no list of one company or investor reads', async () => {
    const rows = await asOwner(`
      select relname from pg_class join pg_attribute on attrelid = pg_class.oid
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and attname = 'company_id' and not relrowsecurity and relname not like 'import\\_%'
      order by 1`);
    expect(rows.map(({ relname }) => relname)).toEqual([
      'access_record',
      'access_record_day_archived',
      'access_record_late',
      'sign_in_link',
    ]);
  });

  describe.each(Object.keys(ways))('in the scope of %s', (way) => {
    let runner: ScopedRunner;
    beforeAll(() => {
      runner = (ways[way] as () => ScopedRunner)();
    });
    const run = async (scope: Scope | null, text: string) => {
      const rows = await (scope === null ? runner : runner.scoped(scope)).run(
        sql.raw<Record<string, unknown>>(text),
      );
      return rows;
    };
    const textsOf = (table: string) =>
      `select "row"::text as text from ${table} as "row" order by 1`;
    const textsOfOne = async (table: string, condition: string, id: string) =>
      asOwner(`select "row"::text as text from ${table} as "row" where ${condition} order by 1`, [
        id,
      ]);

    test.each(tables)(
      'a statement without a filter gets the rows of one company: %s',
      async (table) => {
        const [own, other] = neighbours.companies;
        const condition = ofCompany[table] ?? 'company_id = $1';
        const rows = await run({ companies: [own] }, textsOf(table));
        expect(rows).toEqual(await textsOfOne(table, condition, own));
        expect(rows).not.toEqual([]);
        const others = await textsOfOne(table, condition, other);
        expect(others).not.toEqual([]);
        expect((await run(null, textsOf(table))).length).toBeGreaterThanOrEqual(
          rows.length + others.length,
        );
        expect(await run({ companies: [own, other] }, textsOf(table))).toHaveLength(
          rows.length + others.length,
        );
        expect(await run({ companies: [] }, textsOf(table))).toEqual([]);
      },
    );

    test.each(Object.keys(ofInvestor))(
      'a statement without a filter gets the rows of one investor: %s',
      async (table) => {
        const [own, other] = neighbours.investors;
        const condition = ofInvestor[table] ?? '';
        const rows = await run({ investors: [own] }, textsOf(table));
        expect(rows).toEqual(await textsOfOne(table, condition, own));
        expect(rows).not.toEqual([]);
        expect(await textsOfOne(table, condition, other)).not.toEqual([]);
      },
    );

    test.each(tables)(
      'a statement that asks for another company gets nothing: %s',
      async (table) => {
        const [own, other] = neighbours.companies;
        const condition = (ofCompany[table] ?? 'company_id = $1').replace('$1', `'${other}'`);
        const text = `select from ${table} where ${condition}`;
        expect(await run({ companies: [own] }, text)).toEqual([]);
        expect(await run(null, text)).not.toEqual([]);
      },
    );

    test.each(tables)('no row of another company is added: %s', async (table) => {
      const [own, other] = neighbours.companies;
      const condition = ofCompany[table] ?? 'company_id = $1';
      const [row] = await asOwner(
        `select to_jsonb("row")::text as json from ${table} as "row" where ${condition} limit 1`,
        [other],
      );
      const json = String(row?.json).replaceAll("'", "''");
      const text = `insert into ${table} overriding system value
        select * from jsonb_populate_record(null::${table}, '${json}')`;
      await expect(run({ companies: [own] }, text)).rejects.toMatchObject(refused);
      // Not the policy refuses it then, but what is there already.
      await expect(run({ companies: [other] }, text)).rejects.not.toMatchObject(refused);
    });

    test('no row is changed of another company, or to be of one', async () => {
      const [own, other] = neighbours.companies;
      const scope = { companies: [own] };
      for (const table of ['access_request', 'webhook_endpoint', 'mail']) {
        const text = `update ${table} set company_id = company_id where company_id = '${other}' returning 1`;
        expect(await run(scope, text), table).toEqual([]);
        await expect(
          run(scope, `update ${table} set company_id = '${other}'`),
          table,
        ).rejects.toMatchObject(refused);
        expect(await run({ companies: [other] }, text), table).not.toEqual([]);
      }
      expect(
        await run(scope, `delete from company_contact where company_id = '${other}' returning 1`),
      ).toEqual([]);
    });

    test('the scope ends with its transaction, also after an error', async () => {
      const scope = { companies: [neighbours.companies[0]] };
      const count = 'select count(*)::int as count from account';
      const all = await run(null, count);
      const ofOne = await run(scope, count);
      expect(ofOne).not.toEqual(all);
      expect(await run(null, count)).toEqual(all);
      await expect(run(scope, 'select 1 / 0 from account')).rejects.toMatchObject({
        code: '22012',
      });
      expect(await run(null, count)).toEqual(all);
      expect(await run(scope, count)).toEqual(ofOne);
    });

    describe('an id stays one id', () => {
      const ids = [
        'co_a',
        'co_b',
        'co_a,co_b',
        'co_a","co_b',
        '{co_a,co_b}',
        '}, {co_a',
        `co_a'), ('co_b`,
        'co_a\\',
        '\\"co_a',
        ' co_a ',
        'NULL',
        '*',
        '',
      ];
      const series = `select company_id as id from metric_series where key = 'named'`;
      beforeAll(async () => {
        await asOwner(
          `insert into company select id, 'Company', 'live', now() from unnest($1::text[]) as id
            on conflict do nothing`,
          [ids],
        );
        await asOwner(
          `insert into metric_series (company_id, key, label, category)
            select id, 'named', '', '' from unnest($1::text[]) as id on conflict do nothing`,
          [ids],
        );
      });
      test.each(ids)('%j', async (id) => {
        expect(await run({ companies: [id] }, series)).toEqual([{ id }]);
        expect(await run({ companies: [id, 'co_b'] }, series)).toHaveLength(id === 'co_b' ? 1 : 2);
      });
    });
  });

  test('a scope is opened with its transaction, never within one', async () => {
    const { store } = open(roles.serviceUrl);
    await expect(
      store.transact(async (inside) => inside.scoped({ companies: ['co_1'] })),
    ).rejects.toThrow('a scope is opened with its transaction');
  });

  test('binds the owner of a table, but no superuser', async () => {
    await asOwner(`alter table account owner to ${roles.names.operator}`);
    const companies = (as: string) =>
      open(as)
        .store.scoped({ companies: [neighbours.companies[0]] })
        .run(sql<{ id: string }>`select distinct company_id as id from account`);
    expect(await companies(roles.operatorUrl)).toEqual([{ id: neighbours.companies[0] }]);
    expect((await companies(url)).length).toBeGreaterThan(1);
  });

  test.skipIf(postgresPrograms === null)(
    'lets such an owner dump all rows, when asked to by name',
    async () => {
      await asOwner(`alter table source owner to ${roles.names.operator}`);
      const dump = (...options: string[]) =>
        promisify(execFile)(join(postgresPrograms ?? '', 'pg_dump'), [
          '--data-only',
          '--inserts',
          '--table=source',
          ...options,
          roles.operatorUrl,
        ]);
      await expect(dump()).rejects.toThrow('row-level security');
      const { stdout } = await dump('--enable-row-security');
      const [all] = await asOwner('select count(*)::int as count from source');
      expect(stdout.match(/^INSERT/gm)).toHaveLength(Number(all?.count));
    },
  );
});
