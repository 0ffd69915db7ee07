import { createPrivateKey, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import type { Clock, PublicKey, Signer, SigningKeys } from '#core';
import { fixedJwk } from '../support/signing-key.ts';

/** Signs with the fixed key until it is rotated. */
export function createMemorySigner(signingKeys: SigningKeys, clock: Clock): Signer {
  let privateKey: KeyObject = createPrivateKey({ key: fixedJwk, format: 'jwk' });

  const register = () => signingKeys.register(publicKeyOf(privateKey), clock.now());

  return {
    async current() {
      const key = privateKey;
      const first = await signingKeys.registerFirst(publicKeyOf(key), clock.now());
      const { number: keyNumber, kid } = first ?? (await register());
      return { keyNumber, kid, sign: (text: string) => sign(null, Buffer.from(text), key) };
    },
    reload: async () => true,
    register,
    async rotate() {
      const previousKid = publicKeyOf(privateKey).kid;
      privateKey = generateKeyPairSync('ed25519').privateKey;
      const { kid } = await register();
      return { kid, previousKid };
    },
  };
}

function publicKeyOf(key: KeyObject): PublicKey {
  const { x = '' } = key.export({ format: 'jwk' });
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return { kid: hash('sha256', members, 'base64url'), x };
}
