import { type Store, sql } from '../store.ts';
import {
  expectedRights,
  grantsTo,
  namesOf,
  policiesOf,
  type RoleKind,
  type RoleNames,
  tables,
} from './expected-rights.ts';

/** The rights of a role as against those that it should have, each in words like `insert on access_record`. */
export interface RoleRights {
  readonly role: string;
  /** Whether it may change the schema, as an owner of it or above every rule. */
  readonly isOwner: boolean;
  readonly missing: readonly string[];
  readonly surplus: readonly string[];
}

const privileges = ['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger'];

interface TableRow {
  readonly table: string;
  readonly privileges: readonly string[];
  readonly updatable: readonly string[];
  /** Whether row-level security binds the role, and no policy of its kind is made for it. */
  readonly isHidden: boolean;
}

/**
 * What a role may do in the schema, beside what a kind of role should be able to.
 *
 * @param name without it the role of the connection
 */
export async function compareRights(
  store: Store,
  kind: RoleKind,
  name: string | null = null,
): Promise<RoleRights> {
  const [rows, role] = await Promise.all([readTables(store, kind, name), readRole(store, name)]);
  const missing: string[] = [];
  const surplus: string[] = [...role.surplus];
  if (kind === 'service') surplus.push(...role.memberOf.map((name) => `membership of ${name}`));
  const expected = expectedRights(kind);
  for (const row of rows) {
    const rights = expected.get(row.table) ?? new Set();
    const has = (right: string) =>
      row.privileges.includes(right) ||
      row.updatable.some((column) => right === `update (${column})`);
    for (const right of rights) if (!has(right)) missing.push(`${right} on ${row.table}`);
    if (row.isHidden && rights.size > 0) missing.push(`rows of ${row.table}`);
    const isPartition = !expected.has(row.table);
    for (const right of row.privileges) {
      // Who may read the records may read their partitions.
      if (!rights.has(right) && !(isPartition && right === 'select')) {
        surplus.push(`${right} on ${row.table}`);
      }
    }
    if (row.privileges.includes('update') || rights.has('update')) continue;
    for (const column of row.updatable) {
      const right = `update (${column})`;
      if (!rights.has(right)) surplus.push(`${right} on ${row.table}`);
    }
  }
  missing.push(...(await missingUses(store, kind, name)));
  return { role: role.name, isOwner: role.isOwner, missing, surplus };
}

/** The tables that roles.sql names, and the partitions of the access records. */
function readTables(store: Store, kind: RoleKind, name: string | null): Promise<TableRow[]> {
  return store.run(sql<TableRow>`
    select relname as "table",
      array(
        select privilege from unnest(${privileges}::text[]) as privilege
        where has_table_privilege(role.oid, pg_class.oid, privilege)
      ) as privileges,
      array(
        select attname::text from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped
          and has_column_privilege(role.oid, pg_class.oid, attnum, 'update')
        order by attnum
      ) as updatable,
      relrowsecurity and not (rolsuper or rolbypassrls)
        and (relforcerowsecurity or not pg_has_role(role.oid, relowner, 'usage')) and not exists (
        select from pg_policy
        where polrelid = pg_class.oid and polname = any(${policiesOf[kind]}::text[])
          and (polname <> 'of_everyone'
            or current_setting('portfolio_access.everyone', true) = 'on')
          and exists (
            select from unnest(polroles) as seeing where pg_has_role(role.oid, seeing, 'usage')
          )
      ) as "isHidden"
    from pg_class join pg_roles as role on role.rolname = coalesce(${name}, current_user)
    where relnamespace = to_regnamespace(quote_ident(current_schema())) and relkind in ('r', 'p', 'v')
      and (relname = any(${tables}::text[]) or relname ~ '^access_record_\\d{4}_\\d{2}_\\d{2}$')
    order by relname`);
}

/** The functions and sequences that the role should be able to use and is not. */
async function missingUses(store: Store, kind: RoleKind, role: string | null): Promise<string[]> {
  const given = grantsTo(kind);
  const rows = await store.run(sql<{ use: string }>`
    select 'execute on ' || name as use
    from unnest(${namesOf('function', given)}::text[]) as name
    where has_function_privilege(coalesce(${role}, current_user), to_regprocedure(name), 'execute')
      is not true
    union all
    select 'usage on ' || name from unnest(${namesOf('sequence', given)}::text[]) as name
    where has_sequence_privilege(coalesce(${role}, current_user), to_regclass(name), 'usage')
      is not true`);
  return rows.map(({ use }) => use);
}

interface Role {
  readonly name: string;
  readonly isOwner: boolean;
  /** Rights beyond those of tables that it should not have. */
  readonly surplus: readonly string[];
  /** The roles whose place it can take, and so can whatever gets into its statements. */
  readonly memberOf: readonly string[];
}

async function readRole(store: Store, name: string | null): Promise<Role> {
  const role = await store.first(sql<Role>`
    select rolname as name,
      rolsuper or exists (
        select from pg_class
        where relnamespace = to_regnamespace(quote_ident(current_schema()))
          and relname = any(${tables}::text[]) and pg_has_role(pg_roles.oid, relowner, 'usage')
      ) as "isOwner",
      array_remove(array[
        case when rolsuper then 'superuser' end,
        case when rolcreaterole then 'createrole' end,
        case when rolcreatedb then 'createdb' end,
        case when rolreplication then 'replication' end,
        case when rolbypassrls then 'bypassrls' end,
        case when has_schema_privilege(pg_roles.oid, current_schema(), 'create') then 'create in the schema' end,
        case when has_database_privilege(pg_roles.oid, current_database(), 'create')
          then 'create in the database' end
      ], null) as surplus,
      array(
        select roleid::regrole::text from pg_auth_members where member = pg_roles.oid order by 1
      ) as "memberOf"
    from pg_roles where rolname = coalesce(${name}, current_user)`);
  if (role === null) throw new Error('the role is not there');
  return role;
}

const kinds: readonly RoleKind[] = ['service', 'background', 'operator'];

/**
 * The roles of roles.sql under whatever names, when they lack rights. Who is not the owner and may read companies is one
 * of them; which one, the policies tell once roles.sql has been run.
 */
export async function findOutdatedRoles(store: Store): Promise<Partial<RoleNames> | null> {
  const found = await store.first(sql<Record<RoleKind, string | null> & { isAnyThere: boolean }>`
    with company as (
      select relowner as owner, relacl from pg_class where oid = to_regclass('company')
    ), seeing as (
      select polname as policy, role from company, pg_policy, unnest(polroles) as role
      where polrelid = to_regclass('company') and role <> owner
    ), background as (select role from seeing where policy = 'of_background')
    select
      exists (
        select from company, aclexplode(relacl) where grantee <> owner
      ) as "isAnyThere",
      (select role::regrole::text from seeing where policy = 'of_scope' limit 1) as service,
      (select role::regrole::text from background limit 1) as background,
      (select member::regrole::text from company, pg_auth_members
        where roleid in (select role from background) and member <> owner
        order by 1 limit 1) as operator`);
  if (!found?.isAnyThere) return null;
  let isOutdated = false;
  const names: { -readonly [Kind in RoleKind]?: string } = {};
  for (const kind of kinds) {
    const name = found[kind];
    if (name !== null) names[kind] = name;
    isOutdated ||= name === null || (await compareRights(store, kind, name)).missing.length > 0;
  }
  return isOutdated ? names : null;
}
