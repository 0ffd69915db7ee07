import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db';
import { createDatabaseCheck } from '../../../gateway/health.ts';
import { describeOnPostgres, withClient } from '../../support/databases.ts';
import { createRoles, type Roles } from '../../support/roles.ts';

/** Lists the role's rights in the form that a grant or revoke statement needs. */
const everyRight = (role: string) => `
  with owned as (select oid from pg_roles where rolname = '${role}'), given as (
    select privilege_type || ' on ' || pg_class.oid::regclass as right
    from pg_class, aclexplode(relacl), owned
    where grantee = owned.oid and relkind in ('r', 'p', 'v') and not relispartition
    union all
    select format('%s (%I) on %s', privilege_type, attname, attrelid::regclass)
    from pg_attribute, aclexplode(attacl), owned where grantee = owned.oid
    union all
    -- Functions that anyone may call are no right of a role.
    select privilege_type || ' on function ' || pg_proc.oid::regprocedure
    from pg_proc, aclexplode(proacl), owned
    where grantee = owned.oid
      and not exists (select from aclexplode(proacl) as acl where acl.grantee = 0)
    union all
    select privilege_type || ' on schema ' || nspname
    from pg_namespace, aclexplode(nspacl), owned
    where grantee = owned.oid
  )
  select "right" from given order by 1`;

await describeOnPostgres('a missing right of a database role', (createDatabase) => {
  let url: string;
  let roles: Roles;
  let service: Database;
  let operator: Database;

  beforeAll(async () => {
    url = (await createDatabase()).url;
    roles = await createRoles(url);
    const open = (databaseUrl: string, role: 'service' | 'command') =>
      openDatabase({ databaseUrl, dataDir: '', role });
    service = await open(roles.serviceUrl, 'service');
    operator = await open(roles.operatorUrl, 'command');
    // In a new database, every role has this right, and it can't be revoked from a single role.
    await withClient(url, (owner) => owner.query('revoke usage on schema public from public'));
  });
  afterAll(async () => {
    await service?.close();
    await operator?.close();
    await roles?.drop();
  });

  const isReady = async () => (await createDatabaseCheck(service)()) === 'ok';

  describe.each(['service', 'background', 'operator'] as const)('of the %s role', (kind) => {
    const missing = async () => {
      if (kind === 'operator') return (await operator.compareRights('operator')).missing;
      return (await service.missingRights()).flatMap((rights) => rights.missing);
    };

    test('is reported for each right that the role needs', async () => {
      const role = roles.names[kind];
      await withClient(url, async (owner) => {
        const { rows } = await owner.query(everyRight(role));
        expect(rows.length).toBeGreaterThan(kind === 'operator' ? 20 : 50);
        expect(await missing()).toEqual([]);
        const unnoticed: string[] = [];
        for (const right of rows.map((row) => String(row.right))) {
          await owner.query(`revoke ${right} from ${role}`);
          if ((await missing()).length === 0) unnoticed.push(right);
          await owner.query(`grant ${right} to ${role}`);
        }
        expect(unnoticed).toEqual([]);
        expect(await missing()).toEqual([]);
      });
    });
  });

  test.each([
    ['service', 'select on upstream_signer'],
    ['service', 'insert (data) on access_event'],
    ['background', 'delete on webhook_endpoint'],
    ['service', 'usage on schema public'],
  ] as const)('makes the service unready: the %s role lacks %s', async (kind, right) => {
    expect(await isReady()).toBe(true);
    await withClient(url, async (owner) => {
      await owner.query(`revoke ${right} from ${roles.names[kind]}`);
      expect(await isReady()).toBe(false);
      await owner.query(`grant ${right} to ${roles.names[kind]}`);
    });
    expect(await isReady()).toBe(true);
  });

  test('is reported if the operator role is no longer a member of the background role', async () => {
    const { background, operator: name } = roles.names;
    await withClient(url, (owner) => owner.query(`revoke ${background} from ${name}`));
    expect((await operator.compareRights('operator')).missing).not.toEqual([]);
    await withClient(url, (owner) => owner.query(`grant ${background} to ${name}`));
  });

  test('is reported if a policy no longer applies to the role', async () => {
    const owner = await openDatabase({ databaseUrl: url, dataDir: '', role: 'command' });
    const alter = 'alter policy dated on settings_change to current_user';
    await withClient(url, (client) => client.query(alter));
    const found = await service.missingRights();
    expect(found.map(({ missing }) => missing)).toEqual([
      ['policy dated on settings_change'],
      ['policy dated on settings_change'],
    ]);
    await owner.applyRoles(roles.names);
    expect(await service.missingRights()).toEqual([]);
    await owner.close();
  });
});
