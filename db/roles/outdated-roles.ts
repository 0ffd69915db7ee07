import { type Store, sql } from '../store.ts';
import type { RoleKind, RoleNames } from './expected-rights.ts';
import { compareRights } from './rights.ts';

interface Found {
  readonly isAnyThere: boolean;
  readonly service: string | null;
  readonly background: string | null;
  readonly operator: string | null;
}

const kinds: readonly RoleKind[] = ['service', 'background', 'operator'];

/**
 * The roles of roles.sql under whatever names, when they lack rights. Who is not the owner and may read companies is one
 * of them; which one, the policies tell once roles.sql has been run.
 */
export async function findOutdatedRoles(store: Store): Promise<Partial<RoleNames> | null> {
  const found = await store.first(sql<Found>`
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
