import { describe, expect, test } from 'vitest';
import type { CompanyCaller } from '#core';
import { createWorld, day, expectRefusal, later } from '../../world.ts';

/** A company whose caller is no key, so that none is counted that the test has not made. */
async function aCompany(world = createWorld()) {
  const { id: companyId, environment } = await world.company();
  const { key } = await world.operator.createCompanyKey({ companyId });
  await world.operator.revokeCompanyKey({ id: key.id });
  const self: CompanyCaller = {
    ...(await world.admitCompany((await world.company()).id)),
    companyId,
    environment,
  };
  return { ...world, companyId, self, revoked: key.id };
}

describe('a company', () => {
  test('lists the keys that work, newest first, before those that do not', async () => {
    const { companies, clock, self, revoked } = await aCompany();
    const ids: string[] = [];
    for (const expiresAt of [null, later(5), null]) {
      clock.advance(1);
      ids.push((await companies.createOwnKey(self, { expiresAt })).key.id);
    }
    clock.set(later(5));
    const [first, ended, last] = ids;
    const listed = (await companies.listOwnKeys(self)).map(({ id }) => id);
    expect(listed).toEqual([last, first, ended, revoked]);
  });

  test('has at most twenty keys that work, also when they are made at once', async () => {
    const { companies, self, revoked } = await aCompany();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 25 }, () => companies.createOwnKey(self)),
    );
    const made = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.key.id : [],
    );
    expect(made).toHaveLength(20);
    const [first = '', second = ''] = made;
    await expectRefusal(companies.createOwnKey(self), 'company_key_limit');
    await expectRefusal(companies.rotateOwnKey(self, { id: first }), 'company_key_limit');
    expect((await companies.listOwnKeys(self)).map(({ id }) => id)).toEqual(
      expect.arrayContaining([...made, revoked]),
    );
    await companies.rotateOwnKey(self, { id: first, overlapMilliseconds: 0 });
    await companies.revokeOwnKey(self, { id: second });
    await companies.createOwnKey(self);
  });

  test('reaches no key of another company, and sees none', async () => {
    const world = createWorld();
    const [one, other] = [await aCompany(world), await aCompany(world)];
    const { companies } = world;
    const { key } = await companies.createOwnKey(other.self);
    for (const id of [key.id, 'ck_none', 'nonsense', '\u0000']) {
      await expectRefusal(companies.rotateOwnKey(one.self, { id }), 'company_key_not_found');
      await expectRefusal(companies.revokeOwnKey(one.self, { id }), 'company_key_not_found');
    }
    expect((await companies.listOwnKeys(one.self)).map(({ id }) => id)).toEqual([one.revoked]);
    expect((await companies.listOwnKeys(other.self))[0]).toEqual(key);
  });

  test('is refused what is no input', async () => {
    const { companies, self } = await aCompany();
    const { key } = await companies.createOwnKey(self);
    for (const attempt of [
      async () => companies.createOwnKey(self, { expiresAt: 'soon' } as never),
      async () => companies.createOwnKey(self, { companyId: 'co_1' } as never),
      async () => companies.revokeOwnKey(self, {} as never),
      async () => companies.rotateOwnKey(self, { id: key.id, overlapMilliseconds: -1 }),
      async () => companies.rotateOwnKey(self, { id: key.id, overlapMilliseconds: 31 * day }),
    ]) {
      await expectRefusal(attempt, 'invalid_parameter');
    }
  });

  test('is told of an outage as of one', async () => {
    const down = new Error('away');
    const world = createWorld(({ companyKeys }) => ({
      companyKeys: {
        ...companyKeys,
        transact: (companyId, work) =>
          companyKeys.transact(companyId, (keys) =>
            work({ ...keys, add: () => Promise.reject(down) }),
          ),
      },
    }));
    const { companies, self } = await aCompany(world);
    await expect(companies.createOwnKey(self)).rejects.toBe(down);
  });
});
