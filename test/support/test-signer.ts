import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import {
  type ImportCounts,
  type ImportRecord,
  type LastSigning,
  type Repositories,
  signMetric,
} from '#core';
import { at, freshId } from '../contracts/builders.ts';

export interface TestSigner extends LastSigning {
  readonly kid: string;
  readonly publicKey: KeyObject;
}

/** A registered key of its own, with which a test signs. */
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
    most: 10,
    sign: (claims) => signMetric(identity, claims, at(9_000)),
  };
}

/** An import whose values are signed by the one, and applied with the other after what happens between. */
export async function importSigned(
  { imports }: Pick<Repositories, 'imports'>,
  records: readonly ImportRecord[],
  signer: TestSigner,
  beforeApply: () => Promise<unknown> = async () => undefined,
  last: LastSigning = signer,
): Promise<ImportCounts | null> {
  const session = await imports.begin(freshId('imp'), at());
  try {
    await session.stage(records.map((record, index) => ({ line: index + 1, record })));
    for await (const values of session.listChangedValues()) {
      await session.keepSignatures(
        values.map(({ id, claims }) => ({ id, ...signer.sign(claims) })),
      );
    }
    await beforeApply();
    return await session.apply(last);
  } finally {
    await session.close();
  }
}
