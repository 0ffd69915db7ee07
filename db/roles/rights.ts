import { readFileSync } from 'node:fs';
import { type Store, sql } from '../store.ts';

const text = readFileSync(new URL('roles.sql', import.meta.url), 'utf8');

/** The roles of roles.sql. */
export interface RoleNames {
  readonly service: string;
  readonly operator: string;
}

export type RoleKind = keyof RoleNames;

/** The statements that make the roles and give them their rights. The names must need no quotes in SQL. */
export function rolesSql({ service, operator }: RoleNames): string {
  return text
    .replaceAll('portfolio_access_service', service)
    .replaceAll('portfolio_access_operator', operator);
}

/** The rights of a role as against those that it should have, each in words like `insert on access_record`. */
export interface RoleRights {
  readonly role: string;
  /** Whether it may change the schema, as an owner of it or above every rule. */
  readonly isOwner: boolean;
  readonly missing: readonly string[];
  readonly surplus: readonly string[];
}

const privileges = ['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger'];

type Rights = Map<string, Set<string>>;

/** A statement of roles.sql: what is granted, on what kind of thing, and its names. */
interface Grant {
  readonly what: string;
  readonly kind: 'table' | 'function' | 'sequence';
  readonly names: readonly string[];
  readonly role: string;
}

const grants: readonly Grant[] = [
  ...text.matchAll(/^grant (.+) on (?:(function|sequence) )?(.+) to portfolio_access_(\w+);$/gm),
].map(([, what = '', kind = 'table', names = '', role = '']) => ({
  what,
  kind: kind as Grant['kind'],
  names: names.split(', '),
  role,
}));

const namesOf = (kind: Grant['kind'], of: readonly Grant[] = grants) => [
  ...new Set(of.filter((grant) => grant.kind === kind).flatMap(({ names }) => names)),
];

/** Every table that a role has a right to. */
const tables = namesOf('table');

/** The operator may do whatever the service may. */
const grantsTo = (kind: RoleKind) =>
  grants.filter(({ role }) => role === 'service' || role === kind);

/** What a kind of role may do with each table: privileges, and columns that may be updated as `update (column)`. */
function expectedRights(kind: RoleKind): Rights {
  const rights: Rights = new Map(tables.map((table) => [table, new Set<string>()]));
  for (const { what, names } of grantsTo(kind).filter((grant) => grant.kind === 'table')) {
    for (const name of names) for (const right of rightsIn(what)) rights.get(name)?.add(right);
  }
  return rights;
}

/** `insert, update (a, b)` is `insert`, `update (a)` and `update (b)`. */
function rightsIn(what: string): string[] {
  return [...what.matchAll(/(\w+)(?: \(([^)]*)\))?/g)].flatMap(([, privilege = '', columns]) =>
    columns === undefined
      ? [privilege]
      : columns.split(', ').map((column) => `${privilege} (${column})`),
  );
}

interface TableRow {
  readonly table: string;
  readonly privileges: readonly string[];
  readonly updatable: readonly string[];
}

/** What the role of this connection may do in the schema, beside what a kind of role should be able to. */
export async function compareRights(store: Store, kind: RoleKind): Promise<RoleRights> {
  const [rows, role] = await Promise.all([readTables(store), readRole(store)]);
  const missing: string[] = [];
  const surplus: string[] = [...role.surplus];
  const expected = expectedRights(kind);
  for (const row of rows) {
    const rights = expected.get(row.table) ?? new Set();
    const has = (right: string) =>
      row.privileges.includes(right) ||
      row.updatable.some((column) => right === `update (${column})`);
    for (const right of rights) if (!has(right)) missing.push(`${right} on ${row.table}`);
    const isPart = !expected.has(row.table);
    for (const right of row.privileges) {
      // Who may read the records may read their parts.
      if (!rights.has(right) && !(isPart && right === 'select')) {
        surplus.push(`${right} on ${row.table}`);
      }
    }
    if (row.privileges.includes('update') || rights.has('update')) continue;
    for (const column of row.updatable) {
      const right = `update (${column})`;
      if (!rights.has(right)) surplus.push(`${right} on ${row.table}`);
    }
  }
  missing.push(...(await missingUses(store, kind)));
  return { role: role.name, isOwner: role.isOwner, missing, surplus };
}

/** The tables that roles.sql names, and the parts of the access records. */
function readTables(store: Store): Promise<TableRow[]> {
  return store.run(sql<TableRow>`
    select relname as "table",
      array(
        select privilege from unnest(${privileges}::text[]) as privilege
        where has_table_privilege(pg_class.oid, privilege)
      ) as privileges,
      array(
        select attname::text from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped
          and has_column_privilege(pg_class.oid, attnum, 'update')
        order by attnum
      ) as updatable
    from pg_class
    where relnamespace = to_regnamespace(quote_ident(current_schema())) and relkind in ('r', 'p', 'v')
      and (relname = any(${tables}::text[]) or relname ~ '^access_record_\\d{4}_\\d{2}(_\\d{2})?$')
    order by relname`);
}

/** The functions and sequences that the role should be able to use and is not. */
async function missingUses(store: Store, kind: RoleKind): Promise<string[]> {
  const given = grantsTo(kind);
  const rows = await store.run(sql<{ use: string }>`
    select 'execute on ' || name as use
    from unnest(${namesOf('function', given)}::text[]) as name
    where has_function_privilege(to_regprocedure(name), 'execute') is not true
    union all
    select 'usage on ' || name from unnest(${namesOf('sequence', given)}::text[]) as name
    where has_sequence_privilege(to_regclass(name), 'usage') is not true`);
  return rows.map(({ use }) => use);
}

interface Role {
  readonly name: string;
  readonly isOwner: boolean;
  /** What no table is needed for. */
  readonly surplus: readonly string[];
}

async function readRole(store: Store): Promise<Role> {
  const role = await store.first(sql<Role>`
    select rolname as name,
      rolsuper or exists (
        select from pg_class
        where relnamespace = to_regnamespace(quote_ident(current_schema()))
          and relname = any(${tables}::text[]) and pg_has_role(relowner, 'usage')
      ) as "isOwner",
      array_remove(array[
        case when rolsuper then 'superuser' end,
        case when rolcreaterole then 'createrole' end,
        case when rolcreatedb then 'createdb' end,
        case when rolreplication then 'replication' end,
        case when rolbypassrls then 'bypassrls' end,
        case when has_schema_privilege(current_schema(), 'create') then 'create in the schema' end,
        case when has_database_privilege(current_database(), 'create')
          then 'create in the database' end
      ], null) as surplus
    from pg_roles where rolname = current_user`);
  if (role === null) throw new Error('the role of a connection has a row');
  return role;
}
