import { describe, expect, test } from 'vitest';
import { type Kind, prepareChanges, tryChanges } from '../../every-change.ts';
import { aNewcomer, createWorld, day, expectRefusal, later } from '../../world.ts';

const hour = 3_600_000;

async function aWorld() {
  const world = createWorld();
  return { world, prepared: await prepareChanges({ operators: world, callers: world }) };
}

type Given = Awaited<ReturnType<typeof aWorld>>;
type End = (given: Given) => unknown;

/** Ways to end a credential or to remove one of its rights, by kind of caller. */
const ends: Readonly<Record<Kind, Readonly<Record<string, End>>>> = {
  program: {
    'its revocation': ({ world, prepared }) =>
      world.operator.revokeCompanyKey({ id: prepared.companyKey.id }),
    'its rotation without an overlap': ({ world, prepared }) =>
      world.operator.rotateCompanyKey({ id: prepared.companyKey.id, overlapMilliseconds: 0 }),
    'the suspension of its company': ({ world, prepared }) =>
      world.operator.suspendCompany({ id: prepared.companyId }),
  },
  key: {
    'its revocation': ({ world, prepared }) => world.operator.revokeApiKey({ id: prepared.keyId }),
    'its rotation without an overlap': ({ world, prepared }) =>
      world.operator.rotateApiKey({ id: prepared.keyId, overlapMilliseconds: 0 }),
  },
  person: {
    'signing out': ({ world, prepared }) => world.contacts.signOut(prepared.callers.person),
    'the removal of its contact': ({ world, prepared }) =>
      world.operator.removeContact({ id: prepared.callers.person.contactId, lastAdmin: true }),
    'an hour without a visit': ({ world }) => world.clock.set(later(hour)),
    'the suspension of its company': ({ world, prepared }) =>
      world.operator.suspendCompany({ id: prepared.companyId }),
    'the choice of another organisation': async ({ world, prepared }) => {
      const { id: companyId } = await world.company();
      const { person } = prepared.callers;
      await world.operator.addContact({ companyId, email: person.email });
      await world.contacts.chooseOrganisation(person, { id: companyId });
    },
  },
  partner: {
    'signing out': ({ world, prepared }) => world.contacts.signOut(prepared.callers.partner),
    'the removal of its contact': ({ world, prepared }) =>
      world.operator.removeContact({ id: prepared.callers.partner.contactId, lastAdmin: true }),
    'an hour without a visit': ({ world }) => world.clock.set(later(hour)),
  },
};

const kinds = Object.keys(ends) as Kind[];
const cases = kinds.flatMap((kind) =>
  Object.entries(ends[kind]).map(([name, end]) => [kind, name, end] as const),
);

describe('a change with a credential that ended after its caller was admitted', () => {
  test.each(cases)('is refused and changes nothing for a %s after %s', async (kind, _name, end) => {
    const given = await aWorld();
    await end(given);
    const before = await given.prepared.look();
    const outcomes = await tryChanges(given.prepared, kind);
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['invalid_api_key']));
    expect(await given.prepared.look()).toEqual(before);
  });

  test.each(['person', 'partner'] as const)(
    'is refused if it requires a role that the caller no longer has: a %s who is now a viewer',
    async (kind) => {
      const { world, prepared } = await aWorld();
      await world.operator.addContact({
        ...(kind === 'person'
          ? { companyId: prepared.companyId }
          : { investorId: prepared.investorId }),
        email: 'another.admin@harbor.example',
        role: 'admin',
      });
      const { contactId: id } = prepared.callers[kind];
      await world.operator.changeContactRole({ id, role: 'viewer' });
      const before = await prepared.look();
      // Contacts of every role may change their own mail settings.
      const { saveOwnMailSettings: _, ...outcomes } = await tryChanges(prepared, kind);
      expect(new Set(Object.values(outcomes))).toEqual(new Set(['insufficient_role']));
      expect(await prepared.look()).toEqual(before);
    },
  );

  test('is refused if it requires a scope that the API key has lost', async () => {
    const { world, prepared } = await aWorld();
    const narrow = await world.admitCompany(prepared.companyId, { scopes: ['data:read'] });
    const outcomes = await tryChanges(prepared, 'program', { credentialId: narrow.credentialId });
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['insufficient_scope']));
  });

  test('is refused if the access token has expired or doesn’t have the required scope', async () => {
    const { world, prepared } = await aWorld();
    const { keyId } = prepared;
    const ended = { token: { keyId, scopes: ['webhooks:manage'], expiresAt: later(0) } };
    const { rotateCallingKey: _, ...outcomes } = await tryChanges(prepared, 'key', ended);
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['invalid_api_key']));
    const narrow = { token: { keyId, scopes: ['metrics:read'], expiresAt: later(day) } };
    const { key } = prepared.callers;
    await expectRefusal(
      world.callers.createWebhookEndpoint({ ...key, ...narrow }, { url: 'https://x.example/' }),
      'insufficient_scope',
    );
  });

  test('is refused if the API key has expired', async () => {
    const { world, caller, companyId } = await aNewcomer({ expiresAt: later(hour) });
    world.clock.set(later(hour));
    const asking = world.callers.requestAccess(caller, { companyId, scopes: ['metrics:read'] });
    await expectRefusal(asking, 'invalid_api_key');
  });

  test('is refused even if the service would only return the stored result of an idempotency key', async () => {
    const { world, caller, companyId, keyId } = await aNewcomer();
    const input = { companyId, scopes: ['metrics:read' as const], idempotencyKey: 'key-1' };
    await world.callers.requestAccess(caller, input);
    await world.operator.revokeApiKey({ id: keyId });
    await expectRefusal(world.callers.requestAccess(caller, input), 'invalid_api_key');
  });

  test('is refused if the investor is now suspended', async () => {
    const { world, prepared } = await aWorld();
    await world.operator.suspendInvestor({ id: prepared.investorId });
    const before = await prepared.look();
    for (const kind of ['key', 'partner'] as const) {
      const { requestAccess, amendAccessRequest, ...others } = await tryChanges(prepared, kind);
      expect(new Set(Object.values(others))).toEqual(new Set(['invalid_api_key']));
      // The portfolio of a suspended investor is empty, and the portfolio is checked first.
      expect([requestAccess, amendAccessRequest]).toEqual(Array(2).fill('company_not_found'));
    }
    expect(await prepared.look()).toEqual(before);
  });
});

