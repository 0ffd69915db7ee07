import { describe, expect, test } from 'vitest';
import { createWorld, expectRefusal, expectRefusalSaying, start } from '../../world.ts';

/** A company, and what it and an operator can do about its contacts. */
async function aCompany(world = createWorld()) {
  const { companies, operator } = world;
  const { id: companyId } = await world.company();
  const self = await world.admitCompany(companyId);
  const asCompany = {
    add: async (email: string) => companies.addOwnContact(self, { email }),
    list: () => companies.listOwnContacts(self),
    remove: async (id: string) => companies.removeOwnContact(self, { id }),
  };
  const asOperator: typeof asCompany = {
    add: (email) => operator.addContact({ companyId, email }),
    list: () => operator.listContacts({ companyId }),
    remove: (id) => operator.removeContact({ id }),
  };
  return { ...world, companyId, self, 'a company': asCompany, 'an operator': asOperator };
}

describe.each(['a company', 'an operator'] as const)('%s', (who) => {
  test('adds contacts, in lower case and without space, lists them, oldest first, and removes them', async () => {
    const { clock, companyId, [who]: contacts } = await aCompany();
    const first = await contacts.add(' CFO@Harbor.Example ');
    expect(first).toEqual({
      id: expect.stringMatching(/^ct_/),
      owner: { companyId },
      email: 'cfo@harbor.example',
      role: 'admin',
      createdAt: start,
    });
    clock.advance(1);
    const second = await contacts.add('ceo@harbor.example');
    expect(await contacts.list()).toEqual([first, second]);
    await contacts.remove(first.id);
    expect(await contacts.list()).toEqual([second]);
    await expectRefusal(contacts.remove(first.id), 'contact_not_found');
  });

  test('adds an address once to a company, and to two companies', async () => {
    const world = createWorld();
    const { [who]: contacts } = await aCompany(world);
    const { [who]: others } = await aCompany(world);
    const contact = await contacts.add('cfo@harbor.example');
    await expectRefusal(contacts.add('CFO@harbor.example'), 'contact_exists');
    await others.add('cfo@harbor.example');
    expect(await contacts.list()).toEqual([contact]);
  });

  test('adds at most twenty, also at once', async () => {
    const { [who]: contacts } = await aCompany();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 25 }, (_, index) => contacts.add(`c${index}@harbor.example`)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    await expectRefusal(contacts.add('late@harbor.example'), 'contact_limit');
    expect(await contacts.list()).toHaveLength(20);
  });

  test.each([
    '',
    'nobody',
    'a@b',
    'a b@harbor.example',
    'a@harbor.example\r\nBcc: b@harbor.example',
    'Name <a@harbor.example>',
    `${'a'.repeat(250)}@b.example`,
    5 as never,
  ])('is refused the address %j', async (email) => {
    const { [who]: contacts } = await aCompany();
    await expectRefusalSaying(() => contacts.add(email), 'invalid_parameter', 'parameter email');
  });

  test('finds no contact that is none', async () => {
    const { [who]: contacts } = await aCompany();
    const contact = await contacts.add('cfo@harbor.example');
    for (const id of ['ct_none', 'nonsense', '\u0000']) {
      await expectRefusal(contacts.remove(id), 'contact_not_found');
    }
    await expectRefusal(contacts.remove(undefined as never), 'invalid_parameter');
    expect(await contacts.list()).toEqual([contact]);
  });
});

describe('a company', () => {
  test('keeps its last contact, whoever removes the others at the same time', async () => {
    const { 'a company': contacts, 'an operator': operator } = await aCompany();
    const both = [await contacts.add('a@harbor.example'), await contacts.add('b@harbor.example')];
    const outcomes = await Promise.allSettled(both.map(({ id }) => contacts.remove(id)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const [, last] = both;
    await expectRefusal(contacts.remove(last?.id ?? ''), 'last_contact');
    expect(await contacts.list()).toEqual([last]);
    await operator.remove(last?.id ?? '');
    expect(await contacts.list()).toEqual([]);
  });

  test('sees and removes no contact of another company', async () => {
    const world = createWorld();
    const [one, other] = [await aCompany(world), await aCompany(world)];
    const foreign = await other['a company'].add('cfo@other.example');
    await other['a company'].add('ceo@other.example');
    const own = [
      await one['a company'].add('cfo@harbor.example'),
      await one['a company'].add('ceo@harbor.example'),
    ];
    await expectRefusal(one['a company'].remove(foreign.id), 'contact_not_found');
    expect(await one['a company'].list()).toEqual(own);
    expect(await other['a company'].list()).toHaveLength(2);
  });

  test('names no other company', async () => {
    const { companies, self } = await aCompany();
    const input = { email: 'a@b.example', companyId: 'co_1' } as never;
    await expectRefusal(async () => companies.addOwnContact(self, input), 'invalid_parameter');
  });
});

describe('an operator', () => {
  test('lists the contacts of all companies', async () => {
    const world = createWorld();
    const [one, other] = [await aCompany(world), await aCompany(world)];
    const all = [
      await one['an operator'].add('cfo@harbor.example'),
      await other['an operator'].add('cfo@harbor.example'),
    ];
    expect(await world.operator.listContacts()).toEqual(all);
  });

  test('is refused contacts of no company, and is told which one there is not', async () => {
    const { operator } = createWorld();
    const companyId = 'co_none';
    const add = operator.addContact({ companyId, email: 'a@b.example' });
    await expectRefusalSaying(add, 'company_not_found', 'co_none');
    await expectRefusalSaying(operator.listContacts({ companyId }), 'company_not_found', 'co_none');
    const remove = operator.removeContact({ id: 'ct_none' });
    await expectRefusalSaying(remove, 'contact_not_found', 'there is no contact ct_none');
  });
});
