import { compactVerify, errors, importJWK } from 'jose';
import { algorithmsOf, type JwsVerifier, type PublicJwk } from '#core';

/** Keys are imported once: an import checks thousands of signatures with a few. */
export function createJwsVerifier(): JwsVerifier {
  const keys = new WeakMap<PublicJwk, ReturnType<typeof importJWK>>();
  const keyOf = (jwk: PublicJwk) =>
    keys.getOrInsertComputed(jwk, () => importJWK(jwk, algorithmsOf[jwk.kty][0]));

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
