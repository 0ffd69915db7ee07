import { expect, test } from 'vitest';
import {
  createAccessEvent,
  type ErasedPerson,
  type Erasure,
  type Owner,
  operator,
  type SettingsChange,
} from '#core';
import { asOfNow } from '../support/call.ts';
import {
  accountRecord,
  addPair,
  addRequests,
  aMetric,
  anAccessRequest,
  anAccount,
  anApiKey,
  anEndpoint,
  aSource,
  at,
  aVoid,
  contactChanges,
  declined,
  freshId,
  importAll,
  keyChanges,
  metricRecord,
  sourceRecord,
  voidRecord,
} from './builders.ts';
import { contract } from './contract.ts';

/** Rules that leave a visible mark on each text that they change. */
const erasure: Erasure = {
  erasedAt: at(5_000),
  request: (request) => ({ ...request, purpose: 'erased' }),
  consent: ({ event, receipt }) =>
    event.reason === 'kept'
      ? null
      : {
          event: { ...event, reason: 'erased' },
          receipt: { ...receipt, companyName: 'Erased', investorName: 'Erased' },
        },
  entry: (entry) => ({
    ...entry,
    actor: { ...entry.actor, name: 'erased' },
    subject: { ...entry.subject, name: 'erased' },
    changes: { email: { from: null, to: 'erased' } },
  }),
  text: 'erased',
};

