import type { VersionedAccessFacts } from '../consent/access-policy.ts';
import { earlierOf } from '../time.ts';
import type { KeyValidity } from './key-state.ts';

/** What a token of the authorization server allows: a part of what its API key may, for a time. */
export interface AccessToken {
  /** The id of the API key in whose place it stands. */
  readonly keyId: string;
  /** As the token names them; those that its key lacks count for nothing. */
  readonly scopes: readonly string[];
  /** The first instant at which it no longer works. */
  readonly expiresAt: Date;
}

const tokenPattern = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Whether a credential has the form of a JWT at all. */
export const isTokenShaped = (credential: string): boolean => tokenPattern.test(credential);

/** What is left of a key, as it is now, in the hands of whoever calls with a token in its place. */
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

/** The access facts of a key, with no more of the key than the token leaves. */
export const factsWithinToken = <Facts extends VersionedAccessFacts | null>(
  facts: Facts,
  token: AccessToken | undefined,
): Facts => (facts?.key && token ? { ...facts, key: withinToken(facts.key, token) } : facts);
