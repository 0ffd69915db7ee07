import type { Scope } from '../consent/scopes.ts';
import type { Environment } from './investor.ts';
import type { Key } from './key-state.ts';

export interface ApiKey extends Key {
  readonly investorId: string;
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  /** The rate limit, in points per time window. Null means the default of the service. */
  readonly rateLimit: number | null;
}

export type CallingKey = Pick<
  ApiKey,
  'id' | 'investorId' | 'environment' | 'scopes' | 'rateLimit' | 'expiresAt' | 'revokedAt'
>;

export const apiKeyPrefix = (environment: Environment) => `svc_sk_${environment}_`;

const keyPattern = /^svc_sk_(?:live|test)_[0-9A-Za-z]{32}$/;

/** Returns true if the credential has the form of an API key. Other credentials need no lookup in the database. */
export function isWellFormedKey(credential: string): boolean {
  return keyPattern.test(credential);
}
