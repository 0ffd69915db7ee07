import { describe, expect, test } from 'vitest';
import { type Company, type CompanyKey, type Key, type Keys, type NewKey, scopes } from '#core';
import {
  addCompany,
  addInvestor,
  anApiKey,
  anEntry,
  at,
  freshDigest,
  freshId,
  keyChanges,
} from './builders.ts';
import { contract } from './contract.ts';

function aCompanyKey(
  { id: companyId, environment }: Company,
  overrides: Partial<CompanyKey> = {},
): NewKey<CompanyKey> {
  return {
    key: {
      id: freshId('ck'),
      companyId,
      environment,
      hint: `svc_ck_${environment}_…9aZ3`,
      name: null,
      scopes: ['consents:manage', 'data:read'],
      source: null,
      createdAt: at(),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      replacedBy: null,
      ...overrides,
    },
    digest: freshDigest(),
  };
}

function describeKeys<K extends Key, Holder extends { readonly id: string }>(
  keys: () => Keys<K>,
  addHolder: () => Promise<Holder>,
  aKey: (holder: Holder, overrides?: Partial<Key>) => NewKey<K>,
) {
  const addKeys = async (...added: readonly NewKey<K>[]) => {
    for (const newKey of added) await keyChanges(keys()).add(newKey);
  };
  const addKey = async () => {
    const newKey = aKey(await addHolder());
    await addKeys(newKey);
    return newKey;
  };
  const find = ({ key }: NewKey<K>) => keys().find(key.id);

  test('a key is found by its id, and keys are listed oldest first, for one owner or for all owners', async () => {
    const holder = await addHolder();
    const late = aKey(holder, { createdAt: at(3), expiresAt: at(987) });
    const early = aKey(holder, { createdAt: at(1) });
    const foreign = aKey(await addHolder(), { createdAt: at(2) });
    await addKeys(late, early, foreign);
    expect(await find(late)).toEqual(late.key);
    expect(await keys().find(freshId('key'))).toBeNull();
    expect(await keys().list(holder.id)).toEqual([early.key, late.key]);
    const own = [late, early, foreign].map(({ key }) => key.id);
    const all = await keys().list(null);
    expect(all.filter(({ id }) => own.includes(id))).toEqual([early.key, foreign.key, late.key]);
  });

  test('a renamed key is read back with its new name, and a key that doesn’t exist can’t be renamed', async () => {
    const newKey = aKey(await addHolder(), { name: 'Nightly' });
    await addKeys(newKey);
    expect(await find(newKey)).toEqual(newKey.key);
    expect(await keyChanges(keys()).rename(newKey.key.id, 'Hourly ☕')).toBe(true);
    expect(await find(newKey)).toEqual({ ...newKey.key, name: 'Hourly ☕' });
    expect(await keyChanges(keys()).rename(freshId('key'), 'Nobody')).toBe(false);
  });

  test('the last use of a key is stored only if it is later than the stored use by more than the granularity', async () => {
    const [used, unused] = [await addKey(), await addKey()];
    const useAt = async (instant: Date, granularity: number) => {
      const uses = new Map([used.key.id, freshId('key')].map((id) => [id, instant]));
      await keys().storeUses(uses, granularity);
      return (await find(used))?.lastUsedAt;
    };
    expect(await useAt(at(1_000), 60_000)).toEqual(at(1_000));
    expect(await useAt(at(61_000), 60_000)).toEqual(at(1_000));
    expect(await useAt(at(61_001), 60_000)).toEqual(at(61_001));
    expect(await useAt(at(2_000), 0)).toEqual(at(61_001));
    expect((await find(unused))?.lastUsedAt).toBeNull();
  });

  test('a key can be revoked only once, and the next read shows the revocation', async () => {
    const newKey = await addKey();
    const { id } = newKey.key;
    expect(await keyChanges(keys()).revoke(id, at(7))).toBe(true);
    expect(await find(newKey)).toEqual({ ...newKey.key, revokedAt: at(7) });
    expect(await keys().readValidity(id)).toMatchObject({ revokedAt: at(7) });
    expect(await keyChanges(keys()).revoke(id, at(8))).toBe(false);
    expect((await find(newKey))?.revokedAt).toEqual(at(7));
    expect(await keyChanges(keys()).revoke(freshId('key'), at())).toBe(false);
  });

  test('the validity of many keys can be read together, and each read returns the right one', async () => {
    const holder = await addHolder();
    const [ending, revoked] = [aKey(holder, { expiresAt: at(987) }), aKey(holder)];
    await addKeys(ending, revoked);
    await keyChanges(keys()).revoke(revoked.key.id, at(7));
    const ids = [revoked.key.id, freshId('key'), ending.key.id, revoked.key.id];
    expect(await Promise.all(ids.map(keys().readValidity))).toEqual([
      { expiresAt: null, revokedAt: at(7) },
      null,
      { expiresAt: at(987), revokedAt: null },
      { expiresAt: null, revokedAt: at(7) },
    ]);
  });

  test('the replacement of a key also ends the key’s active predecessor, but no other key', async () => {
    const holder = await addHolder();
    const [first, second, third, beside] = [
      aKey(holder),
      aKey(holder),
      aKey(holder),
      aKey(holder),
    ] as const;
    await addKeys(first, beside);
    await keyChanges(keys()).replace(first.key, at(987), second);
    const expiresAt = async (newKey: NewKey<K>) => (await find(newKey))?.expiresAt;
    expect(await keyChanges(keys()).replace(second.key, at(999), third, at(5))).toBe(true);
    expect(await expiresAt(first)).toEqual(at(5));
    expect(await expiresAt(second)).toEqual(at(999));
    expect(await expiresAt(third)).toBeNull();
    expect(await expiresAt(beside)).toBeNull();
    await keyChanges(keys()).replace(third.key, at(2000), aKey(holder), at(1500));
    expect(await expiresAt(second)).toEqual(at(999));
  });

  test('a revoked key can’t be replaced, and no successor is created', async () => {
    const holder = await addHolder();
    const [old, successor] = [aKey(holder), aKey(holder)];
    await addKeys(old);
    await keyChanges(keys()).revoke(old.key.id, at(7));
    expect(await keyChanges(keys()).replace(old.key, at(5), successor)).toBe(false);
    expect(await find(old)).toEqual({ ...old.key, revokedAt: at(7) });
    expect(await find(successor)).toBeNull();
  });

  test('exactly one of many simultaneous replacements succeeds, and the old key ends', async () => {
    const holder = await addHolder();
    const old = aKey(holder);
    await addKeys(old);
    const successors = Array.from({ length: 8 }, () => aKey(holder));
    const replaced = await Promise.all(
      successors.map((successor) => keyChanges(keys()).replace(old.key, at(5), successor)),
    );
    expect(replaced.filter(Boolean)).toHaveLength(1);
    const replacedBy = successors[replaced.indexOf(true)]?.key.id;
    expect(await find(old)).toMatchObject({ expiresAt: at(5), replacedBy });
    expect(await keys().list(holder.id)).toHaveLength(2);
  });

  test('the keys of an owner are listed up to a limit, active keys first, newest first within each group', async () => {
    const holder = await addHolder();
    const [first, ended, second, revoked] = [
      aKey(holder, { createdAt: at(1) }),
      aKey(holder, { createdAt: at(2), expiresAt: at(50) }),
      aKey(holder, { createdAt: at(3), expiresAt: at(51) }),
      aKey(holder, { createdAt: at(4) }),
    ];
    await addKeys(first, ended, second, revoked, aKey(await addHolder()));
    await keyChanges(keys()).revoke(revoked.key.id, at(9));
    const latest = await keys().listLatest(holder.id, at(50), 10);
    const inOrder = [second, first, revoked, ended];
    expect(latest.map(({ id }) => id)).toEqual(inOrder.map(({ key }) => key.id));
    expect(await keys().listLatest(holder.id, at(50), 1)).toEqual([second.key]);
  });

  test('changes of an owner’s keys run one by one, so the owner never exceeds a limit of three keys', async () => {
    const holder = await addHolder();
    const full = new Error('there are three');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () =>
        keys().transact(holder.id, null, async (own) => {
          await own.add(aKey(holder), anEntry());
          if ((await own.list(holder.id)).length > 3) throw full;
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual(
      Array(5).fill({ status: 'rejected', reason: full }),
    );
    expect(await keys().list(holder.id)).toHaveLength(3);
  });

  test('a change replaces keys by their successors and revokes other keys, or changes nothing', async () => {
    const holder = await addHolder();
    const [old, other, successor] = [
      aKey(holder, { createdAt: at(1) }),
      aKey(holder, { createdAt: at(2) }),
      aKey(holder, { createdAt: at(3) }),
    ];
    await addKeys(old, other);
    const change = (error?: Error) =>
      keys().transact(holder.id, null, async (own) => {
        expect(await own.replace(old.key, at(5), successor, undefined, anEntry())).toBe(true);
        expect(await own.revoke(other.key.id, at(6), anEntry())).toBe(true);
        if (error !== undefined) throw error;
        return own.find(successor.key.id);
      });
    await expect(change(new Error('not so'))).rejects.toThrow('not so');
    expect(await keys().list(holder.id)).toEqual([old.key, other.key]);
    expect(await change()).toEqual(successor.key);
    expect(await keys().list(holder.id)).toEqual([
      { ...old.key, expiresAt: at(5), replacedBy: successor.key.id },
      { ...other.key, revokedAt: at(6) },
      successor.key,
    ]);
  });
}

export const keysContract = contract('keys', (repositories) => {
  describe('of investors', () => {
    describeKeys(
      () => repositories.apiKeys,
      () => addInvestor(repositories),
      anApiKey,
    );

    test('a key is read back with all optional fields', async () => {
      const { apiKeys } = repositories;
      const investor = await addInvestor(repositories, { environment: 'test' });
      const newKey = anApiKey(investor, {
        scopes: [...scopes].toReversed(),
        rateLimit: 42,
        createdAt: at(1),
        expiresAt: at(987),
      });
      await keyChanges(apiKeys).add(newKey);
      expect(await apiKeys.find(newKey.key.id)).toEqual(newKey.key);
    });

    test('the digests of many keys can be read by id together', async () => {
      const { apiKeys } = repositories;
      const investor = await addInvestor(repositories);
      const added = [anApiKey(investor), anApiKey(investor)];
      for (const newKey of added) await keyChanges(apiKeys).add(newKey);
      const ids = [...added.map(({ key }) => key.id), freshId('key')];
      expect(await Promise.all(ids.map(apiKeys.readDigest))).toEqual([
        ...added.map(({ digest }) => digest),
        null,
      ]);
    });

    test('an investor’s key isn’t found as a company key', async () => {
      const { key, digest } = anApiKey(await addInvestor(repositories));
      await keyChanges(repositories.apiKeys).add({ key, digest });
      expect(await repositories.companyKeys.readValidity(key.id)).toBeNull();
      expect(await repositories.companyKeys.authenticate({ digest, now: at() })).toBeNull();
    });

    test('a key doesn’t work while its investor is suspended, even if it is created during the suspension', async () => {
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
      await keyChanges(apiKeys).add(before);
      await directory.suspend({ investorId: investor.id }, at(7), anEntry());
      await keyChanges(apiKeys).add(meanwhile);
      const ended = { isFound: false, endedAt: expect.any(Date) };
      expect(await works()).toEqual([ended, ended]);
      expect(await apiKeys.find(before.key.id)).toEqual(before.key);
      await directory.suspend({ investorId: investor.id }, null, anEntry());
      const live = { isFound: true, endedAt: null };
      expect(await works()).toEqual([live, live]);
      await keyChanges(apiKeys).revoke(before.key.id, at(8));
      await directory.suspend({ investorId: investor.id }, at(9), anEntry());
      await directory.suspend({ investorId: investor.id }, null, anEntry());
      expect(await works()).toEqual([{ isFound: false, endedAt: at(8) }, live]);
    });
  });

  describe('of companies', () => {
    describeKeys(
      () => repositories.companyKeys,
      () => addCompany(repositories, { environment: 'test' }),
      aCompanyKey,
    );

    test('simultaneous authentications each return their own key in its current state', async () => {
      const { companyKeys } = repositories;
      const company = await addCompany(repositories);
      const added = [
        aCompanyKey(company),
        aCompanyKey(company, { expiresAt: at(7), scopes: ['data:write'], source: 'Ledger' }),
      ];
      for (const newKey of added) await keyChanges(companyKeys).add(newKey);
      const digests = [...added.map(({ digest }) => digest), freshDigest()];
      const lookAt = (now: Date) =>
        Promise.all(
          [...digests, ...digests].map((digest) => companyKeys.authenticate({ digest, now })),
        );
      const { id: companyId, environment } = company;
      const [early, late] = added.map(({ key: { id, scopes, source, expiresAt } }) => {
        return { id, companyId, environment, scopes, source, expiresAt, revokedAt: null };
      });
      expect(await lookAt(at(6))).toEqual([early, late, null, early, late, null]);
      expect(await lookAt(at(7))).toEqual([early, null, null, early, null, null]);
      await keyChanges(companyKeys).revoke(early?.id ?? '', at(9));
      expect(await lookAt(at(6))).toEqual([null, late, null, null, late, null]);
    });

    test('a company key isn’t found as an investor’s key', async () => {
      const newKey = aCompanyKey(await addCompany(repositories));
      await keyChanges(repositories.companyKeys).add(newKey);
      const question = { digest: newKey.digest, companyId: null, now: at() };
      expect(await repositories.accessFacts.authenticate(question)).toBeNull();
    });
  });
});
