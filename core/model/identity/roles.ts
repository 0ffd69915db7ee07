import type { Owner } from './owner.ts';

/** What the people of a company may do there: see, also decide, also manage. Each role may do what those before it may. */
export const companyRoles = ['viewer', 'approver', 'admin'] as const;

export type CompanyRole = (typeof companyRoles)[number];

/** What the people of an investor may do there: see and read, also ask, also manage. */
export const investorRoles = ['viewer', 'member', 'admin'] as const;

export type InvestorRole = (typeof investorRoles)[number];

export type Role = CompanyRole | InvestorRole;

/** The roles of one side. */
export const rolesOf = (owner: Owner): readonly Role[] =>
  'companyId' in owner ? companyRoles : investorRoles;
