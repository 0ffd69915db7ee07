import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('roles.sql', import.meta.url), 'utf8');

export interface RoleNames {
  readonly service: string;
  readonly background: string;
  readonly operator: string;
}

export type RoleKind = keyof RoleNames;

/** Returns the SQL that creates the roles and grants their rights. Role names must not need quotes. */
export function rolesSql({ service, background, operator }: RoleNames): string {
  return text
    .replaceAll('portfolio_access_service', service)
    .replaceAll('portfolio_access_background', background)
    .replaceAll('portfolio_access_operator', operator);
}

/** The policies that show rows to each role. `of_everyone` needs the setting `portfolio_access.everyone`. */
export const policiesOf: Readonly<Record<RoleKind, readonly string[]>> = {
  service: ['of_scope', 'of_background'],
  background: ['of_background', 'of_everyone'],
  operator: ['of_background', 'of_everyone'],
};

/** Returns the rights that roles.sql grants, such as `insert (id) on mail`. Adds inherited rights of the operator. */
export function expectedRights(kind: RoleKind): ReadonlySet<string> {
  const rights = new Set(['usage on the schema']);
  const grants = text.matchAll(/^grant (.+) on (?:function )?(.+) to (portfolio_access_.+);$/gm);
  for (const [, what = '', names = '', roles = ''] of grants) {
    const isOperatorsToo = kind === 'operator' && roles.includes('background');
    if (!roles.includes(kind) && !isOperatorsToo) continue;
    for (const name of names.split(', '))
      for (const right of rightsIn(what)) rights.add(`${right} on ${name}`);
  }
  return rights;
}

/** Splits `insert, update (a, b)` into `insert`, `update (a)` and `update (b)`. */
function rightsIn(what: string): string[] {
  return [...what.matchAll(/(\w+)(?: \(([^)]*)\))?/g)].flatMap(([, privilege = '', columns]) =>
    columns === undefined
      ? [privilege]
      : columns.split(', ').map((column) => `${privilege} (${column})`),
  );
}
