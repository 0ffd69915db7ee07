import type { VersionedAccessFacts } from '../consent/access-policy.ts';
import { earlierOf } from '../time.ts';
import type { KeyValidity } from './key-state.ts';

/** A token of the authorization server. It allows a part of its API key's scopes for a limited time. */
export interface AccessToken {
  /** The ID of the API key that the token represents. */
  readonly keyId: string;
  /** The token's scopes. Scopes that the key lacks have no effect. */
  readonly scopes: readonly string[];
  /** The token is invalid from this time on. */
  readonly expiresAt: Date;
}

const tokenPattern = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Returns true if a credential has the form of a JWT. */
export const isTokenShaped = (credential: string): boolean => tokenPattern.test(credential);

/** Returns the key limited to the token: fewer scopes and an earlier end. */
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

/** Returns the access facts with the key limited to the token. */
export const factsWithinToken = <Facts extends VersionedAccessFacts | null>(
  facts: Facts,
  token: AccessToken | undefined,
): Facts => (facts?.key && token ? { ...facts, key: withinToken(facts.key, token) } : facts);
