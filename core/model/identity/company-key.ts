import type { Environment } from './investor.ts';
import type { Key } from './key-state.ts';

/** The scopes of a company key: decide about access, read the company's own data, push data. */
export const companyScopes = ['consents:manage', 'data:read', 'data:write'] as const;

export type CompanyScope = (typeof companyScopes)[number];

/** With the default scopes, a key can't push data. */
export const defaultCompanyScopes: readonly CompanyScope[] = ['consents:manage', 'data:read'];

export function isCompanyScope(text: string): text is CompanyScope {
  return (companyScopes as readonly string[]).includes(text);
}

/**
 * Returns the rate limit bucket that counts the points of a key. Keys without the scope `consents:manage` have a
 * separate bucket. So a faulty program that pushes too often can't prevent the company from revoking access.
 */
export const budgetOf = ({
  companyId,
  scopes,
}: Pick<CompanyKey, 'companyId' | 'scopes'>): string =>
  scopes.includes('consents:manage') ? companyId : `${companyId} data`;

export interface CompanyKey extends Key {
  readonly companyId: string;
  readonly environment: Environment;
  readonly scopes: readonly CompanyScope[];
  /** The key can push only records with this `source.system`. Null means any source. */
  readonly source: string | null;
}

export type CallingCompanyKey = Pick<
  CompanyKey,
  'id' | 'companyId' | 'environment' | 'scopes' | 'source' | 'expiresAt' | 'revokedAt'
>;

export const companyKeyPrefix = (environment: Environment) => `svc_ck_${environment}_`;

const keyPattern = /^svc_ck_(?:live|test)_[0-9A-Za-z]{32}$/;

export function isWellFormedCompanyKey(credential: string): boolean {
  return keyPattern.test(credential);
}
