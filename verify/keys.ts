import { decode, encode } from 'jose/base64url';
import { importJWK } from 'jose/key/import';
import { refuse } from './failure.ts';
import { isObject, type JsonObject, readMember } from './json.ts';

/** A JWK Set (RFC 7517), as `JSON.parse` returns it. */
export interface JwkSet {
  readonly keys: readonly object[];
}

export async function findKey(jwks: unknown, kid: string) {
  const keys = isObject(jwks) ? readMember(jwks, 'keys') : undefined;
  if (!Array.isArray(keys)) {
    refuse('invalid_jwks', 'jwks isn’t a JWK Set: the list "keys" is missing');
  }
  const named = keys.filter(
    (key): key is JsonObject => isObject(key) && readMember(key, 'kid') === kid,
  );
  const [key] = named;
  if (key === undefined) refuse('unknown_key', `the key set has no key ${JSON.stringify(kid)}`);
  const x = readMember(key, 'x');
  if (named.some((other) => readMember(other, 'x') !== x)) {
    refuse('ambiguous_key', `the key set has different keys under ${JSON.stringify(kid)}`);
  }
  for (const each of named) checkKey(each);
  return importJWK({ kty: 'OKP', crv: 'Ed25519', x: x as string }, 'EdDSA');
}

/** RFC 9864 introduced `Ed25519` as a second name of the algorithm. Both names are accepted. */
export const isEd25519 = (alg: unknown): boolean => alg === 'EdDSA' || alg === 'Ed25519';

function checkKey(key: JsonObject): void {
  const member = (name: string) => readMember(key, name);
  const isAbsentOr = (name: string, value: string) =>
    member(name) === undefined || member(name) === value;
  const operations = member('key_ops');
  const flaw =
    (member('kty') !== 'OKP' || member('crv') !== 'Ed25519'
      ? 'it isn’t an Ed25519 key'
      : !isPublicKey(member('x')) && 'its x isn’t 32 bytes in base64url') ||
    // If a private key is published, anyone can sign with it, so its signatures prove nothing.
    (member('d') !== undefined && 'it is a private key') ||
    (!isAbsentOr('use', 'sig') && 'it isn’t for signatures') ||
    (member('alg') !== undefined &&
      !isEd25519(member('alg')) &&
      'it is for a different algorithm than EdDSA') ||
    (operations !== undefined &&
      !(Array.isArray(operations) && operations.includes('verify')) &&
      'it isn’t for verification');
  if (flaw !== false) refuse('unusable_key', `the key of the signature can’t be used: ${flaw}`);
}

function isPublicKey(x: unknown): boolean {
  return typeof x === 'string' && decodeBase64url(x)?.length === 32;
}

const base64urlPattern = /^[\w-]*$/;

/** Accepts only canonical base64url: without padding, spaces or unused bits. Returns null for other text. */
export function decodeBase64url(text: string): Uint8Array | null {
  if (!base64urlPattern.test(text) || text.length % 4 === 1) return null;
  const bytes = decode(text);
  return encode(bytes) === text ? bytes : null;
}
