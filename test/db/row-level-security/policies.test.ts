import { beforeAll, describe, expect, test } from 'vitest';
import type { RowScope } from '../../../db/connections/row-scope.ts';
import { describeOnPostgres } from '../../support/databases.ts';
import { someCases } from '../../support/property-runs.ts';
import { type Runner, useWorld } from './world.ts';

const ofSeries = 'series_id in (select id from metric_series where company_id = $1)';

/** Finds the other side that an owner knows: by portfolio entry or access request. */
const knownTo = (own: string, other: string) => `id in (
  select ${own}_id from portfolio_membership where ${other}_id = $1 and removed_at is null
  union select ${own}_id from access_request where ${other}_id = $1)`;

/** Tables without policies, each with the reason. A new table needs policies or a reason here. */
const unprotected: Readonly<Record<string, string>> = {
  access_day: 'which days are counted, and how many records of all companies they have',
  access_event_feed: 'the one number of the last event',
  access_record: 'requests have no right to it, and its lists need what the planner knows of it',
  event_consumer: 'how far each consumer has read the feed',
  mikro_orm_migrations: 'names of migrations',
  signing_key: 'public keys, which every caller may read',
};

/** The condition for a company's rows in each table, for comparison in a role without policies. */
const ofCompany: Readonly<Record<string, string>> = {
  company: 'id = $1',
  investor: knownTo('investor', 'company'),
  metric_point: ofSeries,
  metric_revision: ofSeries,
};

const ofInvestor: Readonly<Record<string, string>> = {
  investor: 'id = $1',
  company: knownTo('company', 'investor'),
  api_key: 'investor_id = $1',
  idempotency_key: 'investor_id = $1',
  portfolio_membership: 'investor_id = $1',
  access_request: 'investor_id = $1',
  access_event: `investor_id = $1 or (investor_id is null and company_id in (
    select request.company_id from access_request as request
      join portfolio_membership using (investor_id, company_id)
    where request.investor_id = $1 and status = 'approved' and removed_at is null
      and approved_scopes && scopes))`,
  webhook_endpoint: 'investor_id = $1',
  settings_change: 'investor_id = $1',
  contact: 'investor_id = $1',
  mail: 'investor_id = $1',
  consent_receipt: 'event_id in (select id from access_event where investor_id = $1)',
};

const tables = [
  'access_day_count',
  'access_event',
  'access_grant_use',
  'access_request',
  'account',
  'api_key',
  'approval_rule',
  'company',
  'company_data_version',
  'company_key',
  'consent_receipt',
  'contact',
  'idempotency_key',
  'idempotent_push',
  'investor',
  'mail',
  'metric_point',
  'metric_revision',
  'metric_series',
  'portfolio_membership',
  'settings_change',
  'source',
  'upstream_signer',
  'webhook_delivery',
  'webhook_endpoint',
];

const ofInvestorsAlone = ['api_key', 'idempotency_key'];

const ofCompanies = tables.filter((table) => !ofInvestorsAlone.includes(table));

/** SQL that turns a copied row into a row that can be added now. */
const ofNow: Readonly<Record<string, string>> = {
  access_event: ` || jsonb_build_object('created_at', now(), 'actor_type',
    case when data is null then 'investor' end, 'actor_signed_in_by', null)`,
  access_request: ` || jsonb_build_object('status', 'pending', 'created_at', now())`,
  consent_receipt: ` || jsonb_build_object('issued_at', now())`,
  settings_change: ` || jsonb_build_object('created_at', now(), 'investor_id', null,
    'actor', '{"type": "contact"}'::jsonb)`,
};

/** A change for each kind of row that the role for API requests may change. */
const changes: Readonly<Record<string, string>> = {
  access_request: 'company_id = company_id',
  approval_rule: 'approvals_required = 2',
  account: `balance = 'hostile'`,
  company_data_version: 'version = version',
  mail: 'company_id = company_id',
  metric_point: `value = value || '1', revision = revision + 1, signed_at = null, signature = null,
    signing_key = null`,
  metric_series: `label = 'hostile'`,
  source: `status = 'hostile'`,
  webhook_endpoint: 'company_id = company_id',
};

const refused = { code: '42501', message: expect.stringContaining('row-level security') };

