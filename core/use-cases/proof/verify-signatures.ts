import { readOwnKeyId } from '../../model/proof/jws.ts';
import type { PublicJwk } from '../../model/proof/upstream-signer.ts';
import type { Ports } from '../../ports/index.ts';

export type Verify = (jws: string) => Promise<boolean>;

/** Verifies signatures of this service with the registered keys, retired ones included. */
export function verifyWith({
  jwsVerifier,
  signingKeys,
}: Pick<Ports, 'jwsVerifier' | 'signingKeys'>): Verify {
  const keys = new Map<string, PublicJwk>();
  return async (jws) => {
    const kid = readOwnKeyId(jws);
    if (!keys.has(kid)) {
      // Another key can be registered meanwhile.
      for (const { kid: known, x } of await signingKeys.list()) {
        if (!keys.has(known)) keys.set(known, { kty: 'OKP', crv: 'Ed25519', x });
      }
    }
    const key = keys.get(kid);
    return key !== undefined && jwsVerifier.verify(jws, key);
  };
}
