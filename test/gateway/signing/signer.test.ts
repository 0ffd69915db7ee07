import {
  appendFile,
  chmod,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AccessError } from '#core';
import { at } from '../../contracts/builders.ts';
import { fixedJwk, fixedKid } from '../../support/signing-key.ts';
import { aJwk, createSigners, freshFolder, pemOf } from './keys.ts';

afterEach(() => {
  vi.useRealTimers();
});

const jwkText = () => JSON.stringify(aJwk());

/** The file holds the fixed key, and a process has begun to sign with it. */
async function createSigning(options: { readonly makeMissing?: boolean } = {}) {
  const signers = await createSigners();
  await signers.put(JSON.stringify(fixedJwk));
  const signer = signers.start(options);
  expect((await signer.current())?.kid).toBe(fixedKid);
  return { ...signers, signer };
}

describe('a process', () => {
  test.skipIf(process.platform !== 'linux')(
    'with a key leaves its memory out of core dumps',
    async () => {
      const { start } = await createSigners();
      start();
      const mappings = await readFile('/proc/self/coredump_filter', 'utf8');
      expect(Number.parseInt(mappings, 16)).toBe(0);
    },
  );

  test('takes up a key that was put in the place of the old one', async () => {
    const { signer, file } = await createSigning();
    const next = aJwk();
    await writeFile(`${file}.new`, JSON.stringify(next), { mode: 0o600 });
    await rename(`${file}.new`, file);
    await signer.register();
    const identity = await signer.current();
    expect(identity?.kid).not.toBe(fixedKid);
    expect((await signer.current())?.kid).toBe(identity?.kid);
  });

  test('keeps its key while the file is being written, and says so once', async () => {
    const { signer, file, problems } = await createSigning();
    const text = jwkText();
    await writeFile(file, text.slice(0, 30));
    for (let count = 0; count < 3; count += 1) {
      expect((await signer.current())?.kid).toBe(fixedKid);
    }
    expect(problems).toEqual([expect.stringMatching(/holds neither PEM nor a JWK/)]);
    await appendFile(file, text.slice(30));
    await signer.register();
    expect((await signer.current())?.kid).not.toBe(fixedKid);
  });

  test('keeps its key when the file is gone, or becomes a folder above it that is none', async () => {
    const { signer, file, problems } = await createSigning({ makeMissing: true });
    await rm(file);
    expect((await signer.current())?.kid).toBe(fixedKid);
    expect((await signer.current())?.kid).toBe(fixedKid);
    expect(problems).toEqual([expect.stringMatching(/does not exist/)]);
    expect(await readdir(dirname(file))).toEqual([]);
    await rm(dirname(file), { recursive: true });
    await writeFile(dirname(file), '');
    expect((await signer.current())?.kid).toBe(fixedKid);
  });

  test('does not take a retired key up, and goes on with its own', async () => {
    const { start, put, signingKeys, problems } = await createSigners();
    const retired = { kid: fixedKid, x: fixedJwk.x };
    await signingKeys.register(retired, at());
    await signingKeys.retire(fixedKid, at());
    await put(jwkText());
    const signer = start();
    await signer.register();
    const before = await signer.current();
    await put(JSON.stringify(fixedJwk));
    expect((await signer.current())?.kid).toBe(before?.kid);
    expect(problems).toEqual([`the signing key ${fixedKid} is retired`]);
    await expect(start().current()).rejects.toMatchObject({ code: 'signing_key_conflict' });
  });

  test('that looks into a file as its key is replaced and retired takes up the next one, and finds nothing wrong', async () => {
    const { start, put, problems, signingKeys } = await createSigners();
    await put(JSON.stringify(fixedJwk));
    const other = start();
    let isMeanwhile = false;
    const signer = start({
      signingKeys: {
        ...signingKeys,
        async registerFirst(pair, now) {
          if (isMeanwhile) {
            isMeanwhile = false;
            await other.rotate();
            await signingKeys.retire(pair.kid, at());
          }
          return signingKeys.registerFirst(pair, now);
        },
      },
    });
    await signer.current();
    await other.rotate();
    isMeanwhile = true;
    const identity = await signer.current();
    expect(identity?.kid).toBe((await other.current())?.kid);
    expect(problems).toEqual([]);
  });

  test('learns within ten seconds that its key was retired, and then signs no more', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { signer, put, signingKeys, problems } = await createSigning();
    await signingKeys.retire(fixedKid, at());
    vi.advanceTimersByTime(10_000);
    expect(await signer.current()).toBeNull();
    expect(await signer.current()).toBeNull();
    expect(problems).toEqual([`the signing key ${fixedKid} is retired`]);
    await put(jwkText());
    await signer.register();
    expect(await signer.current()).not.toBeNull();
  });

  test('asks the database once in ten seconds, however often it signs', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { start, put, signingKeys } = await createSigners();
    await put(jwkText());
    let asked = 0;
    const signer = start({
      signingKeys: {
        ...signingKeys,
        registerFirst: (key, now) => {
          asked += 1;
          return signingKeys.registerFirst(key, now);
        },
      },
    });
    await Promise.all(Array.from({ length: 50 }, () => signer.current()));
    vi.advanceTimersByTime(9_999);
    await signer.current();
    expect(asked).toBe(1);
    vi.advanceTimersByTime(1);
    await signer.current();
    expect(asked).toBe(2);
  });

  test('whose database is away signs nothing new, and goes on when it is back', async () => {
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

  test('without a file has no key and cannot make one', async () => {
    const { start } = await createSigners();
    const signer = start({ path: null });
    expect(await signer.current()).toBeNull();
    await expect(signer.rotate()).rejects.toThrow('set SIGNING_KEY_FILE');
  });
});