await describeOnPostgres('row-level security', (createDatabase) => {
  const { world, ways, asOwner, run: runIn } = useWorld(createDatabase);

  test('gives exactly the listed tables a policy for row scopes', async () => {
    const rows = await asOwner(`
      select tablename as name from pg_policies where policyname = 'of_scope' order by 1`);
    expect(rows.map(({ name }) => name)).toEqual(tables);
  });

  test('protects every table except those that are listed with a reason', async () => {
    const rows = await asOwner(
      `select relname as name, relrowsecurity as "isProtected",
        array(select polname::text from pg_policy where polrelid = pg_class.oid) as policies,
        has_any_column_privilege($1, oid, 'select') as "isOfService"
      from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and not relispartition order by relname collate "C"`,
      [world().roles.names.service],
    );
    const open = rows.filter(({ isProtected }) => !isProtected);
    expect(open.map(({ name }) => name)).toEqual(Object.keys(unprotected).toSorted());
    expect(open.filter(({ isOfService }) => isOfService)).toMatchObject([{ name: 'signing_key' }]);
    for (const { name, policies, isOfService } of rows.filter((row) => row.isProtected)) {
      const has = (policy: string) => (policies as string[]).includes(policy);
      // These policies apply only to the service's roles. Policies for other roles aren't checked.
      expect(has('of_background'), `${name}`).toBe(true);
      expect(has('of_scope'), `${name}`).toBe(has('of_everyone'));
      expect(isOfService && !has('of_scope'), `${name}`).toBe(false);
    }
    expect(await asOwner(`select from pg_policy where polroles @> '{0}'`)).toEqual([]);
  });

  describe.each(ways)('in the row scope that %s opens', (way, begin) => {
    // A policy doesn't depend on how the row scope was opened, so one of the two ways tests fewer tables.
    const eachOf = (names: readonly string[]) =>
      test.each(way === 'a batch' ? names : someCases(names));
    let runner: Runner;
    beforeAll(async () => {
      // The role has all rights, so only the policies can refuse its statements.
      await asOwner(`grant all on all tables in schema public to ${world().roles.names.service};
        grant all on all sequences in schema public to ${world().roles.names.service}`);
      runner = begin(world().roles.serviceUrl);
    });
    const run = (scope: RowScope | null, text: string) => runIn(runner, scope, text);
    const textsOf = (table: string) =>
      `select "row"::text as text from ${table} as "row" order by 1`;
    const textsOfOne = async (table: string, condition: string, id: string) =>
      asOwner(`select "row"::text as text from ${table} as "row" where ${condition} order by 1`, [
        id,
      ]);

    eachOf(ofCompanies)(
      'a statement without a filter gets the rows of one company: %s',
      async (table) => {
        const [own, other] = world().neighbours.companies;
        const condition = ofCompany[table] ?? 'company_id = $1';
        const rows = await run({ companies: [own] }, textsOf(table));
        expect(rows).toEqual(await textsOfOne(table, condition, own));
        expect(rows).not.toEqual([]);
        const others = await textsOfOne(table, condition, other);
        expect(others).not.toEqual([]);
        expect(await run(null, textsOf(table))).toEqual([]);
        const both = new Set([...rows, ...others].map(({ text }) => text));
        const ofBoth = await run({ companies: [own, other] }, textsOf(table));
        expect(new Set(ofBoth.map(({ text }) => text))).toEqual(both);
        expect(await run({ companies: [] }, textsOf(table))).toEqual([]);
      },
    );

    eachOf(Object.keys(ofInvestor))(
      'a statement without a filter gets the rows of one investor: %s',
      async (table) => {
        const [own, other] = world().neighbours.investors;
        const condition = ofInvestor[table] ?? '';
        const rows = await run({ investors: [own] }, textsOf(table));
        expect(rows).toEqual(await textsOfOne(table, condition, own));
        expect(rows).not.toEqual([]);
        expect(await textsOfOne(table, condition, other)).not.toEqual([]);
        expect(await run({ investors: [] }, textsOf(table))).toEqual([]);
      },
    );

    eachOf(tables.filter((table) => !(table in ofInvestor)))(
      'an investor gets no rows: %s',
      async (table) => {
        expect(await run({ investors: [world().neighbours.investors[0]] }, textsOf(table))).toEqual(
          [],
        );
      },
    );

    eachOf(ofCompanies.filter((table) => table !== 'investor'))(
      'a statement that asks for another company gets nothing: %s',
      async (table) => {
        const [own, other] = world().neighbours.companies;
        const condition = (ofCompany[table] ?? 'company_id = $1').replace('$1', `'${other}'`);
        const text = `select from ${table} where ${condition}`;
        expect(await run({ companies: [own] }, text)).toEqual([]);
        expect(await run(null, text)).toEqual([]);
        expect(await run({ companies: [other] }, text)).not.toEqual([]);
      },
    );

    eachOf(ofCompanies.filter((table) => table !== 'investor'))(
      'no row of another company is added: %s',
      async (table) => {
        const [own, other] = world().neighbours.companies;
        const condition = ofCompany[table] ?? 'company_id = $1';
        const [row] = await asOwner(
          `select (to_jsonb("row")${ofNow[table] ?? ''})::text as json from ${table} as "row" where ${condition} limit 1`,
          [other],
        );
        const json = String(row?.json).replaceAll("'", "''");
        const text = `insert into ${table} overriding system value
        select * from jsonb_populate_record(null::${table}, '${json}')`;
        await expect(run({ companies: [own] }, text)).rejects.toMatchObject(refused);
        // The policy allows this statement, which then fails because the same row already exists.
        await expect(run({ companies: [other] }, text)).rejects.not.toMatchObject(refused);
      },
    );

    test.each(Object.entries(changes))(
      'no statement changes a row of another company: %s',
      async (table, change) => {
        const [own, other] = world().neighbours.companies;
        const condition = (ofCompany[table] ?? 'company_id = $1').replace('$1', `'${other}'`);
        const text = `update ${table} set ${change} where ${condition} returning 1`;
        expect(await run({ companies: [own] }, text)).toEqual([]);
        expect(await run({ companies: [other] }, text)).not.toEqual([]);
      },
    );

    test.each(['access_request', 'account', 'mail', 'source', 'webhook_endpoint'])(
      'no row moves to another company: %s',
      async (table) => {
        const [own, other] = world().neighbours.companies;
        const text = `update ${table} set company_id = '${other}'`;
        await expect(run({ companies: [own] }, text)).rejects.toMatchObject(refused);
      },
    );

    test('no statement deletes a row of another company', async () => {
      const [own, other] = world().neighbours.companies;
      const text = `delete from contact where company_id = '${other}' returning 1`;
      expect(await run({ companies: [own] }, text)).toEqual([]);
    });
  });
});
