import { type Store, sql } from '../connections/store.ts';
import { expectedRights, policiesOf, type RoleKind, type RoleNames } from './expected-rights.ts';

/** The difference between actual and expected rights, for example `insert on access_record`. */
export interface RoleRights {
  readonly role: string;
  /** True if the role owns the schema or is a superuser. */
  readonly isOwner: boolean;
  readonly missing: readonly string[];
  readonly surplus: readonly string[];
}

/** @param name by default the role of the connection */
export async function compareRights(
  store: Store,
  kind: RoleKind,
  name: string | null = null,
): Promise<RoleRights> {
  const [granted, role, hidden] = await Promise.all([
    readRights(store, name),
    readRole(store, name),
    readPolicies(store, kind, name),
  ]);
  const expected = expectedRights(kind);
  const missing = [...expected].filter((right) => !covers(granted, right));
  missing.push(...hidden.flatMap(({ table, lack }) => (isUsed(expected, table) ? lack : [])));
  const surplus = [
    ...role.surplus,
    ...(kind === 'service' ? role.memberOf.map((other) => `membership of ${other}`) : []),
    // The right to read access records includes the right to read their partitions. Rights on functions are ignored,
    // because every role may call most functions.
    ...[...granted].filter(
      (right) =>
        !right.startsWith('execute on ') &&
        !covers(expected, right.replace(/^(select on access_record)_\d.*/, '$1')),
    ),
  ];
  return { role: role.name, isOwner: role.isOwner, missing, surplus };
}

/** A right on a table includes the right on its columns. */
const covers = (rights: ReadonlySet<string>, right: string) =>
  rights.has(right) || rights.has(right.replace(/ \(\w+\)/, ''));

const isUsed = (rights: ReadonlySet<string>, table: string) =>
  [...rights].some((right) => right.endsWith(` on ${table}`));

/** Returns the role's rights in the same form as `expectedRights`. */
async function readRights(store: Store, name: string | null): Promise<ReadonlySet<string>> {
  const rows = await store.run(sql<{ right: string }>`
    with role as materialized (
      select oid from pg_roles where rolname = coalesce(${name}, current_user)
    ), grantee as materialized (
      select 0::oid as oid
      union all select pg_roles.oid from pg_roles, role where pg_has_role(role.oid, pg_roles.oid, 'usage')
    ), thing as materialized (
      select oid, relname, coalesce(relacl, acldefault('r', relowner)) as acl from pg_class
      where relnamespace = to_regnamespace(quote_ident(current_schema())) and relkind in ('r', 'p', 'v')
    ), granted (words, grantee) as (
      select privilege_type || ' on ' || relname, acl.grantee from thing, aclexplode(acl) as acl
      union all
      select format('%s (%s) on %s', privilege_type, attname, relname), acl.grantee
      from thing join pg_attribute on attrelid = thing.oid and not attisdropped,
        aclexplode(attacl) as acl
      union all
      select 'execute on ' || pg_proc.oid::regprocedure, acl.grantee
      from pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) as acl
      where pronamespace = to_regnamespace(quote_ident(current_schema()))
    )
    select distinct regexp_replace(words, '^\\w+', lower(substring(words from '^\\w+'))) as right
    from granted join grantee on grantee.oid = granted.grantee
    where words !~ '^MAINTAIN '
    union all
    select 'usage on the schema' from role
    where has_schema_privilege(role.oid, current_schema(), 'usage')`);
  return new Set(rows.map(({ right }) => right));
}

/**
 * Returns what the role lacks, by table. `rows of T` means that no expected policy shows rows of T to the role.
 * `policy P on T` means that the restrictive policy P should apply to the role but doesn't.
 */
