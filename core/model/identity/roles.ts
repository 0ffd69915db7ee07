import { AccessError } from '../errors.ts';
import type { Owner } from './owner.ts';

/** The roles at a company. Each role includes the permissions of the roles before it. */
export const companyRoles = ['viewer', 'approver', 'admin'] as const;

export type CompanyRole = (typeof companyRoles)[number];

/** The roles at an investor. Each role includes the permissions of the roles before it. */
export const investorRoles = ['viewer', 'member', 'admin'] as const;

export type InvestorRole = (typeof investorRoles)[number];

export type Role = CompanyRole | InvestorRole;

export const rolesOf = (owner: Owner): readonly Role[] =>
  'companyId' in owner ? companyRoles : investorRoles;

export const isRoleOf = (owner: Owner, text: string): text is Role =>
  (rolesOf(owner) as readonly string[]).includes(text);

/** The lowest role for each permission at a company. */
const lowestAtCompany = {
  see: 'viewer',
  decide: 'approver',
  manage_people: 'admin',
  manage_keys: 'admin',
  manage_webhooks: 'admin',
  enter_data: 'admin',
  set_approval_rule: 'admin',
} as const satisfies Record<string, CompanyRole>;

/** The lowest role for each permission at an investor. Every role can also read granted data. */
const lowestAtInvestor = {
  see: 'viewer',
  ask: 'member',
  manage_people: 'admin',
  manage_keys: 'admin',
  manage_webhooks: 'admin',
} as const satisfies Record<string, InvestorRole>;

export type CompanyPermission = keyof typeof lowestAtCompany;
export type InvestorPermission = keyof typeof lowestAtInvestor;
export type Permission = CompanyPermission | InvestorPermission;

/** Returns the lowest role with the permission. Returns null if this kind of owner has no such permission. */
export function leastRole(owner: Owner, permission: Permission): Role | null {
  const least: Readonly<Partial<Record<Permission, Role>>> =
    'companyId' in owner ? lowestAtCompany : lowestAtInvestor;
  return least[permission] ?? null;
}

type Person = Owner & { readonly role: Role };

export function hasPermission(person: Person, permission: Permission): boolean {
  const least = leastRole(person, permission);
  const roles = rolesOf(person);
  return least !== null && roles.indexOf(person.role) >= roles.indexOf(least);
}

export const canDecide = (role: Role): boolean => hasPermission({ companyId: '', role }, 'decide');

/** @throws AccessError `insufficient_role` with the required role */
export function requirePermission(person: Person, permission: Permission): void {
  if (hasPermission(person, permission)) return;
  const needed = leastRole(person, permission);
  throw new AccessError('insufficient_role', {
    ...(needed !== null && {
      message: `This needs the role ${needed}. Your role is ${person.role}.`,
    }),
  });
}
