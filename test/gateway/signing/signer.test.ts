import { chmod, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AccessError, publicationMilliseconds, type SigningKey } from '#core';
import { at } from '../../contracts/builders.ts';
import { fixedJwk, fixedKid } from '../../support/signing-key.ts';
import { aJwk, createSigners, freshFolder, pemOf } from './keys.ts';

const jwkText = () => JSON.stringify(aJwk());

/** A key file with the fixed key, and a signer that uses it. */
async function createSigning(options: { readonly makeMissing?: boolean } = {}) {
  const signers = await createSigners();
  await signers.put(JSON.stringify(fixedJwk));
  const signer = signers.start(options);
  expect((await signer.current())?.kid).toBe(fixedKid);
  const { clock } = signers;
  /** Moves the clock to the time when a new key starts to sign, but checks it a millisecond earlier first. */
  const passPublication = async () => {
    const end = clock.time.getTime() + publicationMilliseconds;
    clock.time = new Date(end - 1);
    expect((await signer.current())?.kid).toBe(fixedKid);
    clock.time = new Date(end);
  };
  return { ...signers, signer, passPublication };
}

describe('a process with a signing key', () => {
  test('signs with a new key in the file after a reload, once the key is registered', async () => {
    const { signer, start, file } = await createSigning();
    await writeFile(`${file}.next`, jwkText(), { mode: 0o600 });
    await rename(`${file}.next`, file);
    const { kid } = await start().register({ atOnce: true });
    expect((await signer.current())?.kid).toBe(fixedKid);
    await signer.reload();
    expect((await signer.current())?.kid).toBe(kid);
  });

  test('signs with a manually placed key five minutes after its registration', async () => {
    const { signer, start, put, passPublication, problems } = await createSigning();
    await put(jwkText());
    const { kid } = await start().register();
    await signer.reload();
    expect((await signer.current())?.kid).toBe(fixedKid);
    await passPublication();
    expect((await signer.current())?.kid).toBe(kid);
    expect(problems).toEqual([]);
  });

  test('keeps its key, and reports the problem if the file is unreadable at a reload', async () => {
    const { signer, file, problems } = await createSigning({ makeMissing: true });
    await writeFile(file, jwkText().slice(0, 30));
    await signer.reload();
    await rm(file);
    await signer.reload();
    await rm(dirname(file), { recursive: true });
    await writeFile(dirname(file), '');
    await signer.reload();
    expect((await signer.current())?.kid).toBe(fixedKid);
    expect(problems).toEqual([
      expect.stringMatching(/contains neither PEM nor a JWK/),
      expect.stringMatching(/does not exist/),
      expect.stringMatching(/cannot be read/),
    ]);
  });

  test('doesn’t use a retired key in the file and continues with its previous key', async () => {
    const { start, put, signingKeys, problems } = await createSigners();
    const retired = { kid: fixedKid, x: fixedJwk.x };
    await signingKeys.register(retired, at());
    await signingKeys.retire(fixedKid, at());
    await put(jwkText());
    const signer = start();
    await signer.register();
    expect(await signer.current()).not.toBeNull();
    const before = await signer.current();
    await put(JSON.stringify(fixedJwk));
    await signer.reload();
    expect((await signer.current())?.kid).toBe(before?.kid);
    expect(problems).toEqual([`the signing key ${fixedKid} is retired`]);
    await expect(start().current()).rejects.toMatchObject({ code: 'signing_key_conflict' });
  });

  test('signs nothing after a reload if its only key was retired', async () => {
    const { signer, put, signingKeys, problems } = await createSigning();
    await signingKeys.retire(fixedKid, at());
    await signer.reload();
    expect(await signer.current()).toBeNull();
    expect(problems).toEqual([`the signing key ${fixedKid} is retired`]);
    await put(jwkText());
    await signer.register();
    await signer.reload();
    expect(await signer.current()).not.toBeNull();
  });

  test('rereads the key file if the database has a newer key, but not if it has only an older or imported one', async () => {
    const { signer, start, signingKeys, passPublication } = await createSigning();
    const { kid } = await start().rotate();
    const keys = await signingKeys.list();
    const imported = { ...keys[0], kid: 'imported', isImported: true } as SigningKey;
    await signer.reloadIfUnknown([...keys.slice(0, 1), imported]);
    expect((await signer.current())?.kid).toBe(fixedKid);
    await signer.reloadIfUnknown(keys);
    await passPublication();
    expect((await signer.current())?.kid).toBe(kid);
  });

  test('continues with its key if another machine created a newer key', async () => {
    const { signer, problems } = await createSigning();
    const own = { isImported: false, retiredAt: null, signsAt: at(), createdAt: at() };
    const newer = { kid: 'newer', x: '', number: 9, ...own };
    await signer.reloadIfUnknown([newer]);
    await signer.reloadIfUnknown([newer]);
    expect((await signer.current())?.kid).toBe(fixedKid);
    expect(problems).toEqual([]);
  });

  test('reads the file once for concurrent callers', async () => {
    const { start, put, signingKeys } = await createSigners();
    await put(jwkText());
    let registrations = 0;
    const signer = start({
      signingKeys: {
        ...signingKeys,
        registerFirst: (key, now) => {
          registrations += 1;
          return signingKeys.registerFirst(key, now);
        },
      },
    });
    await Promise.all(Array.from({ length: 50 }, () => signer.current()));
    await signer.current();
    expect(registrations).toBe(1);
  });

  test('can’t start to sign while the database is down, but starts to sign afterwards', async () => {
    const { start, put, signingKeys } = await createSigners();
    await put(jwkText());
    let isAway = true;
    const signer = start({
      signingKeys: {
        ...signingKeys,
        async registerFirst(key, now) {
          if (isAway) throw new AccessError('service_unavailable');
          return signingKeys.registerFirst(key, now);
        },
      },
    });
    await expect(signer.current()).rejects.toMatchObject({ code: 'service_unavailable' });
    isAway = false;
    expect(await signer.current()).not.toBeNull();
  });

  test('has no key and can’t create one if no key file is configured', async () => {
    const { start } = await createSigners();
    const signer = start({ path: null });
    expect(await signer.current()).toBeNull();
    await expect(signer.rotate()).rejects.toThrow('set SIGNING_KEY_FILE');
  });
});

