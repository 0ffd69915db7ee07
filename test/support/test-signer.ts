import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import {
  type ImportCounts,
  type ImportRecord,
  type PushSigning,
  type Repositories,
  signMetric,
} from '#core';
import { at, importAll } from '../contracts/builders.ts';

export interface TestSigner extends PushSigning {
  readonly kid: string;
  readonly publicKey: KeyObject;
}

/** Registers a new key, with which the test itself signs. */
export async function createTestSigner({
  signingKeys,
}: Pick<Repositories, 'signingKeys'>): Promise<TestSigner> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const kid = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
  const { number } = await signingKeys.register({ kid, x }, at());
  const identity = {
    keyNumber: number,
    kid,
    sign: (text: string) => sign(null, Buffer.from(text), privateKey),
  };
  return {
    kid,
    publicKey,
    keyNumber: number,
    sign: (claims) => signMetric(identity, claims, at(9_000)),
  };
}

export const importSigned = (
  repositories: Pick<Repositories, 'imports'>,
  records: readonly ImportRecord[],
  signing: PushSigning,
): Promise<ImportCounts> => importAll(repositories, records, at(), { signing });
