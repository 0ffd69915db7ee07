import type { importJWK } from 'jose';
import { algorithmsOf, type JwsVerifier, type PublicJwk } from '#core';

/** Few commands verify signatures, so jose is loaded only when needed. */
const load = () => import('jose');

/** Caches imported keys. A data import checks thousands of signatures with only a few keys. */
export function createJwsVerifier(): JwsVerifier {
  const keys = new WeakMap<PublicJwk, ReturnType<typeof importJWK>>();
  const keyOf = (jwk: PublicJwk) =>
    keys.getOrInsertComputed(jwk, async () =>
      (await load()).importJWK(jwk, algorithmsOf[jwk.kty][0]),
    );

  return {
    async isUsable(jwk) {
      try {
        await keyOf(jwk);
        return true;
      } catch {
        return false;
      }
    },
    async verify(jws, jwk) {
      const { compactVerify, errors } = await load();
      try {
        await compactVerify(jws, await keyOf(jwk), { algorithms: [...algorithmsOf[jwk.kty]] });
        return true;
      } catch (error) {
        if (error instanceof errors.JOSEError) return false;
        throw error;
      }
    },
  };
}
