import type { JwkSet } from '#verify';
import { fetchJson } from './fetch.ts';
import { isObject } from './json-document.ts';

/**
 * Returns the keys for a signed value, by the URL that the value names, if any. Returns a message if the URL can't be
 * used.
 */
export type FindKeys = (namedUrl: unknown) => Promise<JwkSet | string>;

const jwksPath = '/.well-known/jwks.json';
/** A trusted origin has one key set, or one for each path under which a service is available. */
const maxAddresses = 10;

/** Uses one key set for everything. */
export function fixedKeySet(jwks: unknown): FindKeys {
  if (!isObject(jwks) || !Array.isArray(jwks.keys)) {
    throw new Error('the given file isn’t a JWK Set: the list "keys" is missing');
  }
  const set = { keys: jwks.keys };
  return () => Promise.resolve(set);
}

/**
 * Fetches key sets from the URLs that metrics name, but only from trusted origins. A forged metric can name the
 * forger's own key set. A value that names no URL, such as a receipt, uses the key set of the first origin.
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
