import { beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../../db/scope.ts';
import type { ScopedRunner } from '../../../db/store.ts';
import { describeOnPostgres } from '../../support/databases.ts';
import { useStage } from './stage.ts';

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
  const { stage, ways, asOwner, run: runIn } = useStage(createDatabase);

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

  describe.each(ways)('in the scope of %s', (_way, begin) => {
    let runner: ScopedRunner;
    beforeAll(() => {
      runner = begin(stage().roles.operatorUrl);
    });
    const run = (scope: Scope | null, text: string) => runIn(runner, scope, text);
    const textsOf = (table: string) =>
      `select "row"::text as text from ${table} as "row" order by 1`;
    const textsOfOne = async (table: string, condition: string, id: string) =>
      asOwner(`select "row"::text as text from ${table} as "row" where ${condition} order by 1`, [
        id,
      ]);

    test.each(tables)(
      'a statement without a filter gets the rows of one company: %s',
      async (table) => {
        const [own, other] = stage().neighbours.companies;
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
        const [own, other] = stage().neighbours.investors;
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
        const [own, other] = stage().neighbours.companies;
        const condition = (ofCompany[table] ?? 'company_id = $1').replace('$1', `'${other}'`);
        const text = `select from ${table} where ${condition}`;
        expect(await run({ companies: [own] }, text)).toEqual([]);
        expect(await run(null, text)).not.toEqual([]);
      },
    );

    test.each(tables)('no row of another company is added: %s', async (table) => {
      const [own, other] = stage().neighbours.companies;
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
      const [own, other] = stage().neighbours.companies;
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
  });
});
