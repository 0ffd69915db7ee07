import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('roles.sql', import.meta.url), 'utf8');

/** The roles of roles.sql. */
export interface RoleNames {
  readonly service: string;
  readonly background: string;
  readonly operator: string;
}

export type RoleKind = keyof RoleNames;

/** The statements that make the roles and give them their rights. The names must need no quotes in SQL. */
export function rolesSql({ service, background, operator }: RoleNames): string {
  return text
    .replaceAll('portfolio_access_service', service)
    .replaceAll('portfolio_access_background', background)
    .replaceAll('portfolio_access_operator', operator);
}

export type Rights = Map<string, Set<string>>;

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

export const namesOf = (kind: Grant['kind'], of: readonly Grant[] = grants) => [
  ...new Set(of.filter((grant) => grant.kind === kind).flatMap(({ names }) => names)),
];

/** Every table that a role has a right to. */
export const tables = namesOf('table');

/** The operator may do whatever the background work may. */
export const grantsTo = (kind: RoleKind) =>
  grants.filter(({ role }) => role === kind || (kind === 'operator' && role === 'background'));

/** The policies by which a kind of role sees rows. An owner has those that say whom he works for. */
export const policiesOf: Readonly<Record<RoleKind, readonly string[]>> = {
  service: ['of_scope', 'of_background'],
  background: ['of_background', 'of_everyone'],
  operator: ['of_background', 'of_everyone'],
};

/** What a kind of role may do with each table: privileges, and columns that may be updated as `update (column)`. */
export function expectedRights(kind: RoleKind): Rights {
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
