import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { z } from 'zod';
import type { PublicKey } from '#core';

/** Has no `cause`, because the errors of parsers quote their input, which may be the private key. */
export class SigningKeyError extends Error {
  override name = 'SigningKeyError';

  static of(path: string, what: string): SigningKeyError {
    return new SigningKeyError(`the signing key ${path} ${what}`);
  }
}

/** The private key is a `KeyObject` of Node, so it never appears in strings or logged objects. */
export interface KeyPair extends PublicKey {
  readonly privateKey: KeyObject;
  readonly form: 'jwk' | 'pem';
}

const headBytes = 64;

const creationHint = 'make one with: openssl genpkey -algorithm ed25519';

/**
 * Reads a private key in PEM (PKCS #8) or as a JWK.
 *
 * @throws SigningKeyError with a message that must follow the path of the file
 */
export async function parsePrivateKey(bytes: Buffer): Promise<KeyPair> {
  // Only the start of a PEM file becomes a string, because a string with the key would stay in memory.
  const head = bytes.toString('latin1', 0, headBytes).trimStart();
  if (head === '') throw new SigningKeyError(`is empty; ${creationHint}`);
  const form = head.startsWith('-----BEGIN ') ? 'pem' : 'jwk';
  const privateKey = form === 'pem' ? parsePem(bytes, head) : parseJwk(bytes.toString('latin1'));
  if (privateKey.asymmetricKeyType !== 'ed25519') {
    throw new SigningKeyError(`contains a key of another kind than Ed25519; ${creationHint}`);
  }
  return { privateKey, form, ...(await publicHalf(privateKey)) };
}

function parsePem(bytes: Buffer, head: string): KeyObject {
  const [, label = ''] = /^-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(head) ?? [];
  if (label.includes('ENCRYPTED')) {
    throw new SigningKeyError('is encrypted; the service cannot ask for a passphrase');
  }
  if (label.endsWith('PUBLIC KEY') || label === 'CERTIFICATE') {
    throw new SigningKeyError('contains no private key');
  }
  const privateKey = attempt(() => createPrivateKey({ key: bytes, format: 'pem' }));
  if (privateKey === null) {
    throw new SigningKeyError(`contains no private key in PEM (PKCS #8); ${creationHint}`);
  }
  return privateKey;
}

const okpJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().regex(/^[\w-]{43}$/),
  d: z.string().regex(/^[\w-]{43}$/),
});

function parseJwk(text: string): KeyObject {
  const json = attempt(() => JSON.parse(text) as unknown);
  if (json === null || typeof json !== 'object') {
    throw new SigningKeyError(`contains neither PEM nor a JWK; ${creationHint}`);
  }
  if (!('d' in json)) throw new SigningKeyError('contains no private key: its JWK has no d');
  const { data: jwk } = okpJwk.safeParse(json);
  // Node rejects a JWK whose `x` doesn't belong to `d`.
  const privateKey = jwk && attempt(() => createPrivateKey({ key: jwk, format: 'jwk' }));
  if (jwk === undefined || !privateKey) {
    throw new SigningKeyError(
      'contains no JWK of an Ed25519 key: kty "OKP", crv "Ed25519", and x and d that belong together',
    );
  }
  return privateKey;
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

export async function publicHalf(privateKey: KeyObject): Promise<PublicKey> {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { x, kid: await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x }) };
}

/** Returns a message that must follow the path of the file. */
export const createNotRegistered = ({ kid }: PublicKey): string =>
  `contains the key ${kid}, which isn't registered here, so it is not used; if it is yours, run: portfolio-access signing-key register`;

export function writePrivateKey({ privateKey, kid, form }: KeyPair): Buffer {
  if (form === 'pem') return Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const { kty, crv, x, d } = privateKey.export({ format: 'jwk' });
  const jwk = { kty, crv, x, d, kid, alg: 'EdDSA', use: 'sig' };
  return Buffer.from(`${JSON.stringify(jwk)}\n`);
}
