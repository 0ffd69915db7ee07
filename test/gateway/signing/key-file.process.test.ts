import { execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { inspect } from 'node:util';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { fixedJwk, fixedKid } from '../../support/signing-key.ts';
import { aJwk, createSigners, pemOf } from './keys.ts';

function pemOfKind(kind: 'rsa' | 'ec' | 'ed448' | 'x25519'): string {
  const { privateKey } =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : kind === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : kind === 'ed448'
          ? generateKeyPairSync('ed448')
          : generateKeyPairSync('x25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

const encrypted = () =>
  generateKeyPairSync('ed25519')
    .privateKey.export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'secret',
    })
    .toString();

describe('a signing key', () => {
  test('is read from a JWK, even if it has additional members and surrounding white space', async () => {
    const { start, put } = await createSigners();
    await put(`\n ${JSON.stringify({ use: 'sig', kid: 'mine', ...fixedJwk }, null, 2)}\n\n`);
    expect((await start().current())?.kid).toBe(fixedKid);
  });

  test('is read from PEM, and has the same ID as in a JWK', async () => {
    const { start, put, signingKeys } = await createSigners();
    const { privateKey, publicKey } = pemOf();
    await put(privateKey);
    const identity = await start().current();
    const { x = '' } = createPublicKey(publicKey).export({ format: 'jwk' });
    expect(identity?.kid).toBe(await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x }));
    expect(await signingKeys.list()).toMatchObject([{ kid: identity?.kid, x }]);
    const signature = identity?.sign('ä text') ?? new Uint8Array();
    expect(verify(null, Buffer.from('ä text'), publicKey, signature)).toBe(true);
  });

  test('is read from the formats that jose and openssl write', async () => {
    const { start, put } = await createSigners();
    const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
    await put(JSON.stringify(await exportJWK(privateKey)));
    const signer = start();
    const ofJose = await signer.current();
    await put(execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519']));
    await signer.register({ atOnce: true });
    await signer.reload();
    const ofOpenssl = await signer.current();
    expect(new Set([ofJose?.kid, ofOpenssl?.kid]).size).toBe(2);
  });

  test('is read from a symbolic link, because orchestrators mount secrets as links', async () => {
    const { start, put, file } = await createSigners();
    await put(JSON.stringify(fixedJwk));
    await symlink(file, `${file}.link`);
    expect((await start({ path: `${file}.link` }).current())?.kid).toBe(fixedKid);
  });
});

/** No error message may contain the private part in any of these forms. */
const secretPem = pemOf().privateKey;
const secretLine = secretPem.split('\n')[1] ?? '';
const secretJwk = aJwk();

