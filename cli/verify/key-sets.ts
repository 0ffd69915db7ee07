import type { JwkSet } from '#verify';
import { fetchJson } from './fetch.ts';
import { isObject } from './json-document.ts';

/**
 * @param namedUrl the key set's URL in the value, if it has one
 * @returns an error message if the URL can't be used
 */
export type FindKeys = (namedUrl: unknown) => Promise<JwkSet | string>;

const jwksPath = '/.well-known/jwks.json';
/** One origin can have several services under different paths, each with its own key set. */
const maxAddresses = 10;

export function createFixedKeySet(jwks: unknown): FindKeys {
  if (!isObject(jwks) || !Array.isArray(jwks.keys)) {
    throw new Error('the given file isn’t a JWK Set: the list "keys" is missing');
  }
  const set = { keys: jwks.keys };
  return () => Promise.resolve(set);
}

/**
 * Trusts only these origins, because a forged metric can name the forger's own key set. A value without a URL, such as
 * a receipt, is verified with the key set of the first origin.
 */
export function keysOfOrigins(
  origins: readonly [string, ...string[]],
  signal: AbortSignal,
): FindKeys {
  const sets = new Map<string, Promise<JwkSet>>();
  const load = async (url: string) => {
    const { body } = await fetchJson(url, { signal });
    return createFixedKeySet(body)(null) as Promise<JwkSet>;
  };
  return async (namedUrl) => {
    const url = namedUrl === undefined || namedUrl === null ? origins[0] + jwksPath : namedUrl;
    if (typeof url !== 'string' || !isTrusted(url, origins)) {
      return `it names the keys at ${JSON.stringify(url)}, which is not trusted: use --jwks, or --trust with an origin that you trust`;
    }
    if (sets.size >= maxAddresses && !sets.has(url)) return 'the input names too many key sets';
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