describe('an unregistered key', () => {
  test('isn’t used by a running process, which reports it and keeps its previous key', async () => {
    const { signer, start, put, file, signingKeys, problems } = await createSigning();
    await put(jwkText());
    await signer.reload();
    expect((await signer.current())?.kid).toBe(fixedKid);
    expect(problems).toEqual([
      expect.stringMatching(
        /^the signing key .* contains the key [\w-]{43}, which isn't registered here, .* signing-key register$/,
      ),
    ]);
    expect(problems[0]).toContain(file);
    expect(await signingKeys.list()).toHaveLength(1);
    const { kid } = await start().register();
    expect((await start().current())?.kid).toBe(kid);
  });

  test('prevents a new process from signing', async () => {
    const { start, put } = await createSigners();
    await put(JSON.stringify(fixedJwk));
    await start().current();
    await put(jwkText());
    await expect(start().current()).rejects.toMatchObject({
      name: 'SigningKeyError',
      message: expect.stringContaining("isn't registered here"),
    });
  });

  test('can’t be registered without a file', async () => {
    const { start } = await createSigners();
    await expect(start().register()).rejects.toThrow('does not exist');
    await expect(start({ path: null }).register()).rejects.toThrow('set SIGNING_KEY_FILE');
  });
});

describe('a missing key', () => {
  test('is created once by processes that start together, and only its owner can read it', async () => {
    const { start, file, signingKeys } = await createSigners();
    const identities = await Promise.all(
      Array.from({ length: 8 }, () => start({ makeMissing: true }).current()),
    );
    expect(new Set(identities.map((identity) => identity?.kid)).size).toBe(1);
    expect(await signingKeys.list()).toHaveLength(1);
    expect(await readdir(dirname(file))).toEqual([basename(file)]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await start().current())?.kid).toBe(identities[0]?.kid);
  });

  test('can’t be created if its folder doesn’t exist', async () => {
    const path = join(await freshFolder(), 'none', 'key.json');
    const { start } = await createSigners(path);
    await expect(start({ makeMissing: true }).current()).rejects.toThrow(/cannot be written here/);
  });
});

