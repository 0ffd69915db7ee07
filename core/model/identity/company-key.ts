import type { Environment } from './investor.ts';
import type { Key } from './key-state.ts';

/** What a key of a company can be allowed to do: decide who reads its data, look at that data, and bring new data. */
export const companyScopes = ['consents:manage', 'data:read', 'data:write'] as const;

export type CompanyScope = (typeof companyScopes)[number];

/** What a key is allowed to do when nothing is said: not to change the data. */
export const defaultCompanyScopes: readonly CompanyScope[] = ['consents:manage', 'data:read'];

export function isCompanyScope(text: string): text is CompanyScope {
  return (companyScopes as readonly string[]).includes(text);
}

/** The credential of a company, for its own side of every consent and for its own data. */
export interface CompanyKey extends Key {
  readonly companyId: string;
  readonly environment: Environment;
  readonly scopes: readonly CompanyScope[];
  /** The one `source.system` that it brings data of; null: of any. */
  readonly source: string | null;
}

/** The part of a company key that admits its caller. */
export type CallingCompanyKey = Pick<
  CompanyKey,
  'id' | 'companyId' | 'environment' | 'scopes' | 'source' | 'expiresAt' | 'revokedAt'
>;

export const companyKeyPrefix = (environment: Environment) => `svc_ck_${environment}_`;

const keyPattern = /^svc_ck_(?:live|test)_[0-9A-Za-z]{32}$/;

/** Whether a credential has the form of a company key at all. */
export function isWellFormedCompanyKey(credential: string): boolean {
  return keyPattern.test(credential);
}