export const erasuresContract = contract('erasures', (repositories) => {
  const anEntryOf = (owner: Owner, overrides: Partial<SettingsChange> = {}): SettingsChange => ({
    id: freshId('chg'),
    type: 'contact.added',
    createdAt: at(1_000),
    companyId: null,
    investorId: null,
    ...owner,
    actor: { type: 'contact', id: 'ct_1', name: 'ada@example.com' },
    subject: { type: 'contact', id: 'ct_2', name: 'bob@example.com' },
    changes: { email: { from: null, to: 'bob@example.com' } },
    ...overrides,
  });

  const addContact = async (owner: Owner, email: string) => {
    const contact = { id: freshId('ct'), owner, email, role: 'admin', createdAt: at() } as const;
    const entry = anEntryOf(owner, { subject: { type: 'contact', id: contact.id, name: email } });
    const { add } = contactChanges(repositories.contacts);
    expect(await add(contact, freshId('ml'), entry)).toBe(true);
    return { contact, entry };
  };

  /** Creates a company and an investor with a declined access request and all other data that a company can have. */
  async function makeWorld() {
    const pair = await addPair(repositories);
    const { company, investor } = pair;
    const owner = { companyId: company.id };
    const request = declined(anAccessRequest(pair, { purpose: 'Purpose' }));
    await addRequests(repositories, request);
    const [told, kept] = ['Reason', 'kept'].map((reason) =>
      createAccessEvent(freshId('evt'), request, operator, at(2_000), reason),
    );
    await repositories.accessRequests.transact(null, async (transaction) => {
      for (const event of [told, kept]) if (event) await transaction.addEvent(event, null);
    });
    const email = `${company.id}@example.com`;
    const { contact, entry } = await addContact(owner, email);
    const key = anApiKey(investor, { name: 'Notebook' });
    await keyChanges(repositories.apiKeys).add(key);
    const endpoint = anEndpoint({ owner });
    await repositories.webhookEndpoints.add(null, endpoint, 10, anEntryOf(owner));
    await importAll(repositories, [
      metricRecord(aMetric(company)),
      sourceRecord(aSource(company)),
      accountRecord(anAccount(company)),
    ]);
    return { ...pair, owner, request, email, contact, entry, keyId: key.key.id };
  }

  type World = Awaited<ReturnType<typeof makeWorld>>;

  const receiptsOf = async ({ request }: World) =>
    (await repositories.receipts.list({ accessRequestId: request.id, after: null, limit: 10 })) ??
    [];

  const entriesOf = (owner: Owner) =>
    repositories.settingsChanges.list({ owner, before: null, limit: 100 });

  const readWorld = async (world: World) => ({
    company: await repositories.directory.findCompany(world.company.id),
    investor: await repositories.directory.findInvestor(world.investor.id),
    key: await repositories.apiKeys.find(world.keyId),
    contacts: await repositories.contacts.list(world.owner),
    endpoints: await repositories.webhookEndpoints.list(world.owner),
    entries: await entriesOf(world.owner),
    receipts: await receiptsOf(world),
  });

  const eraseOwner = (owner: Owner, change = anEntryOf(owner, { createdAt: at(9_000) })) =>
    repositories.erasures.eraseOwner({ ...erasure, owner, name: 'Erased', change });

  const nothing = { people: 0, receipts: 0, otherRows: 0 };

  const anyChange = ({ owner }: ErasedPerson) => anEntryOf(owner, { type: 'contact.erased' });

  const erasePerson = (email: string, changeOf = anyChange, rules: Partial<Erasure> = {}) => {
    const isCovered = (text: string) => text.split(' ').includes(email);
    const { erasures } = repositories;
    return erasures.erasePerson({ ...erasure, ...rules, email, isCovered, changeOf });
  };

  const dataOf = async ({ company }: World) => {
    const of = {
      companyId: company.id,
      environment: company.environment,
      publicKeyUrl: '',
      dataVersion: await repositories.companyData.version(company.id),
      terms: null,
    };
    return {
      names: [...(await repositories.companyData.metricNames(company.id)).values()],
      sources: await repositories.companyData.sources(of),
      accounts: await repositories.companyData.accounts(of),
    };
  };

  test('the erasure of a company erases all its data and no data of another company', async () => {
    const [world, other] = [await makeWorld(), await makeWorld()];
    const before = await readWorld(other);
    const version = await repositories.companyData.version(world.company.id);
    const change = anEntryOf(world.owner, { type: 'company.erased', createdAt: at(9_000) });
    expect(await eraseOwner(world.owner, change)).toEqual({ people: 1, receipts: 1 });
    const { company, contacts, endpoints, entries, receipts } = await readWorld(world);
    expect(company).toMatchObject({ name: 'Erased', suspendedAt: erasure.erasedAt });
    expect([contacts, endpoints]).toEqual([[], []]);
    expect(entries[0]).toEqual(change);
    expect(entries.slice(1).map(({ subject }) => subject.name)).toEqual(['erased', 'erased']);
    expect(receipts.map(({ event }) => event.reason)).toEqual(['erased', 'kept']);
    expect(receipts[0]?.receipt).toMatchObject({ companyName: 'Erased', investorName: 'Erased' });
    const { names, sources, accounts } = await dataOf(world);
    expect(names).toMatchObject([{ label: 'cash_balance' }]);
    expect([sources, accounts]).toEqual([[], []]);
    expect(await repositories.companyData.version(world.company.id)).not.toBe(version);
    expect(await readWorld(other)).toEqual(before);
    expect((await dataOf(other)).names).toMatchObject([{ label: 'Cash balance' }]);
  });

  test('the erasure of an investor revokes its keys and removes their names', async () => {
    const world = await makeWorld();
    await eraseOwner({ investorId: world.investor.id });
    const { investor, key, contacts } = await readWorld(world);
    expect(investor).toMatchObject({ name: 'Erased', suspendedAt: erasure.erasedAt });
    expect(key).toMatchObject({ name: 'erased', revokedAt: erasure.erasedAt });
    expect(contacts).toHaveLength(1);
  });

  test('nothing is erased while the company or the investor has an open access request', async () => {
    const world = await makeWorld();
    const live = anAccessRequest(world, { createdAt: at(3_000) });
    await addRequests(repositories, live);
    const before = await readWorld(world);
    expect(await eraseOwner(world.owner)).toEqual({ live: [live.id] });
    expect(await readWorld(world)).toEqual(before);
  });

  test('an access request past its deadline doesn’t prevent an erasure, even before its expiry is stored', async () => {
    const world = await makeWorld();
    const createdAt = at(3_000);
    await addRequests(repositories, anAccessRequest(world, { createdAt, deadlineAt: at(4_000) }));
    expect(await eraseOwner(world.owner)).toEqual({ people: 1, receipts: 1 });
  });

  test('nothing is erased if an erasure rule throws an error', async () => {
    const world = await makeWorld();
    const before = await readWorld(world);
    const entry = () => {
      throw new Error('no');
    };
    const change = anEntryOf(world.owner);
    const failing = { ...erasure, entry, owner: world.owner, name: 'Erased', change };
    await expect(repositories.erasures.eraseOwner(failing)).rejects.toThrow('no');
    expect(await readWorld(world)).toEqual(before);
  });

  test('a person’s address is erased from each company and investor, even where the person is a former contact', async () => {
    const [world, other] = [await makeWorld(), await makeWorld()];
    const { email } = world;
    const elsewhere = await addContact({ investorId: world.investor.id }, email);
    const before = await readWorld(other);
    const people: ErasedPerson[] = [];
    const changeOf = (person: ErasedPerson) => {
      people.push(person);
      return anEntryOf(person.owner, { type: 'contact.erased', createdAt: at(9_000) });
    };
    // The other erased rows are two log entries and three mails to the address.
    expect(await erasePerson(email, changeOf)).toEqual({ people: 2, receipts: 0, otherRows: 5 });
    expect(people).toEqual(
      expect.arrayContaining(
        [world.contact, elsewhere.contact].map(({ id, owner }) => ({ contactId: id, owner })),
      ),
    );
    const { contacts, entries, company } = await readWorld(world);
    expect(contacts).toEqual([]);
    expect(entries.map(({ type }) => type)).toContain('contact.erased');
    expect(entries.find(({ id }) => id === world.entry.id)).toMatchObject({
      subject: { name: 'erased' },
    });
    expect(company).toEqual(world.company);
    expect(await readWorld(other)).toEqual(before);
    expect(await erasePerson(email, changeOf)).toEqual(nothing);
  });

  test('a person’s address is erased from the names of keys, but a longer address that contains it stays', async () => {
    const { investor } = await makeWorld();
    const email = `${freshId('ann')}@fund.co`;
    const [own, longer] = [`Notebook of ${email}`, `Notebook of jo${email}m`];
    const keys = [own, longer].map((name) => anApiKey(investor, { name }));
    for (const key of keys) await keyChanges(repositories.apiKeys).add(key);
    expect(await erasePerson(email)).toEqual({ ...nothing, otherRows: 1 });
    const found = await Promise.all(keys.map(({ key }) => repositories.apiKeys.find(key.id)));
    expect(found.map((key) => key?.name)).toEqual(['erased', longer]);
    expect(await erasePerson(email)).toEqual(nothing);
  });

  test('a person’s address is erased from the reasons of voids, even if the company has no such contact', async () => {
    const email = `${freshId('ann')}@fund.co`;
    const reasons = [`Says ${email}`, `Says jo${email}m`];
    const voided = await Promise.all(
      reasons.map(async (reason) => {
        const { company } = await addPair(repositories);
        await importAll(repositories, [metricRecord(aMetric(company))]);
        await importAll(repositories, [voidRecord(aVoid(company, reason))]);
        return company;
      }),
    );
    const versions = () =>
      Promise.all(voided.map(({ id }) => repositories.companyData.version(id)));
    const before = await versions();
    const { otherRows, ...others } = await erasePerson(email);
    expect(others).toEqual({ people: 0, receipts: 0 });
    expect(otherRows).toBeGreaterThan(0);
    const found = await Promise.all(
      voided.map(({ id }) => repositories.companyData.metricRevisions(asOfNow(id), 'cash_balance')),
    );
    expect(found.map((revisions) => revisions.at(-1))).toMatchObject(
      ['erased', reasons[1]].map((voidReason) => ({ rawValue: null, voidReason })),
    );
    const after = await versions();
    expect(after.map((version, index) => version === before[index])).toEqual([false, true]);
  });

  test('an erasure neither changes nor counts rows for which its rules return null', async () => {
    const world = await makeWorld();
    const email = `${freshId('ann')}@fund.co`;
    const longer = `jo${email}m`;
    await addContact(world.owner, longer);
    await addRequests(
      repositories,
      declined(anAccessRequest(world, { purpose: longer, createdAt: at(3_000) })),
    );
    const before = await readWorld(world);
    const rules = { request: () => null, consent: () => null, entry: () => null };
    expect(await erasePerson(email, anyChange, rules)).toEqual(nothing);
    expect(await readWorld(world)).toEqual(before);
  });
});