const unusable: readonly (readonly [what: string, content: string, says: RegExp])[] = [
  ['an empty file', '', /is empty; make one with: openssl/],
  ['only white space', ' \n\t ', /is empty/],
  ['an RSA key', pemOfKind('rsa'), /another kind than Ed25519/],
  ['a P-256 key', pemOfKind('ec'), /another kind than Ed25519/],
  ['an Ed448 key', pemOfKind('ed448'), /another kind than Ed25519/],
  ['an X25519 key', pemOfKind('x25519'), /another kind than Ed25519/],
  ['a public key in PEM', pemOf().publicKey, /contains no private key$/],
  ['an encrypted key', encrypted(), /is encrypted/],
  ['PEM that is cut off', secretPem.slice(0, 90), /no private key in PEM/],
  ['PEM with a changed letter', secretPem.replace('MC4C', 'MC4D'), /no private key in PEM/],
  ['PEM without its end', secretPem.replace(/-----END.*/, ''), /no private key in PEM/],
  [
    'a key in the format of OpenSSH',
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${secretLine}\n-----END OPENSSH PRIVATE KEY-----\n`,
    /no private key in PEM/,
  ],
  ['a JWK without d', JSON.stringify({ ...secretJwk, d: undefined }), /its JWK has no d/],
  ['a JWK that is cut off', JSON.stringify(secretJwk).slice(0, -3), /neither PEM nor a JWK/],
  ['a JWK with a comma too many', `${JSON.stringify(secretJwk)},`, /neither PEM nor a JWK/],
  [
    'a JWK of another curve',
    JSON.stringify({ ...secretJwk, crv: 'Ed448' }),
    /no JWK of an Ed25519/,
  ],
  [
    'a JWK whose d is too short',
    JSON.stringify({ ...secretJwk, d: secretJwk.d.slice(0, 40) }),
    /no JWK of an Ed25519/,
  ],
  [
    'a JWK whose public half doesn’t match',
    JSON.stringify({ ...secretJwk, x: aJwk().x }),
    /no JWK of an Ed25519 key: .* that belong together/,
  ],
  ['a JWK Set', JSON.stringify({ keys: [secretJwk] }), /its JWK has no d/],
  ['the key as bare text', secretJwk.d, /neither PEM nor a JWK/],
  ['a JSON string', JSON.stringify(secretJwk.d), /neither PEM nor a JWK/],
  ['null in JSON', 'null', /neither PEM nor a JWK/],
  ['a file that is too long', JSON.stringify(secretJwk).padEnd(17_000), /is too long for a key/],
];

describe('the signer', () => {
  test.each(unusable)(
    'refuses %s, and the error contains no part of the file',
    async (_what, content, says) => {
      const { start, put, file, signingKeys } = await createSigners();
      await put(content);
      const error = await start()
        .current()
        .catch((refusal: unknown) => refusal);
      expect(error).toMatchObject({
        name: 'SigningKeyError',
        message: expect.stringMatching(says),
      });
      const shown = inspect(error, { depth: 10, showHidden: true });
      expect(shown).toContain(file);
      for (const secret of [secretLine, secretJwk.d, secretLine.slice(20, 50)]) {
        expect(shown).not.toContain(secret);
      }
      expect(shown).not.toContain(secretJwk.d.slice(0, 8));
      expect(error).not.toHaveProperty('cause');
      expect(await signingKeys.list()).toEqual([]);
    },
  );

  test('refuses a missing file', async () => {
    const { start, file } = await createSigners();
    await expect(start().current()).rejects.toThrow(
      `the signing key ${file} does not exist; make one with: portfolio-access signing-key rotate`,
    );
  });

  test('refuses a folder', async () => {
    const { start, file } = await createSigners();
    await mkdir(file);
    await expect(start().current()).rejects.toThrow("isn't a file");
  });

  test('refuses a pipe, without waiting for its writer', async () => {
    const { start, file } = await createSigners();
    execFileSync('mkfifo', [file]);
    await expect(start().current()).rejects.toThrow("isn't a file");
  });

  test('refuses a path below a file', async () => {
    const { start, put, file } = await createSigners();
    await put('');
    await expect(start({ path: `${file}/key` }).current()).rejects.toThrow(
      'cannot be read (ENOTDIR)',
    );
  });

  test('refuses a link to itself', async () => {
    const { start, file } = await createSigners();
    await symlink(file, file);
    await expect(start().current()).rejects.toThrow('cannot be read (ELOOP)');
  });

  test.each([0o602, 0o620, 0o660, 0o666, 0o777])(
    'refuses a file that other users can write: %o',
    async (mode) => {
      const { start, put, file } = await createSigners();
      await put(JSON.stringify(fixedJwk));
      await chmod(file, mode);
      await expect(start().current()).rejects.toThrow(
        `can be written by its group or by others; run: chmod go-w ${file}`,
      );
    },
  );
});

test('the signer uses a key file that other users can read, and warns at the start', async () => {
  const { start, put, file, problems } = await createSigners();
  await put(JSON.stringify(fixedJwk));
  await chmod(file, 0o644);
  const signer = start();
  for (let count = 0; count < 3; count += 1) {
    expect((await signer.current())?.kid).toBe(fixedKid);
  }
  expect(problems).toEqual([
    `every user of this machine can read the signing key ${file}; run: chmod 600 ${file}`,
  ]);
  await chmod(file, 0o640);
  expect((await start().current())?.kid).toBe(fixedKid);
  expect(problems).toHaveLength(1);
});

test('no printed form of a signer or a signature contains the private key', async () => {
  const { start, put } = await createSigners();
  await put(JSON.stringify(secretJwk));
  const signer = start();
  const identity = await signer.current();
  const shown = inspect([signer, identity], { depth: 10, showHidden: true, getters: true });
  expect(shown).not.toContain(secretJwk.d.slice(0, 8));
  expect(JSON.stringify([signer, identity])).not.toContain(secretJwk.d.slice(0, 8));
});
