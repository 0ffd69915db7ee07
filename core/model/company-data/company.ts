import type { CompanyAccess } from '../consent/access-policy.ts';
import type { GrantableScope } from '../consent/scopes.ts';
import type { Environment } from '../identity/investor.ts';

export interface Company {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly createdAt: Date;
  /** While it is not null, nobody reads the company, and nobody acts for it. */
  readonly suspendedAt: Date | null;
}

/** A company as one investor sees it. */
export interface PortfolioCompany {
  readonly id: string;
  readonly name: string;
  readonly access: CompanyAccess;
  /** Present while access is approved, and only then. */
  readonly grant: {
    readonly approvedScopes: readonly GrantableScope[];
    readonly expiresAt: Date;
  } | null;
  /** The investor's newest access request for the company, whatever became of it. */
  readonly newestRequestId: string | null;
}

const companyIdPattern = /^co_[0-9A-Za-z_-]{1,64}$/;

/** The companies that answer by themselves, in the test environment alone; their ids are reserved for them. */
export function isSandboxCompany(id: string): boolean {
  return id.startsWith('co_test_');
}

/** A malformed id belongs to no company, so nothing needs to be looked up for it. */
export function isCompanyId(text: string): boolean {
  return companyIdPattern.test(text);
}
