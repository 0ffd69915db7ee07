import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db';
import { describeOnPostgres, untilSomeoneWaits, withClient } from '../support/databases.ts';
import { createRoles, type Roles } from '../support/roles.ts';

const refused = { code: '42501' };

await describeOnPostgres('the roles of roles.sql', (createDatabase) => {
  let url: string;
  let roles: Roles;
  const opened: Database[] = [];

  const asOwner = (text: string) => withClient(url, (client) => client.query(text));
  const open = async (databaseUrl: string) => {
    const database = await openDatabase({ databaseUrl, dataDir: '', role: 'command' });
    opened.push(database);
    return database;
  };

  beforeAll(async () => {
    url = (await createDatabase()).url;
    roles = await createRoles(url);
  });
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });
  afterAll(() => roles.drop());

  const kinds = [
    ['service', () => roles.serviceUrl],
    ['background', () => roles.backgroundUrl],
    ['operator', () => roles.operatorUrl],
  ] as const;

  test.each(kinds)('have exactly the rights that roles.sql grants: %s', async (kind, urlOf) => {
    const rights = await (await open(urlOf())).compareRights(kind);
    expect(rights).toEqual({ role: roles.names[kind], isOwner: false, missing: [], surplus: [] });
  });

  test('allow the operator to read at least one column of every table', async () => {
    const { rows } = await asOwner(`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and not has_any_column_privilege('${roles.names.operator}', oid, 'select')
        and not relispartition`);
    expect(rows).toEqual([]);
  });

  const withoutRight: Readonly<Record<keyof Roles['names'], readonly string[]>> = {
    background: [
      'update access_record set key_id = key_id',
      'delete from access_record',
      'truncate access_record',
      'insert into access_record_other select * from access_record',
      'delete from access_record_other',
      'truncate access_record_other',
      'update access_record_other set outcome = outcome',
      'drop table access_record',
      'alter table access_record disable trigger all',
      'create table another (id int)',
      `create function another() returns int language sql as 'select 1'`,
      'update access_event set reason = null',
      'update access_event set position = position + 1',
      'insert into access_event (position) values (1)',
      'insert into access_event (number) overriding system value values (1)',
      'truncate access_event cascade',
      'update access_event_feed set last_position = 0',
      'delete from access_event_feed',
      'select from access_event_feed for update',
      'delete from event_consumer',
      `update access_request set created_at = now() - interval '300 days'`,
      'update access_request set investor_id = investor_id',
      'update access_request set company_id = company_id',
      `update access_request set id = 'ar_forged'`,
      'delete from access_day',
      'update access_day set records = 0',
      'truncate access_day_count',
      'update access_day_count set allowed = 0',
      'delete from access_grant_use',
      'update access_grant_use set reads = reads + 1',
      'update consent_receipt set issued_at = now()',
      'delete from consent_receipt',
      `insert into api_key select * from api_key`,
      `update api_key set scopes = '{metrics:read}', revoked_at = null`,
      'insert into portfolio_membership select * from portfolio_membership',
      'update portfolio_membership set removed_at = null',
      'delete from portfolio_membership',
      'update metric_point set raw_value = 0',
      'insert into investor select * from investor',
      `update company set name = ''`,
      `update company_key set digest = ''`,
      'update contact set created_at = now()',
      `insert into signing_key (kid, public_key, created_at) values ('forged', 'x', now())`,
      'update signing_key set is_imported = not is_imported',
      'update signing_key set retired_at = null',
      'delete from signing_key',
      'insert into company select * from company',
      'insert into mikro_orm_migrations (name) values (now()::text)',
      'set session_replication_role = replica',
    ],
    service: [
      `update api_key set digest = ''`,
      'select from access_record',
      'select from access_day_count',
      'select from access_record_other',
      'select from desk_session',
      'select from sign_in_link',
      'insert into access_record select * from access_record',
      'insert into webhook_delivery select * from webhook_delivery',
      'delete from idempotency_key',
      'delete from webhook_endpoint',
      'update access_event set position = 1',
      'delete from access_event',
      'update access_event_feed set last_position = 1',
      'select number_access_events()',
      `select register_first_signing_key('k', 'x', now())`,
      `insert into signing_key (kid, public_key, created_at) values ('k', 'x', now())`,
      'update contact set created_at = now()',
      'select create_access_record_days()',
      'delete from metric_point',
      'update metric_point set series_id = 1',
      'begin; lock table metric_point in share mode',
      'delete from metric_revision',
      'update metric_revision set raw_value = 7',
      'truncate metric_series',
      `update metric_series set company_id = 'co_hostile'`,
      'begin; lock table metric_series in access exclusive mode',
      'delete from source',
      'delete from account',
    ],
    operator: [
      'delete from access_record',
      'update access_event set reason = null',
      'truncate access_event cascade',
      'drop table metric_point',
      'create table another (id int)',
      'delete from metric_point',
      `update api_key set digest = ''`,
    ],
  };

  test.each(
    kinds.flatMap(([kind, urlOf]) =>
      withoutRight[kind].map((text) => [kind, text, urlOf] as const),
    ),
  )('don’t include a right of the %s role to: %s', async (_kind, statement, urlOf) => {
    const attempt = withClient(urlOf(), (client) => client.query(statement));
    await expect(attempt).rejects.toMatchObject(refused);
  });

  test('are reported if their rights were changed, and roles.sql then restores these rights', async () => {
    const { service, background } = roles.names;
    await asOwner(`grant delete on access_record to ${background};
      grant update (raw_value) on metric_point to ${background};
      grant truncate on mail to ${background};
      revoke insert on desk_form from ${background};
      revoke update (status) on access_request from ${background};
      revoke execute on function create_access_record_days() from ${background};
      drop policy of_background on mail;
      grant ${background} to ${service};
      alter policy of_scope on account to ${background}`);
    const database = await open(roles.serviceUrl);
    const told = await database.compareRights('background');
    expect(told.missing.toSorted()).toEqual([
      'execute on create_access_record_days()',
      'insert on desk_form',
      'rows of mail',
      'update (status) on access_request',
    ]);
    expect(told.surplus.toSorted()).toEqual([
      'delete on access_record',
      'truncate on mail',
      'update (raw_value) on metric_point',
    ]);
    expect(await database.compareRights('service')).toMatchObject({
      surplus: expect.arrayContaining([`membership of ${background}`]),
    });
    await asOwner(`revoke ${background} from ${service}`);
    expect(await database.missingRights()).toMatchObject([
      { role: background, missing: told.missing },
      { role: service, missing: ['rows of account'] },
    ]);
    const owner = await open(url);
    expect(await owner.outdatedRoles()).toEqual(roles.names);
    await owner.applyRoles(roles.names);
    expect(await owner.outdatedRoles()).toBeNull();
    expect(await database.missingRights()).toEqual([]);
    expect(await database.compareRights('background')).toMatchObject({ missing: [], surplus: [] });
  });

  test('have surplus rights through another role only if this role has rights on the server', async () => {
    const { service, background, operator } = roles.names;
    const signsIn = `${service}_iam`;
    await asOwner(`create role ${signsIn}; grant ${signsIn} to ${service}, ${operator}`);
    const database = await open(roles.serviceUrl);
    expect(await database.compareRights('service')).toMatchObject({ surplus: [] });
    for (const [gift, back] of [
      [`grant select on mail to ${signsIn}`, `drop owned by ${signsIn}`],
      [`grant pg_read_all_data to ${signsIn}`, `revoke pg_read_all_data from ${signsIn}`],
      [`grant ${background} to ${signsIn}`, `revoke ${background} from ${signsIn}`],
      [`alter role ${signsIn} createrole`, `alter role ${signsIn} nocreaterole`],
    ] as const) {
      await asOwner(gift);
      const { surplus } = await database.compareRights('service');
      expect(surplus, gift).toContain(`membership of ${signsIn}`);
      await asOwner(back);
    }
    await asOwner(`drop role ${signsIn}`);
  });

  test('are reported as outdated, even if an administrator is a member of one of the roles', async () => {
    const { background } = roles.names;
    const administrator = `${background.replace(/_background$/, '')}_administrator`;
    await asOwner(`create role ${administrator}; grant ${background} to ${administrator};
      revoke insert on desk_form from ${background}`);
    const owner = await open(url);
    expect(await owner.outdatedRoles()).toEqual(roles.names);
    await asOwner(`drop role ${administrator}`);
    await owner.applyRoles(roles.names);
  });

  test.each([
    'alter policy of_background on mail using (false)',
    'alter policy of_background on mail to public',
    'alter policy of_background on mail with check (false)',
    'drop policy of_background on mail',
    'drop policy of_background on mail; create policy of_background on mail as restrictive to BACKGROUND using (true)',
    'drop policy of_background on mail; create policy of_background on mail for select to BACKGROUND using (true)',
    'alter policy of_everyone on account to public',
    'alter policy of_scope on account to public',
  ])('see the same rows again if roles.sql is applied after a change: %s', async (change) => {
    const owner = await open(url);
    const policies = async () => (await asOwner('select * from pg_policies order by 2, 3')).rows;
    const before = await policies();
    await asOwner(change.replaceAll('BACKGROUND', roles.names.background));
    expect(await policies()).not.toEqual(before);
    await owner.applyRoles(roles.names);
    expect(await policies()).toEqual(before);
  });

  test('can be changed by roles.sql while other sessions read every table', async () => {
    const owner = await open(url);
    await withClient(url, async (reader) => {
      await reader.query(`begin; do $$ declare each regclass; begin
        for each in select oid from pg_class
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') loop
          execute format('lock table %s in access share mode', each);
        end loop; end $$`);
      await owner.applyRoles(roles.names);
    });
    expect(await owner.outdatedRoles()).toBeNull();
  });

  test('can be changed by roles.sql without a deadlock while a vacuum locks a table', async () => {
    await asOwner('drop policy of_background on account');
    const owner = await open(url);
    await withClient(url, async (vacuum) => {
      await vacuum.query('begin; lock table account in share update exclusive mode');
      const applied = expect(owner.applyRoles(roles.names)).resolves.toBeUndefined();
      await untilSomeoneWaits(url);
      // A test can't stop a real vacuum at this point. Like a vacuum, this grant changes the table's row in pg_class.
      await vacuum.query('grant select on account to public; revoke select on account from public');
      await vacuum.query('commit');
      await applied;
    });
    expect(await owner.outdatedRoles()).toBeNull();
  });

  test('differ from a superuser, whose surplus rights are reported', async () => {
    const rights = await (await open(url)).compareRights('service');
    expect(rights).toMatchObject({ isOwner: true, missing: [] });
    expect(rights.surplus).toEqual(
      expect.arrayContaining(['superuser', 'delete on access_record']),
    );
  });

  describe('and the partitions for the next days', () => {
    const now = new Date();
    const days = async () => {
      const { rows } = await asOwner(`
        select relname from pg_class where relname ~ '^access_record_\\d' and relkind = 'r' order by 1`);
      return rows.map(({ relname }) => relname as string);
    };

    test('let the service create the same partitions that the owner creates', async () => {
      const owner = await open(url);
      await owner.createPartitionsAhead(now);
      const made = await days();
      const shapeOf = (table: string) => `
        select pg_get_expr(relpartbound, oid) as bounds, array(
          select tgname || tgenabled::text from pg_trigger where tgrelid = pg_class.oid order by 1
        ) as triggers
        from pg_class where relname = '${table}'`;
      const last = made.at(-1) ?? '';
      const before = await asOwner(shapeOf(last));
      await asOwner(`drop table ${made.slice(1).join(', ')}`);
      await (await open(roles.serviceUrl)).createPartitionsAhead(now);
      expect(await days()).toEqual(made);
      expect((await asOwner(shapeOf(last))).rows).toEqual(before.rows);
    });

    test('let the service create no partitions for other days, and move no existing records', async () => {
      const made = await days();
      const missing = made.at(-1) ?? '';
      await asOwner(`drop table ${missing}`);
      const occurredAt = `${missing.slice(-10).replaceAll('_', '-')}T15:00:00Z`;
      await asOwner(`insert into access_record (id, occurred_at, request_id, protocol, key_id,
        investor_id, scope, resource, outcome, count)
        values ('rec_early', '${occurredAt}', '', '', '', '', '', '', 'access_required', 1)`);
      const service = await open(roles.serviceUrl);
      await expect(service.createPartitionsAhead(now)).rejects.toMatchObject(refused);
      await expect(service.createPartitionsAhead(new Date('2045-01-01'))).rejects.toMatchObject(
        refused,
      );
      expect(await days()).toEqual(made.slice(0, -1));
      await (await open(url)).createPartitionsAhead(now);
      expect(await days()).toEqual(made);
    });
  });
});
