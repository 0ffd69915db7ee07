import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileSigner, type SignerOptions } from '../../../gateway/signing/signer.ts';
import { at } from '../../contracts/builders.ts';
import { createMemoryRepositories } from '../../memory/index.ts';

export const freshFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'signing-'));

export const pemOf = () =>
  generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

export function aJwk() {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { kty = '', crv = '', x = '', d = '' } = privateKey.export({ format: 'jwk' });
  return { kty, crv, x, d };
}

/** The signers of several processes that share a key file and a database. */
export async function createSigners(path?: string) {
  const file = path ?? join(await freshFolder(), 'key.json');
  const { signingKeys } = createMemoryRepositories();
  const problems: string[] = [];
  const clock = { time: at(), now: () => clock.time };
  const start = (options: Partial<SignerOptions> = {}) =>
    new FileSigner({
      path: file,
      makeMissing: false,
      signingKeys,
      clock,
      onProblem: (problem) => problems.push(problem),
      ...options,
    });
  const put = (content: string | Buffer, mode = 0o600) => writeFile(file, content, { mode });
  return { file, signingKeys, problems, clock, start, put };
}
