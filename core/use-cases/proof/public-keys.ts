import { z } from 'zod';
import { ensure } from '../../model/errors.ts';
import type { Cryptography } from '../../model/platform.ts';
import { base64url } from '../../model/proof/jws.ts';
import { parseJson } from '../../model/proof/parse-json.ts';
import type { PublicKey } from '../../model/proof/signing-key.ts';

const maxKeys = 1000;

const keySet = z.object({ keys: z.array(z.unknown()).max(maxKeys) });
const signingKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().regex(/^[\w-]{43}$/),
  kid: z.string(),
});

/**
 * Returns the Ed25519 keys of a JWK Set. Skips other kinds of keys.
 *
 * @throws AccessError `invalid_parameter`
 */
export function parseSigningKeys(text: string, { sha256 }: Cryptography): readonly PublicKey[] {
  const { data: set } = keySet.safeParse(parseJson(text));
  ensure(
    set !== undefined,
    'invalid_parameter',
    `this isn’t a JSON Web Key Set with at most ${maxKeys} keys`,
  );
  const keys = set.keys.flatMap((member) => {
    const { data: key } = signingKey.safeParse(member);
    return key === undefined ? [] : [{ kid: key.kid, x: key.x }];
  });
  for (const { kid, x } of keys) {
    const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
    const thumbprint = base64url(Uint8Array.fromHex(sha256(members)));
    ensure(
      kid === thumbprint,
      'invalid_parameter',
      `the id of the key ${kid} is not its thumbprint`,
    );
  }
  ensure(
    keys.length > 0,
    'invalid_parameter',
    'there is no key of Ed25519 in the JSON Web Key Set',
  );
  return keys;
}
