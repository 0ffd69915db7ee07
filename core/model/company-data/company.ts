import type { CompanyAccess } from '../consent/access-policy.ts';
import type { GrantableScope } from '../consent/scopes.ts';
import type { AccessTerms } from '../consent/terms.ts';
import type { Environment } from '../identity/investor.ts';

export interface Company {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly createdAt: Date;
  /** Set while the company is suspended. Then no caller can read its data, and its contacts and keys can't act. */
  readonly suspendedAt: Date | null;
}

export interface PortfolioCompany {
  readonly id: string;
  readonly name: string;
  readonly access: CompanyAccess;
  /** True while the company pauses the grant. No read is allowed meanwhile. */
  readonly isAccessPaused: boolean;
  /** Null unless access is approved. */
  readonly grant: {
    readonly approvedScopes: readonly GrantableScope[];
    readonly terms: AccessTerms | null;
    readonly expiresAt: Date;
  } | null;
  readonly newestRequestId: string | null;
}

const companyIdPattern = /^co_[0-9A-Za-z_-]{1,64}$/;

/** Returns true for the reserved IDs of sandbox companies, which answer access requests automatically. */
export function isSandboxCompany(id: string): boolean {
  return id.startsWith('co_test_');
}

/** Returns true if the text has the form of a company ID. Other texts need no lookup in the database. */
export function isCompanyId(text: string): boolean {
  return companyIdPattern.test(text);
}
