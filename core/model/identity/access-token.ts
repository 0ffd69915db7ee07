import type { VersionedAccessFacts } from '../consent/access-policy.ts';
import { earlierOf } from '../time.ts';
import type { KeyValidity } from './key-state.ts';

/** A token from the authorization server. It replaces an API key for a limited time, and can have fewer scopes. */
export interface AccessToken {
  readonly keyId: string;
  /** Scopes that the API key doesn't have are ignored. */
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
}

const tokenPattern = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Returns true if the credential has the form of a JWT. */
export const isTokenShaped = (credential: string): boolean => tokenPattern.test(credential);

/** Limits the key to the scopes and the expiry of the token. */
export function withinToken<
  Scope extends string,
  K extends Pick<KeyValidity, 'expiresAt'> & { readonly scopes: readonly Scope[] },
>(key: K, token: AccessToken | undefined): K {
  if (token === undefined) return key;
  return {
    ...key,
    scopes: key.scopes.filter((scope) => token.scopes.includes(scope)),
    expiresAt: earlierOf(key.expiresAt ?? token.expiresAt, token.expiresAt),
  };
}

export const factsWithinToken = <Facts extends VersionedAccessFacts | null>(
  facts: Facts,
  token: AccessToken | undefined,
): Facts => (facts?.key && token ? { ...facts, key: withinToken(facts.key, token) } : facts);