describe('a change with a credential that still works', () => {
  test.each(kinds)('succeeds in each use case that is open to a %s', async (kind) => {
    const { prepared } = await aWorld();
    const { replayWebhook, ...outcomes } = await tryChanges(prepared, kind);
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['done']));
    // The credential was accepted, because the missing delivery is checked only afterwards.
    expect(replayWebhook).toBe('webhook_delivery_not_found');
  });

  test('is tested here for each use case that changes something', async () => {
    const { world, prepared } = await aWorld();
    const reads = /^(admit|charge|count|list|page|preview|read|wait|walk|watch)/;
    const changing = (useCases: object) =>
      Object.keys(useCases).filter((name) => !reads.test(name));
    const tried = (...of: Kind[]) => [
      ...new Set(of.flatMap((kind) => Object.keys(prepared.changes[kind][2]))),
    ];
    expect(tried('program', 'person').toSorted()).toEqual(changing(world.companies).toSorted());
    expect(tried('key', 'partner').toSorted()).toEqual(changing(world.callers).toSorted());
  });

  test('can end the same credential: a key rotates or revokes itself, and a contact removes itself', async () => {
    const { world, prepared } = await aWorld();
    const { program, person } = prepared.callers;
    await world.companies.rotateOwnKey(program, { id: program.credentialId });
    await world.companies.revokeOwnKey(program, { id: program.credentialId });
    await expectRefusal(world.companies.createOwnKey(program), 'invalid_api_key');
    const { companyId } = prepared;
    await world.operator.addContact({ companyId, email: 'another@harbor.example', role: 'admin' });
    await world.companies.removeOwnContact(person, { id: person.contactId });
    await expectRefusal(world.companies.createOwnKey(person), 'invalid_api_key');
  });
});

test('one admin remains if two admins remove each other at the same time', async () => {
  const world = createWorld();
  const { id: companyId } = await world.company();
  const first = await world.admitContact(companyId, 'a@harbor.example');
  const second = await world.admitContact(companyId, 'b@harbor.example');
  const outcomes = await Promise.allSettled([
    world.companies.removeOwnContact(first, { id: second.contactId }),
    world.companies.removeOwnContact(second, { id: first.contactId }),
  ]);
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'invalid_api_key' } },
  ]);
  expect(await world.operator.listContacts({ companyId })).toMatchObject([
    { id: first.contactId, role: 'admin' },
  ]);
});

test('a session that has ended can’t end other sessions of its email address', async () => {
  const world = createWorld();
  const { id: companyId } = await world.company();
  const ended = await world.admitContact(companyId);
  const other = await world.admitContact(companyId);
  await world.contacts.signOut(ended);
  await world.contacts.endOtherSessions(ended);
  await world.contacts.endSession(ended, { id: other.credentialId });
  expect(await world.contacts.listSessions(other)).toHaveLength(1);
});
