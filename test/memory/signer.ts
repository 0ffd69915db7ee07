import { createPrivateKey, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import {
  type Clock,
  type PublicKey,
  publicationMilliseconds,
  type Signer,
  type SigningKeys,
} from '#core';
import { fixedJwk } from '../support/signing-key.ts';

export function createMemorySigner(signingKeys: SigningKeys, clock: Clock): Signer {
  let privateKey: KeyObject = createPrivateKey({ key: fixedJwk, format: 'jwk' });
  let waiting: { readonly key: KeyObject; readonly signsAt: Date } | null = null;

  const takeWaiting = () => {
    if (waiting === null || waiting.signsAt > clock.now()) return;
    privateKey = waiting.key;
    waiting = null;
  };
  const register = () => signingKeys.register(publicKeyOf(privateKey), clock.now());

  return {
    async current() {
      takeWaiting();
      const key = privateKey;
      const first = await signingKeys.registerFirst(publicKeyOf(key), clock.now());
      const { number: keyNumber, kid } = first ?? (await register());
      return { keyNumber, kid, sign: (text: string) => sign(null, Buffer.from(text), key) };
    },
    reload: async () => true,
    register,
    async rotate({ atOnce = false } = {}) {
      takeWaiting();
      const previousKid = publicKeyOf(privateKey).kid;
      const { privateKey: key } = generateKeyPairSync('ed25519');
      const now = clock.now();
      const signsAt = new Date(now.getTime() + (atOnce ? 0 : publicationMilliseconds));
      const { kid } = await signingKeys.register(publicKeyOf(key), now, signsAt);
      waiting = { key, signsAt };
      return { kid, previousKid, signsAt };
    },
  };
}

function publicKeyOf(key: KeyObject): PublicKey {
  const { x = '' } = key.export({ format: 'jwk' });
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return { kid: hash('sha256', members, 'base64url'), x };
}
