import { describe, expect, test, vi } from 'vitest';
import type { Contact, Role } from '#core';
import { createWorld, expectRefusal, later, start } from '../../world.ts';

async function aCompany(world = createWorld()) {
  const { companies, operator } = world;
  const { id: companyId } = await world.company();
  const self = await world.admitCompany(companyId);
  const asCompany = {
    add: async (email: string, role?: Role) => companies.addOwnContact(self, { email, role }),
    list: () => companies.listOwnContacts(self),
    remove: async (id: string) => companies.removeOwnContact(self, { id }),
  };
  const asOperator: typeof asCompany = {
    add: (email, role) => operator.addContact({ companyId, email, role }),
    list: () => operator.listContacts({ companyId }),
    remove: (id) => operator.removeContact({ id, lastAdmin: true }),
  };
  return { ...world, companyId, self, 'a company': asCompany, 'an operator': asOperator };
}

describe.each(['a company', 'an operator'] as const)('%s', (who) => {
  test('adds contacts with trimmed lower-case addresses, lists them oldest first, and removes them', async () => {
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
    const second = await contacts.add('ceo@harbor.example', 'admin');
    expect(await contacts.list()).toEqual([first, second]);
    await contacts.remove(first.id);
    expect(await contacts.list()).toEqual([second]);
    await expectRefusal(contacts.remove(first.id), 'contact_not_found');
  });

  test('adds an address once per company, and can add it to several companies', async () => {
    const world = createWorld();
    const { [who]: contacts } = await aCompany(world);
    const { [who]: others } = await aCompany(world);
    const contact = await contacts.add('cfo@harbor.example');
    await expectRefusal(contacts.add('CFO@harbor.example'), 'contact_exists');
    await others.add('cfo@harbor.example');
    expect(await contacts.list()).toEqual([contact]);
  });

  test('adds at most twenty contacts, even if they are added at the same time', async () => {
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
  ])('can’t add the address %j', async (email) => {
    const { [who]: contacts } = await aCompany();
    await expectRefusal(() => contacts.add(email), 'invalid_parameter', 'parameter email');
  });

  test('gets an error for the removal of an unknown contact', async () => {
    const { [who]: contacts } = await aCompany();
    const contact = await contacts.add('cfo@harbor.example');
    for (const id of ['ct_none', 'nonsense', '\u0000']) {
      await expectRefusal(contacts.remove(id), 'contact_not_found');
    }
    await expectRefusal(contacts.remove(undefined as never), 'invalid_parameter');
    expect(await contacts.list()).toEqual([contact]);
  });
});

interface Given {
  readonly email: string;
  readonly role?: Role;
}

interface OwnContacts<Caller> {
  addOwnContact(caller: Caller, input: Given): Promise<Contact>;
  changeOwnContactRole(caller: Caller, input: { id: string; role: Role }): Promise<Contact>;
  removeOwnContact(caller: Caller, input: { id: string; lastAdmin: true }): Promise<void>;
}

const peopleOf = <Caller>(useCases: OwnContacts<Caller>, caller: Caller) => ({
  add: (given: Given) => useCases.addOwnContact(caller, given),
  setRole: (id: string, role: Role) => useCases.changeOwnContactRole(caller, { id, role }),
  remove: (id: string) => useCases.removeOwnContact(caller, { id, lastAdmin: true }),
});

async function twoAdmins(side: 'company' | 'investor') {
  const world = createWorld();
  const { operator, companies, callers } = world;
  const own =
    side === 'company'
      ? { companyId: (await world.company()).id }
      : { investorId: (await world.investor()).id };
  const [first, second] = ['a@harbor.example', 'b@harbor.example'] as const;
  for (const email of [first, second]) await operator.addContact({ ...own, email, role: 'admin' });
  const list = () => operator.listContacts(own);
  if ('companyId' in own) {
    const people = peopleOf(companies, await world.admitContact(own.companyId, first));
    return { world, people, middle: 'approver', list } as const;
  }
  const people = peopleOf(callers, await world.admitInvestorContact(own.investorId, first));
  return { world, people, middle: 'member', list } as const;
}

