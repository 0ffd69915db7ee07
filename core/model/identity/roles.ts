import { AccessError } from '../errors.ts';
import type { Owner } from './owner.ts';

/** What the people of a company are there, each with what those before it may do, too. */
export const companyRoles = ['viewer', 'approver', 'admin'] as const;

export type CompanyRole = (typeof companyRoles)[number];

/** The same at an investor. */
export const investorRoles = ['viewer', 'member', 'admin'] as const;

export type InvestorRole = (typeof investorRoles)[number];

export type Role = CompanyRole | InvestorRole;

/** The roles of one side. */
export const rolesOf = (owner: Owner): readonly Role[] =>
  'companyId' in owner ? companyRoles : investorRoles;

/** Whether a text is one of the roles of that side. */
export const isRoleOf = (owner: Owner, text: string): text is Role =>
  (rolesOf(owner) as readonly string[]).includes(text);

/** What the people of a company can be allowed to do there, and the least of the roles that may. */
const leastAtCompany = {
  see: 'viewer',
  decide: 'approver',
  manage_people: 'admin',
  manage_keys: 'admin',
  manage_webhooks: 'admin',
  bring_data: 'admin',
} as const satisfies Record<string, CompanyRole>;

/** The same at an investor. Who sees reads what companies grant, too. */
const leastAtInvestor = {
  see: 'viewer',
  ask: 'member',
  manage_people: 'admin',
  manage_keys: 'admin',
  manage_webhooks: 'admin',
} as const satisfies Record<string, InvestorRole>;

export type CompanyPermission = keyof typeof leastAtCompany;
export type InvestorPermission = keyof typeof leastAtInvestor;
export type Permission = CompanyPermission | InvestorPermission;

/** The least role that may do it, on the side of the owner; null: nobody there. */
export function leastRole(owner: Owner, permission: Permission): Role | null {
  const least: Readonly<Partial<Record<Permission, Role>>> =
    'companyId' in owner ? leastAtCompany : leastAtInvestor;
  return least[permission] ?? null;
}

/** A person of a company or an investor. */
type Person = Owner & { readonly role: Role };

/** Whether the person's role is enough for it. */
export function may(person: Person, permission: Permission): boolean {
  const least = leastRole(person, permission);
  const roles = rolesOf(person);
  return least !== null && roles.indexOf(person.role) >= roles.indexOf(least);
}

/** @throws AccessError `insufficient_role`, naming the role that it takes */
export function requirePermission(person: Person, permission: Permission): void {
  if (may(person, permission)) return;
  const needed = leastRole(person, permission);
  throw new AccessError('insufficient_role', {
    ...(needed !== null && { message: `This takes the role ${needed}; yours is ${person.role}.` }),
  });
}