describe('a key that nobody has registered', () => {
  test('is not used, which is said once: the process goes on with its own until it is', async () => {
    const { signer, start, put, file, signingKeys, problems } = await createSigning();
    await put(jwkText());
    for (let count = 0; count < 3; count += 1) {
      expect((await signer.current())?.kid).toBe(fixedKid);
    }
    expect(problems).toEqual([
      expect.stringMatching(
        /^the signing key .* holds the key [\w-]{43}, which nobody has registered here, .* signing-key register$/,
      ),
    ]);
    expect(problems[0]).toContain(file);
    expect(await signingKeys.list()).toHaveLength(1);
    const { kid } = await start().register();
    expect((await start().current())?.kid).toBe(kid);
  });

  test('is taken up within ten seconds once it is', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { signer, start, put } = await createSigning();
    await put(jwkText());
    await signer.current();
    const { kid } = await start().register();
    vi.advanceTimersByTime(10_000);
    expect((await signer.current())?.kid).toBe(kid);
  });

  test('lets no process begin to sign', async () => {
    const { start, put } = await createSigners();
    await put(JSON.stringify(fixedJwk));
    await start().current();
    await put(jwkText());
    await expect(start().current()).rejects.toMatchObject({
      name: 'SigningKeyError',
      message: expect.stringContaining('nobody has registered here'),
    });
  });

  test('is none that a file does not hold', async () => {
    const { start } = await createSigners();
    await expect(start().register()).rejects.toThrow('does not exist');
    await expect(start({ path: null }).register()).rejects.toThrow('set SIGNING_KEY_FILE');
  });
});

describe('a missing key', () => {
  test('is made once, for its owner alone, by processes that start at the same time', async () => {
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

  test('cannot be made where there is no folder', async () => {
    const path = join(await freshFolder(), 'none', 'key.json');
    const { start } = await createSigners(path);
    await expect(start({ makeMissing: true }).current()).rejects.toThrow(/cannot be written here/);
  });
});

describe('what a killed rotation has left', () => {
  async function withDrafts() {
    const made = await createSigners();
    await made.put(JSON.stringify(fixedJwk));
    const folder = dirname(made.file);
    const start = `.${basename(made.file)}.`;
    const twoHoursAgo = new Date(Date.now() - 7_200_000);
    const leave = async (name: string, at = twoHoursAgo) => {
      await writeFile(join(folder, name), jwkText(), { mode: 0o600 });
      await utimes(join(folder, name), at, at);
      return name;
    };
    await leave(`${start}0123456789abcdef`);
    const kept = [
      basename(made.file),
      await leave(`${start}fedcba9876543210`, new Date()),
      await leave(`${start}backup`),
      await leave('.other.0123456789abcdef'),
    ];
    return {
      ...made,
      kept: kept.toSorted(),
      names: async () => (await readdir(folder)).toSorted(),
    };
  }

  test('is removed by the next one, and nothing else is', async () => {
    const { start, kept, names } = await withDrafts();
    await start().rotate();
    expect(await names()).toEqual(kept);
  });

  test('is removed by a process that starts, and nothing else is', async () => {
    const { start, kept, names } = await withDrafts();
    expect((await start().current())?.kid).toBe(fixedKid);
    expect(await names()).toEqual(kept);
  });

  test('is removed where the file is a link, too', async () => {
    const { start, kept, names, file } = await withDrafts();
    const link = join(await freshFolder(), 'key.json');
    await symlink(file, link);
    await start({ path: link }).rotate();
    expect(await names()).toEqual(kept);
  });
});

describe('a rotation', () => {
  test('makes the first key too', async () => {
    const { start, file } = await createSigners();
    const { kid, previousKid } = await start().rotate();
    expect(previousKid).toBeNull();
    expect((await start().current())?.kid).toBe(kid);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('is seen by every process at once, and leaves nothing beside the file', async () => {
    const { start, put, file, signingKeys } = await createSigners();
    await put(JSON.stringify(fixedJwk));
    const processes = Array.from({ length: 4 }, () => start());
    expect((await start().current())?.kid).toBe(fixedKid);
    const kids = new Set([fixedKid]);
    for (let count = 0; count < 20; count += 1) {
      const { kid } = await start().rotate();
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

  test('registers the key before it is in its place', async () => {
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

  test('that cannot register its key changes nothing', async () => {
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

  test('writes PEM where PEM was, and where the name says so', async () => {
    const { start, put, file } = await createSigners(join(await freshFolder(), 'key'));
    await put(pemOf().privateKey);
    const { kid } = await start().rotate();
    expect(await readFile(file, 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect((await start().current())?.kid).toBe(kid);
    const named = await createSigners(join(await freshFolder(), 'key.pem'));
    await named.start().rotate();
    expect(await readFile(named.file, 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  });

  test('goes through a link, and keeps who may read the file', async () => {
    const { start, put, file } = await createSigners();
    await put(JSON.stringify(fixedJwk));
    await chmod(file, 0o640);
    await symlink(file, `${file}.link`);
    const { kid } = await start({ path: `${file}.link` }).rotate();
    expect((await start().current())?.kid).toBe(kid);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
  });

  test('does not overwrite what is no key', async () => {
    const { start, put, file } = await createSigners();
    await put('my notes');
    await expect(start().rotate()).rejects.toThrow('holds neither PEM nor a JWK');
    expect(await readFile(file, 'utf8')).toBe('my notes');
  });

  test('says how to rotate by hand where nothing can be written', async () => {
    const { start } = await createSigners('/proc/self/mounts/key.json');
    await expect(start().rotate()).rejects.toThrow(/cannot be (read|written)/);
    const inProc = await createSigners('/proc/key.json');
    await expect(inProc.start().rotate()).rejects.toThrow(
      /cannot be written here \(\w+\); put a new key there yourself/,
    );
  });
});
