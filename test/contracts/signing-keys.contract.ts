import { expect, test } from 'vitest';
import type { PublicKey } from '#core';
import { at, digestOf, freshId } from './builders.ts';
import { contract } from './contract.ts';

export const signingKeysContract = contract('signing keys', (repositories) => {
  function aKey(): PublicKey {
    const kid = freshId('kid');
    return { kid, x: digestOf(kid).slice(0, 43) };
  }

  const find = async ({ kid }: PublicKey) =>
    (await repositories.signingKeys.list()).find((key) => key.kid === kid);

  test('a key that is registered a second time keeps its first registration and its number', async () => {
    const key = aKey();
    const first = await repositories.signingKeys.register(key, at(1));
    expect(first).toEqual({
      ...key,
      number: expect.any(Number),
      createdAt: at(1),
      signsAt: at(1),
      isImported: false,
      retiredAt: null,
    });
    expect(await repositories.signingKeys.register(key, at(2))).toEqual(first);
    expect(await find(key)).toEqual(first);
  });

  test('the time when a key begins to sign can be moved earlier, but not later', async () => {
    const key = aKey();
    await repositories.signingKeys.register(key, at(1), at(6));
    expect(await find(key)).toMatchObject({ createdAt: at(1), signsAt: at(6) });
    expect(await repositories.signingKeys.registerFirst(key, at(2))).toEqual(await find(key));
    const sooner = await repositories.signingKeys.register(key, at(2));
    expect(sooner).toMatchObject({ createdAt: at(1), signsAt: at(2) });
    await repositories.signingKeys.register(key, at(3), at(8));
    expect(await find(key)).toEqual(sooner);
  });

  test('simultaneous registrations of the same key create one key', async () => {
    const key = aKey();
    const registered = await Promise.all(
      Array.from({ length: 20 }, () => repositories.signingKeys.register(key, at())),
    );
    expect(new Set(registered.map(({ number }) => number)).size).toBe(1);
    const listed = await repositories.signingKeys.list();
    expect(listed.filter(({ kid }) => kid === key.kid)).toHaveLength(1);
  });

  test('keys are listed by number', async () => {
    const keys = [aKey(), aKey(), aKey()];
    for (const key of keys) await repositories.signingKeys.register(key, at());
    const listed = await repositories.signingKeys.list();
    const numbers = listed.map(({ number }) => number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(listed.slice(-3).map(({ kid }) => kid)).toEqual(keys.map(({ kid }) => kid));
  });

  test('repeated registrations of the same key use up no numbers', async () => {
    const [key, next] = [aKey(), aKey()];
    const { number } = await repositories.signingKeys.register(key, at());
    for (let count = 0; count < 5; count += 1) {
      await repositories.signingKeys.register(key, at());
    }
    expect((await repositories.signingKeys.register(next, at())).number).toBe(number + 1);
  });

  test('a key without signatures can be retired once, and then stays retired', async () => {
    const key = aKey();
    const registered = await repositories.signingKeys.register(key, at());
    expect(await repositories.signingKeys.retire(key.kid, at(5))).toBe('retired');
    expect(await repositories.signingKeys.retire(key.kid, at(6))).toBe('retired');
    expect(await find(key)).toEqual({ ...registered, retiredAt: at(5) });
    await expect(repositories.signingKeys.register(key, at(7))).rejects.toMatchObject({
      code: 'signing_key_conflict',
    });
    expect(await find(key)).toEqual({ ...registered, retiredAt: at(5) });
  });

  test('only the very first key registers itself, and an operator registers each later key', async () => {
    const [first, key] = [aKey(), aKey()];
    await repositories.signingKeys.register(first, at(1));
    expect(await repositories.signingKeys.registerFirst(key, at(2))).toBeNull();
    expect(await find(key)).toBeUndefined();
    const registered = await repositories.signingKeys.register(key, at(3));
    expect(await repositories.signingKeys.registerFirst(key, at(4))).toEqual(registered);
    await repositories.signingKeys.retire(key.kid, at(5));
    await expect(repositories.signingKeys.registerFirst(key, at(6))).rejects.toMatchObject({
      code: 'signing_key_conflict',
    });
  });

  test('an unknown key can’t be retired', async () => {
    expect(await repositories.signingKeys.retire(aKey().kid, at())).toBe('unknown');
  });
});