function readPolicies(store: Store, kind: RoleKind, name: string | null) {
  return store.run(sql<{ table: string; lack: string }>`
    with bound as materialized (
      select pg_class.oid, relname, role.oid as role,
        relforcerowsecurity or not pg_has_role(role.oid, relowner, 'usage') as is_bound
      from pg_class join pg_roles as role on role.rolname = coalesce(${name}, current_user)
      where relnamespace = to_regnamespace(quote_ident(current_schema())) and relrowsecurity
        and not (rolsuper or rolbypassrls)
    ), policy as (
      select polrelid, polname, polpermissive, exists (
        select from bound, unnest(polroles) as one
        where bound.oid = polrelid and pg_has_role(bound.role, one, 'usage')
      ) as is_of_role
      from pg_policy
    )
    select relname as "table", 'rows of ' || relname as lack from bound
    where is_bound and not exists (
      select from policy
      where polrelid = bound.oid and is_of_role and polname = any(${policiesOf[kind]}::text[])
        and (polname <> 'of_everyone' or current_setting('portfolio_access.everyone', true) = 'on'))
    union all
    select relname, format('policy %s on %s', polname, relname)
    from bound join policy on polrelid = bound.oid
    where not polpermissive and not is_of_role
    order by 1, 2`);
}

interface Role {
  readonly name: string;
  readonly isOwner: boolean;
  readonly surplus: readonly string[];
  /**
   * The other roles that the role belongs to. Injected SQL could switch to these roles. Excludes roles without rights
   * in this database, for example `rds_iam`, with which a provider chooses the authentication.
   */
  readonly memberOf: readonly string[];
}

async function readRole(store: Store, name: string | null): Promise<Role> {
  const role = await store.first(sql<Role>`
    select rolname as name,
      rolsuper or exists (
        select from pg_class
        where relnamespace = to_regnamespace(quote_ident(current_schema()))
          and relname = 'company' and pg_has_role(pg_roles.oid, relowner, 'usage')
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
        select roleid::regrole::text from pg_auth_members
        where member = pg_roles.oid and exists (
          select from pg_roles as granted
          where pg_has_role(roleid, granted.oid, 'member') and (
            rolname like 'pg\\_%' or rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
            or exists (
              select from pg_shdepend
              where refclassid = 'pg_authid'::regclass and refobjid = granted.oid
                and dbid in (0, (select oid from pg_database where datname = current_database()))
            )
          )
        )
        order by 1
      ) as "memberOf"
    from pg_roles where rolname = coalesce(${name}, current_user)`);
  if (role === null) throw new Error("the role doesn't exist");
  return role;
}

const kinds: readonly RoleKind[] = ['service', 'background', 'operator'];

/**
 * Finds the service, background and operator roles by their policies on `company`, because the roles can have any name.
 * Returns the names if a role lacks rights, otherwise null. Two roles can be members of the background role: the
 * operator role, which may insert companies, and from PostgreSQL 16 on the administrator who created the roles.
 */
export async function findOutdatedRoles(store: Store): Promise<Partial<RoleNames> | null> {
  const found = await store.first(sql<Record<RoleKind, string | null> & { hasRoles: boolean }>`
    with company as (
      select relowner as owner, relacl from pg_class where oid = to_regclass('company')
    ), adding as (
      select grantee from company, aclexplode(relacl)
      where privilege_type = 'INSERT' and grantee not in (0, owner)
    ), seeing as (
      select polname as policy, role from company, pg_policy, unnest(polroles) as role
      where polrelid = to_regclass('company') and role <> owner
    ), background as (select role from seeing where policy = 'of_background')
    select
      exists (
        select from company, aclexplode(relacl) where grantee <> owner
      ) as "hasRoles",
      (select role::regrole::text from seeing where policy = 'of_scope' limit 1) as service,
      (select role::regrole::text from background limit 1) as background,
      (select member::regrole::text from company, pg_auth_members
        where roleid in (select role from background) and member in (select grantee from adding)
        order by 1 limit 1) as operator`);
  if (!found?.hasRoles) return null;
  let isOutdated = false;
  const names: { -readonly [Kind in RoleKind]?: string } = {};
  for (const kind of kinds) {
    const name = found[kind];
    if (name !== null) names[kind] = name;
    isOutdated ||= name === null || (await compareRights(store, kind, name)).missing.length > 0;
  }
  return isOutdated ? names : null;
}
