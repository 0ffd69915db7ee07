import { describe, expect, test } from 'vitest';
import { scopes } from '#core';
import { addInvestor, anApiKey, at, freshId } from './builders.ts';
import { type Open, useRepositories } from './open.ts';

export function describeApiKeys(name: string, open: Open): void {
  describe(name, () => {
    const repositories = useRepositories(open);

    test('a key is found by its id, as it was added', async () => {
      const investor = await addInvestor(repositories, { environment: 'test' });
      const { key, digest } = anApiKey(investor, {
        scopes: [...scopes].toReversed(),
        rateLimit: 42,
        createdAt: at(1),
        expiresAt: at(987),
      });
      await repositories.apiKeys.add({ key, digest });
      expect(await repositories.apiKeys.find(key.id)).toEqual(key);
    });

    test('what a key may leave out comes back as null', async () => {
      const investor = await addInvestor(repositories);
      const { key, digest } = anApiKey(investor);
      await repositories.apiKeys.add({ key, digest });
      expect(await repositories.apiKeys.find(key.id)).toEqual(key);
    });

    test('an unknown id is null', async () => {
      expect(await repositories.apiKeys.find(freshId('key'))).toBeNull();
    });

    test('the digest of a key is found by its id, many at once', async () => {
      const investor = await addInvestor(repositories);
      const added = [anApiKey(investor), anApiKey(investor)];
      for (const newKey of added) await repositories.apiKeys.add(newKey);
      const ids = [...added.map(({ key }) => key.id), freshId('key')];
      expect(await Promise.all(ids.map((id) => repositories.apiKeys.readDigest(id)))).toEqual([
        ...added.map(({ digest }) => digest),
        null,
      ]);
    });

    test('keys are listed oldest first, of one investor or of all', async () => {
      const investor = await addInvestor(repositories);
      const other = await addInvestor(repositories);
      const late = anApiKey(investor, { createdAt: at(3) });
      const early = anApiKey(investor, { createdAt: at(1) });
      const foreign = anApiKey(other, { createdAt: at(2) });
      for (const newKey of [late, early, foreign]) await repositories.apiKeys.add(newKey);
      expect(await repositories.apiKeys.list(investor.id)).toEqual([early.key, late.key]);
      const own = [late, early, foreign].map(({ key }) => key.id);
      const all = await repositories.apiKeys.list(null);
      expect(all.filter(({ id }) => own.includes(id))).toEqual([early.key, foreign.key, late.key]);
    });

    test('a key is called what it was called last', async () => {
      const { key, digest } = anApiKey(await addInvestor(repositories), { name: 'Nightly' });
      await repositories.apiKeys.add({ key, digest });
      expect(await repositories.apiKeys.find(key.id)).toEqual(key);
      expect(await repositories.apiKeys.rename(key.id, 'Hourly ☕')).toBe(true);
      expect(await repositories.apiKeys.find(key.id)).toEqual({ ...key, name: 'Hourly ☕' });
      expect(await repositories.apiKeys.rename(freshId('key'), 'Nobody')).toBe(false);
    });

    test('while its investor is suspended a key does not work, also one that is made meanwhile', async () => {
      const { apiKeys, accessFacts, directory } = repositories;
      const investor = await addInvestor(repositories);
      const [before, meanwhile] = [anApiKey(investor), anApiKey(investor)];
      const works = () =>
        Promise.all(
          [before, meanwhile].map(async ({ key, digest }) => ({
            isFound:
              (await accessFacts.authenticate({ digest, companyId: null, now: at() })) !== null,
            endedAt: (await apiKeys.readValidity(key.id))?.revokedAt ?? null,
          })),
        );
      await apiKeys.add(before);
      await directory.suspend({ investorId: investor.id }, at(7));
      await apiKeys.add(meanwhile);
      const ended = { isFound: false, endedAt: at(7) };
      expect(await works()).toEqual([ended, ended]);
      expect(await apiKeys.find(before.key.id)).toEqual(before.key);
      await directory.suspend({ investorId: investor.id }, null);
      const live = { isFound: true, endedAt: null };
      expect(await works()).toEqual([live, live]);
      await apiKeys.revoke(before.key.id, at(8));
      await directory.suspend({ investorId: investor.id }, at(9));
      await directory.suspend({ investorId: investor.id }, null);
      expect(await works()).toEqual([{ isFound: false, endedAt: at(8) }, live]);
    });

    test('the last use of a key is kept where it is later by more than the granularity', async () => {
      const { apiKeys } = repositories;
      const investor = await addInvestor(repositories);
      const [used, unused] = [anApiKey(investor), anApiKey(investor)];
      for (const newKey of [used, unused]) await apiKeys.add(newKey);
      const useAt = async (instant: Date, granularity: number) => {
        const uses = new Map([used.key.id, freshId('key')].map((id) => [id, instant]));
        await apiKeys.keepUses(uses, granularity);
        return (await apiKeys.find(used.key.id))?.lastUsedAt;
      };
      expect(await useAt(at(1_000), 60_000)).toEqual(at(1_000));
      expect(await useAt(at(61_000), 60_000)).toEqual(at(1_000));
      expect(await useAt(at(61_001), 60_000)).toEqual(at(61_001));
      expect(await useAt(at(2_000), 0)).toEqual(at(61_001));
      expect((await apiKeys.find(unused.key.id))?.lastUsedAt).toBeNull();
    });

    test('a revocation is seen by the very next look-up', async () => {
      const newKey = anApiKey(await addInvestor(repositories));
      await repositories.apiKeys.add(newKey);
      expect(await repositories.apiKeys.revoke(newKey.key.id, at(7))).toBe(true);
      const found = await repositories.apiKeys.find(newKey.key.id);
      expect(found).toEqual({ ...newKey.key, revokedAt: at(7) });
    });

    test('a second revocation changes nothing', async () => {
      const newKey = anApiKey(await addInvestor(repositories));
      await repositories.apiKeys.add(newKey);
      await repositories.apiKeys.revoke(newKey.key.id, at(7));
      expect(await repositories.apiKeys.revoke(newKey.key.id, at(8))).toBe(false);
      expect((await repositories.apiKeys.find(newKey.key.id))?.revokedAt).toEqual(at(7));
    });

    test('many keys are asked at once when they work, each answer to its question', async () => {
      const investor = await addInvestor(repositories);
      const ending = anApiKey(investor, { expiresAt: at(987) });
      const revoked = anApiKey(investor);
      for (const newKey of [ending, revoked]) await repositories.apiKeys.add(newKey);
      await repositories.apiKeys.revoke(revoked.key.id, at(7));
      const ids = [revoked.key.id, freshId('key'), ending.key.id, revoked.key.id];
      expect(await Promise.all(ids.map(repositories.apiKeys.readValidity))).toEqual([
        { expiresAt: null, revokedAt: at(7) },
        null,
        { expiresAt: at(987), revokedAt: null },
        { expiresAt: null, revokedAt: at(7) },
      ]);
      const { readValidity } = repositories.companyKeys;
      expect(await readValidity(ending.key.id)).toBeNull();
    });

    test('a key that does not exist cannot be revoked', async () => {
      expect(await repositories.apiKeys.revoke(freshId('key'), at())).toBe(false);
    });

    test('a replaced key ends when it was told to and names its successor', async () => {
      const investor = await addInvestor(repositories);
      const old = anApiKey(investor);
      const successor = anApiKey(investor);
      await repositories.apiKeys.add(old);
      expect(await repositories.apiKeys.replace(old.key, at(5), successor)).toBe(true);
      expect(await repositories.apiKeys.find(old.key.id)).toEqual({
        ...old.key,
        expiresAt: at(5),
        replacedBy: successor.key.id,
      });
      expect(await repositories.apiKeys.find(successor.key.id)).toEqual(successor.key);
    });

    test('with a replaced key the one before it ends, if it still works then, and no other', async () => {
      const { apiKeys } = repositories;
      const investor = await addInvestor(repositories);
      const [first, second, third, beside] = [1, 2, 3, 4].map(() => anApiKey(investor));
      if (!first || !second || !third || !beside) throw new Error('no keys');
      for (const newKey of [first, beside]) await apiKeys.add(newKey);
      await apiKeys.replace(first.key, at(987), second);
      const expiresAt = async ({ key }: { key: { id: string } }) =>
        (await apiKeys.find(key.id))?.expiresAt;
      expect(await apiKeys.replace(second.key, at(999), third, at(5))).toBe(true);
      expect(await expiresAt(first)).toEqual(at(5));
      expect(await expiresAt(second)).toEqual(at(999));
      expect(await expiresAt(third)).toBeNull();
      expect(await expiresAt(beside)).toBeNull();
      const fourth = anApiKey(investor);
      await apiKeys.replace(third.key, at(2000), fourth, at(1500));
      expect(await expiresAt(second)).toEqual(at(999));
    });

    test('a revoked key is not replaced, and the successor does not come to be', async () => {
      const investor = await addInvestor(repositories);
      const old = anApiKey(investor);
      const successor = anApiKey(investor);
      await repositories.apiKeys.add(old);
      await repositories.apiKeys.revoke(old.key.id, at(7));
      expect(await repositories.apiKeys.replace(old.key, at(5), successor)).toBe(false);
      expect(await repositories.apiKeys.find(old.key.id)).toEqual({ ...old.key, revokedAt: at(7) });
      expect(await repositories.apiKeys.find(successor.key.id)).toBeNull();
    });

    test('of many that replace a key at once exactly one does', async () => {
      const investor = await addInvestor(repositories);
      const old = anApiKey(investor);
      await repositories.apiKeys.add(old);
      const successors = Array.from({ length: 8 }, () => anApiKey(investor));
      const replaced = await Promise.all(
        successors.map((successor) => repositories.apiKeys.replace(old.key, at(5), successor)),
      );
      expect(replaced.filter(Boolean)).toHaveLength(1);
      const winner = successors[replaced.indexOf(true)];
      expect((await repositories.apiKeys.find(old.key.id))?.replacedBy).toBe(winner?.key.id);
      expect(await repositories.apiKeys.list(investor.id)).toHaveLength(2);
    });
  });
}
