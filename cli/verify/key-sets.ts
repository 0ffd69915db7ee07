import type { JwkSet } from '#verify';
import { fetchJson } from './fetch.ts';
import { isObject } from './json-document.ts';

/** The keys to verify something with, by the address that it names itself, if it does. */
export type FindKeys = (namedUrl: unknown) => Promise<JwkSet | string>;

const jwksPath = '/.well-known/jwks.json';
/** A trusted origin has one key set, or one for each path that a service is reached by. */
const maxAddresses = 10;

/** One key set for everything. */
export function fixedKeySet(jwks: unknown): FindKeys {
  if (!isObject(jwks) || !Array.isArray(jwks.keys)) {
    throw new Error('what was given as keys is no JWK Set: it has no list "keys"');
  }
  const set = { keys: jwks.keys };
  return () => Promise.resolve(set);
}

/**
 * The key sets at the addresses that metrics name, but only at origins that are trusted: whoever forges a metric can
 * name a key set of their own. What names none, as a receipt, is verified with that of the first origin.
 */
export function keysOfOrigins(
  origins: readonly [string, ...string[]],
  signal: AbortSignal,
): FindKeys {
  const sets = new Map<string, Promise<JwkSet>>();
  const load = async (url: string) => {
    const { body } = await fetchJson(url, { signal });
    return fixedKeySet(body)(null) as Promise<JwkSet>;
  };
  return async (namedUrl) => {
    const url = namedUrl === undefined || namedUrl === null ? origins[0] + jwksPath : namedUrl;
    if (typeof url !== 'string' || !isTrusted(url, origins)) {
      return `it names the keys at ${JSON.stringify(url)}, which is not trusted: give --jwks, or --trust with an origin that you trust`;
    }
    if (sets.size >= maxAddresses && !sets.has(url)) return 'too many key sets are named';
    const set = sets.get(url) ?? load(url);
    sets.set(url, set);
    return set;
  };
}

function isTrusted(text: string, origins: readonly string[]): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    origins.includes(url.origin) &&
    url.pathname.endsWith(jwksPath) &&
    url.search === '' &&
    url.username === '' &&
    url.password === ''
  );
}
