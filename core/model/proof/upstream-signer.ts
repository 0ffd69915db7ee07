import { z } from 'zod';
import { ensure } from '../errors.ts';
import type { Cryptography } from '../platform.ts';
import { isPlainLine } from '../text.ts';
import { base64url } from './jws.ts';
import { parseJson } from './parse-json.ts';

export type PublicJwk = z.output<typeof publicJwk>;

/** The key of a party that signs values before they arrive here, such as an auditor or a ledger. */
export interface UpstreamSigner {
  readonly companyId: string;
  readonly kid: string;
  readonly jwk: PublicJwk;
  readonly addedAt: Date;
}

const coordinate = z.string().regex(/^[\w-]{43}$/);
/** An RSA modulus in base64url: 342 characters for 2,048 bits, 1,366 characters for 8,192 bits. */
const modulus = z.string().regex(/^[\w-]{342,1366}$/);

// The members of each key are in alphabetical order, which RFC 7638 requires for thumbprints.
const publicJwk = z.discriminatedUnion('kty', [
  z.object({ crv: z.literal('Ed25519'), kty: z.literal('OKP'), x: coordinate }),
  z.object({ crv: z.literal('P-256'), kty: z.literal('EC'), x: coordinate, y: coordinate }),
  z.object({ e: z.string().regex(/^[\w-]{1,6}$/), kty: z.literal('RSA'), n: modulus }),
]);

/** The allowed `alg` values by key type. */
export const algorithmsOf = {
  OKP: ['EdDSA', 'Ed25519'],
  EC: ['ES256'],
  RSA: ['RS256'],
} as const satisfies Record<PublicJwk['kty'], readonly string[]>;

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const member = z
  .looseObject({
    kty: z.string(),
    kid: z.string().min(1).max(200).refine(isPlainLine).optional(),
    use: z.literal('sig').optional(),
    alg: z.string().optional(),
  })
  .transform((jwk) => ({ kid: jwk.kid, alg: jwk.alg, jwk: jwk as unknown }));

const maxKeys = 20;
const keySet = z.union([
  z.object({ keys: z.array(member).min(1).max(maxKeys) }).transform(({ keys }) => keys),
  member.transform((key) => [key]),
]);

interface NamedKey {
  readonly kid: string;
  readonly jwk: PublicJwk;
}

/**
 * Parses a JWK Set or a JWK. A key without an ID gets its thumbprint as ID.
 *
 * @throws AccessError `invalid_parameter`
 */
export function parsePublicKeys(text: string, cryptography: Cryptography): readonly NamedKey[] {
  const { success, data: members } = keySet.safeParse(parseJson(text));
  ensure(
    success,
    'invalid_parameter',
    `this isn’t a JSON Web Key Set with 1 to ${maxKeys} keys for signatures`,
  );
  return members.map(({ kid, alg, jwk }, index) => {
    const isPrivate = privateMembers.some((name) => Object.hasOwn(jwk as object, name));
    ensure(
      !isPrivate,
      'invalid_parameter',
      `key ${index + 1} is private; leave only its public half`,
    );
    const { data: publicKey } = publicJwk.safeParse(jwk);
    ensure(
      publicKey !== undefined && isAlgorithmOf(publicKey, alg),
      'invalid_parameter',
      `key ${index + 1} isn’t a key for Ed25519, ES256 or RS256 (at least 2,048 bits)`,
    );
    return { kid: kid ?? thumbprint(publicKey, cryptography), jwk: publicKey };
  });
}

function isAlgorithmOf({ kty }: PublicJwk, alg: string | undefined): boolean {
  const algorithms: readonly string[] = algorithmsOf[kty];
  return alg === undefined || algorithms.includes(alg);
}

function thumbprint(jwk: PublicJwk, { sha256 }: Cryptography): string {
  return base64url(Uint8Array.fromHex(sha256(JSON.stringify(jwk))));
}
