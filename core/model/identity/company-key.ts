import type { Environment } from './investor.ts';
import type { Key } from './key-state.ts';

/** The credential of a company, for its own side of every consent. It has no scopes: the company decides about its data. */
export interface CompanyKey extends Key {
  readonly companyId: string;
  readonly environment: Environment;
}

/** The part of a company key that admits its caller. */
export type CallingCompanyKey = Pick<
  CompanyKey,
  'id' | 'companyId' | 'environment' | 'expiresAt' | 'revokedAt'
>;

export const companyKeyPrefix = (environment: Environment) => `svc_ck_${environment}_`;

const keyPattern = /^svc_ck_(?:live|test)_[0-9A-Za-z]{32}$/;

/** Whether a credential has the form of a company key at all. */
export function isWellFormedCompanyKey(credential: string): boolean {
  return keyPattern.test(credential);
}