describe('a rotation', () => {
  test('creates the first key if no key exists', async () => {
    const { start, file } = await createSigners();
    const { kid, previousKid } = await start().rotate();
    expect(previousKid).toBeNull();
    expect((await start().current())?.kid).toBe(kid);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('reaches every process that reloads, and leaves no temporary file behind', async () => {
    const { start, put, file, signingKeys } = await createSigners();
    await put(JSON.stringify(fixedJwk));
    const processes = Array.from({ length: 4 }, () => start());
    for (const signer of processes) expect((await signer.current())?.kid).toBe(fixedKid);
    const kids = new Set([fixedKid]);
    for (let count = 0; count < 3; count += 1) {
      const { kid } = await start().rotate({ atOnce: true });
      await Promise.all(processes.map((signer) => signer.reload()));
      const seen = await Promise.all(processes.map((signer) => signer.current()));
      expect(seen.map((identity) => identity?.kid)).toEqual(processes.map(() => kid));
      kids.add(kid);
    }
    expect((await signingKeys.list()).map(({ kid }) => kid).toSorted()).toEqual(
      [...kids].toSorted(),
    );
    expect(await readdir(dirname(file))).toEqual([basename(file)]);
    expect([...kids].filter((kid) => kid.startsWith('-'))).toEqual([]);
  });

  test('lets the old key sign for five minutes, in running and in new processes', async () => {
    const { signer, start, file, problems, passPublication } = await createSigning();
    const started = await stat(file);
    const { kid, signsAt } = await start().rotate();
    await signer.reload();
    const later = start();
    expect((await later.current())?.kid).toBe(fixedKid);
    expect(await stat(`${file}.previous`)).toMatchObject({ ino: started.ino, mode: started.mode });
    await expect(start().rotate()).rejects.toThrow(`${kid} signs from ${signsAt.toISOString()} on`);
    await passPublication();
    for (const each of [signer, later, start()]) expect((await each.current())?.kid).toBe(kid);
    expect(problems).toEqual([]);
  });

  test('takes effect at once, and leaves no old key file, if the key is compromised', async () => {
    const { signer, start, file, signingKeys } = await createSigning();
    await start().rotate();
    await signer.reloadIfUnknown(await signingKeys.list());
    const { kid } = await start().rotate({ atOnce: true });
    await signer.reload();
    for (const each of [signer, start()]) expect((await each.current())?.kid).toBe(kid);
    expect(await readdir(dirname(file))).toEqual([basename(file)]);
  });

  test.each([
    ['missing', (file: string) => rm(file)],
    ['not a key', (file: string) => writeFile(file, 'my notes')],
    ['an unregistered key', (file: string) => writeFile(file, jwkText())],
  ])(
    'lets a new process sign with the new key at once if the previous file is %s, and reports that file',
    async (_, spoil) => {
      const { start, file, problems } = await createSigning();
      const { kid } = await start().rotate();
      await spoil(`${file}.previous`);
      expect((await start().current())?.kid).toBe(kid);
      expect(problems.at(-1)).toMatch(`${kid} signs before`);
    },
  );

  test('stops a process from signing with a retired previous key', async () => {
    const { signer, start, signingKeys } = await createSigning();
    const { kid } = await start().rotate();
    await signingKeys.retire(fixedKid, at());
    await signer.reload();
    for (const each of [signer, start()]) expect((await each.current())?.kid).toBe(kid);
  });

  test('registers the key before it replaces the file', async () => {
    const { start, put, file, signingKeys } = await createSigners();
    await put(JSON.stringify(fixedJwk));
    const before = await readFile(file, 'utf8');
    const signer = start({
      signingKeys: {
        ...signingKeys,
        async register(key, now) {
          expect(await readFile(file, 'utf8')).toBe(before);
          return signingKeys.register(key, now);
        },
      },
    });
    await signer.rotate();
    expect(await readFile(file, 'utf8')).not.toBe(before);
  });

  test('changes nothing if the new key can’t be registered', async () => {
    const { start, put, file, signingKeys } = await createSigners();
    await put(JSON.stringify(fixedJwk));
    const signer = start({
      signingKeys: {
        ...signingKeys,
        register: () => Promise.reject(new AccessError('service_unavailable')),
      },
    });
    await expect(signer.rotate()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await readFile(file, 'utf8')).toBe(JSON.stringify(fixedJwk));
    expect(await readdir(dirname(file))).toEqual([basename(file)]);
  });

  test('writes PEM if the file was PEM or has the extension .pem', async () => {
    const { start, put, file } = await createSigners(join(await freshFolder(), 'key'));
    await put(pemOf().privateKey);
    const { kid } = await start().rotate({ atOnce: true });
    expect(await readFile(file, 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect((await start().current())?.kid).toBe(kid);
    const named = await createSigners(join(await freshFolder(), 'key.pem'));
    await named.start().rotate();
    expect(await readFile(named.file, 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  });

  test('follows a link and keeps the file’s read permissions', async () => {
    const { start, put, file } = await createSigners();
    await put(JSON.stringify(fixedJwk));
    await chmod(file, 0o640);
    await symlink(file, `${file}.link`);
    const { kid } = await start({ path: `${file}.link` }).rotate();
    expect((await start().current())?.kid).toBe(kid);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
  });

  test('doesn’t overwrite a file that isn’t a key', async () => {
    const { start, put, file } = await createSigners();
    await put('my notes');
    await expect(start().rotate()).rejects.toThrow('contains neither PEM nor a JWK');
    expect(await readFile(file, 'utf8')).toBe('my notes');
  });

  test('explains how to rotate by hand if the key file can’t be written', async () => {
    const { start } = await createSigners('/proc/self/mounts/key.json');
    await expect(start().rotate()).rejects.toThrow(/cannot be (read|written)/);
    const inProc = await createSigners('/proc/key.json');
    await expect(inProc.start().rotate()).rejects.toThrow(
      /cannot be written here \(\w+\); put a new key there yourself/,
    );
  });
});
