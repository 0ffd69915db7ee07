import { createPrivateKey, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import type { Clock, PublicKey, Signer, SigningKeys } from '#core';
import { fixedJwk } from '../support/signing-key.ts';

/** Signs with the fixed key until it is rotated. */
export function createMemorySigner(signingKeys: SigningKeys, clock: Clock): Signer {
  let privateKey: KeyObject = createPrivateKey({ key: fixedJwk, format: 'jwk' });

  async function current() {
    const { number, kid } = await signingKeys.register(publicKeyOf(privateKey), clock.now());
    const key = privateKey;
    return { keyNumber: number, kid, sign: (text: string) => sign(null, Buffer.from(text), key) };
  }

  return {
    current,
    async register() {
      return await current();
    },
    async rotate() {
      const previousKid = publicKeyOf(privateKey).kid;
      privateKey = generateKeyPairSync('ed25519').privateKey;
      const { kid } = await current();
      return { kid, previousKid };
    },
  };
}

function publicKeyOf(key: KeyObject): PublicKey {
  const { x = '' } = key.export({ format: 'jwk' });
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return { kid: hash('sha256', members, 'base64url'), x };
}