describe.each(['company', 'investor'] as const)('the contacts of the %s', (side) => {
  test('are viewers unless an admin chooses another role', async () => {
    const { people, middle, list } = await twoAdmins(side);
    await people.add({ email: 'c@harbor.example' });
    await people.add({ email: 'd@harbor.example', role: middle });
    expect((await list()).map(({ role }) => role)).toEqual(['admin', 'admin', 'viewer', middle]);
  });

  test('can’t have an investor’s role if they belong to a company, or a company’s role if they belong to an investor', async () => {
    const { people, middle, list } = await twoAdmins(side);
    const foreign = middle === 'member' ? 'approver' : 'member';
    const email = 'c@harbor.example';
    const [first] = await list();
    for (const attempt of [
      () => people.add({ email, role: foreign }),
      () => people.setRole(first?.id ?? '', foreign),
    ]) {
      await expectRefusal(attempt, 'invalid_parameter', 'parameter role');
    }
  });

  test('are invited by mail if an admin adds them', async () => {
    const { world, people } = await twoAdmins(side);
    await world.background.claimMails(10);
    await people.add({ email: 'c@harbor.example' });
    const claimed = await world.background.claimMails(10);
    expect(claimed.filter(({ kind }) => kind === 'contact_invited')).toMatchObject([
      { to: 'c@harbor.example' },
    ]);
  });

  test.each(['remove', 'demote'] as const)(
    'keep one admin if two simultaneous calls try to %s both admins',
    async (how) => {
      const { world, people, list } = await twoAdmins(side);
      const end = (id: string) =>
        how === 'remove' ? people.remove(id) : people.setRole(id, 'viewer');
      // The first contact is the caller. In reversed order, the caller is removed or demoted last.
      const all = (await list()).toReversed();
      const outcomes = await Promise.allSettled(all.map(({ id }) => end(id)));
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      const last = (await list()).find(({ role }) => role === 'admin');
      const id = last?.id ?? '';
      await expectRefusal(people.remove(id), 'last_admin');
      await expectRefusal(people.setRole(id, 'viewer'), 'last_admin');
      await people.setRole(id, 'admin');
      const { operator } = world;
      await expectRefusal(operator.changeContactRole({ id, role: 'viewer' }), 'last_admin');
      await expectRefusal(operator.removeContact({ id }), 'last_admin');
      await operator.removeContact({ id, lastAdmin: true });
      expect((await list()).filter(({ role }) => role === 'admin')).toEqual([]);
    },
  );

  test('can be removed if they aren’t admins, or if there is another admin', async () => {
    const { people, list } = await twoAdmins(side);
    const viewer = await people.add({ email: 'c@harbor.example' });
    await people.remove(viewer.id);
    const [, second] = await list();
    await people.remove(second?.id ?? '');
    expect(await list()).toHaveLength(1);
  });

  test('aren’t visible to another company or investor', async () => {
    const { world, people } = await twoAdmins(side);
    const { id: companyId } = await world.company();
    const { id } = await world.operator.addContact({ companyId, email: 'x@tide.example' });
    await expectRefusal(people.remove(id), 'contact_not_found');
    await expectRefusal(people.setRole(id, 'viewer'), 'contact_not_found');
    await expectRefusal(people.setRole('ct_none', 'viewer'), 'contact_not_found');
  });
});

describe('an operator', () => {
  test('gets contact_not_found for an unknown contact', async () => {
    const { operator } = createWorld();
    for (const attempt of [
      operator.removeContact({ id: 'ct_none' }),
      operator.changeContactRole({ id: 'ct_none', role: 'viewer' }),
    ]) {
      await expectRefusal(attempt, 'contact_not_found', 'the contact ct_none doesn’t exist');
    }
  });

  test('lists the contacts of all companies', async () => {
    const world = createWorld();
    const [one, other] = [await aCompany(world), await aCompany(world)];
    const all = [
      await one['an operator'].add('cfo@harbor.example'),
      await other['an operator'].add('cfo@harbor.example'),
    ];
    expect(await world.operator.listContacts()).toEqual(all);
  });

  test('gets an error that contains the ID of an unknown company', async () => {
    const { operator } = createWorld();
    const companyId = 'co_none';
    const add = operator.addContact({ companyId, email: 'a@b.example' });
    await expectRefusal(add, 'company_not_found', 'co_none');
    await expectRefusal(operator.listContacts({ companyId }), 'company_not_found', 'co_none');
  });
});

const hour = 3_600_000;

async function anAdmin(world = createWorld()) {
  const { investor } = await world.newcomer();
  const admin = await world.admitInvestorContact(investor.id);
  let invited = 0;
  async function inviteAndRemove(by = admin) {
    invited += 1;
    const email = `person${invited}@victim.example`;
    world.clock.advance(60_000);
    const { id } = await world.callers.addOwnContact(by, { email });
    await world.callers.removeOwnContact(by, { id });
  }
  return { world, admin, investor, inviteAndRemove };
}

test('an admin who repeatedly invites and removes people is limited to 40 invitations per hour', async () => {
  const { world, investor, inviteAndRemove } = await anAdmin();
  // The addition of the admin is the first invitation of the hour.
  for (let count = 1; count < 40; count += 1) await inviteAndRemove();
  const refused = await expectRefusal(inviteAndRemove(), 'rate_limit_exceeded');
  expect(refused).toMatchObject({
    message: '40 people were already invited within an hour.',
    retryAfterSeconds: 3_600,
  });
  await world.operator.addContact({ investorId: investor.id, email: 'cfo@fund.example' });
  const other = await anAdmin(world);
  await other.inviteAndRemove();
  world.clock.set(later(hour));
  // The first session has ended by now.
  await inviteAndRemove(await world.admitInvestorContact(investor.id));
});

test('invitations are refused if the settings log of the last hour is too long to count invitations', async () => {
  const { world, investor, inviteAndRemove } = await anAdmin();
  const { items } = await world.operator.listSettingsChanges({ investorId: investor.id });
  const entry = items.find(({ type }) => type !== 'contact.added') ?? expect.fail();
  const list = vi.spyOn(world.ports.settingsChanges, 'list');
  list.mockResolvedValue(Array(1_000).fill(entry));
  await expectRefusal(inviteAndRemove(), 'rate_limit_exceeded');
  list.mockResolvedValue(Array(999).fill(entry));
  await inviteAndRemove();
  expect(list.mock.calls.at(-1)).toMatchObject([{ limit: 1_000 }]);
});
