import { describe, expect, test } from 'vitest';
import type { CompanyCaller } from '#core';
import { createWorld, expectRefusal, expectRefusalSaying, start } from '../../world.ts';

async function aCompany(world = createWorld()) {
  const { id: companyId } = await world.company();
  const self: CompanyCaller = await world.admitCompany(companyId);
  const add = (email: string) => world.companies.addOwnContact(self, { email });
  return { ...world, companyId, self, add };
}

describe('a company', () => {
  test('adds contacts, lists its own, oldest first, and removes them', async () => {
    const { companies, operator, clock, self, companyId, add } = await aCompany();
    const first = await add(' CFO@Harbor.Example ');
    expect(first).toEqual({
      id: expect.stringMatching(/^ct_/),
      companyId,
      email: 'cfo@harbor.example',
      createdAt: start,
    });
    clock.advance(1);
    const second = await add('ceo@harbor.example');
    expect(await companies.listOwnContacts(self)).toEqual([first, second]);
    await companies.removeOwnContact(self, { id: first.id });
    expect(await operator.listContacts({ companyId })).toEqual([second]);
  });

  test('keeps its last contact, whoever removes the others at the same time', async () => {
    const { companies, self, add } = await aCompany();
    const contacts = [await add('a@harbor.example'), await add('b@harbor.example')];
    const outcomes = await Promise.allSettled(
      contacts.map(({ id }) => companies.removeOwnContact(self, { id })),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const [, last] = contacts;
    await expectRefusalSaying(
      companies.removeOwnContact(self, { id: last?.id ?? '' }),
      'last_contact',
      'The last contact of a company cannot be removed',
    );
    expect(await companies.listOwnContacts(self)).toEqual([last]);
  });

  test('has an address once, and at most twenty, also when they are added at once', async () => {
    const { companies, self, add } = await aCompany();
    await add('c0@harbor.example');
    await expectRefusal(add('C0@harbor.example'), 'contact_exists');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 25 }, (_, index) => add(`c${index + 1}@harbor.example`)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(19);
    await expectRefusal(add('late@harbor.example'), 'contact_limit');
    expect(await companies.listOwnContacts(self)).toHaveLength(20);
  });

  test('sees and removes no contact of another company', async () => {
    const world = createWorld();
    const [one, other] = [await aCompany(world), await aCompany(world)];
    const foreign = await other.add('cfo@other.example');
    await other.add('ceo@other.example');
    const own = [await one.add('cfo@harbor.example'), await one.add('ceo@harbor.example')];
    for (const id of [foreign.id, 'ct_none', 'nonsense', '\u0000']) {
      const attempt = world.companies.removeOwnContact(one.self, { id });
      await expectRefusal(attempt, 'contact_not_found');
    }
    expect(await world.companies.listOwnContacts(one.self)).toEqual(own);
    expect(await world.companies.listOwnContacts(other.self)).toHaveLength(2);
  });

  test.each([{}, { email: 5 }, { email: 'nobody' }, { email: 'a@b.example', companyId: 'co_1' }])(
    'is refused to add %j',
    async (input) => {
      const { companies, self } = await aCompany();
      const attempt = async () => companies.addOwnContact(self, input as never);
      await expectRefusal(attempt, 'invalid_parameter');
      await expectRefusal(
        async () => companies.removeOwnContact(self, {} as never),
        'invalid_parameter',
      );
    },
  );
});
