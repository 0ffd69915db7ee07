import { describe, expect, test } from 'vitest';
import { aCall } from '../../../support/call.ts';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { recordsIn } from '../../../support/records-in.ts';
import { aNewcomer, createWorld, expectRefusal } from '../../world.ts';
import { email, hour } from './sign-in-steps.ts';

/** An investor with a contact, and a company whose data the contact can read. */
async function reading(options?: { readonly isGranted: boolean }) {
  const { world, newcomer } = await aNewcomer();
  await importLines(world.operator, sampleData(newcomer.companyId));
  if (options?.isGranted !== false) await world.grant(newcomer);
  const { investorId } = newcomer.caller;
  const person = await world.admitInvestorContact(investorId);
  const { companyId } = newcomer;
  const read = () => world.callers.readLatestMetrics(person, { companyId });
  return { world, newcomer, investorId, companyId, person, read };
}

describe('a contact of an investor', () => {
  test('is admitted with all scopes and its own budget', async () => {
    const { person, investorId } = await reading();
    expect(person).toMatchObject({
      kind: 'investor_contact',
      investorId,
      role: 'admin',
      protocol: 'desk',
      scopes: expect.arrayContaining(['companies:read', 'metrics:read', 'accounts:read']),
      budget: {
        bucket: `person:${person.contactId}`,
        limit: null,
        owner: 'person',
        people: `people:${investorId}`,
      },
    });
  });

  test('can read granted data, and the investor and the company see the contact in the access record', async () => {
    const { world, newcomer, companyId, person, read } = await reading();
    expect(await read()).not.toEqual([]);
    const named = { protocol: 'desk', keyId: null, contactId: person.contactId };
    expect(recordsIn(await world.callers.listAccessRecords(newcomer.caller))).toMatchObject([
      named,
    ]);
    const self = await world.admitCompany(companyId);
    const list = async () => (await world.companies.listReceivedRecords(self)).items;
    expect(await list()).toMatchObject([
      { ...named, keyHint: null, contactEmail: 'analyst@northwind.example' },
    ]);
    await world.operator.removeContact({ id: person.contactId, lastAdmin: true });
    expect(await list()).toMatchObject([{ ...named, contactEmail: null }]);
  });

  test('can’t read data without a grant, and the refusal is recorded', async () => {
    const { world, companyId, person, read } = await reading({ isGranted: false });
    await expectRefusal(read(), 'access_required');
    const self = await world.admitCompany(companyId);
    expect((await world.companies.listReceivedRecords(self)).items).toMatchObject([
      { contactId: person.contactId, outcome: 'access_required' },
    ]);
  });

  test.each<[string, (given: Awaited<ReturnType<typeof reading>>) => Promise<unknown>]>([
    [
      'the contact is removed',
      ({ world, person }) =>
        world.operator.removeContact({ id: person.contactId, lastAdmin: true }),
    ],
    [
      'an operator ends the session',
      ({ world, person }) => world.operator.endContactSession({ id: person.credentialId }),
    ],
    ['the session is idle for an hour', async ({ world }) => world.clock.advance(hour)],
    [
      'the session chooses another organisation',
      async ({ world, person }) => {
        const { id } = await world.company();
        await world.operator.addContact({ companyId: id, email: person.email });
        await world.contacts.chooseOrganisation(person, { id });
      },
    ],
  ])('can no longer read if %s, even during a running API call', async (_, end) => {
    const given = await reading();
    await given.read();
    await end(given);
    await expectRefusal(given.read(), 'invalid_api_key');
  });

  test('is the actor in the history of the contact’s own access requests', async () => {
    const { world, companyId, person } = await reading({ isGranted: false });
    const asked = await world.callers.requestAccess(person, {
      companyId,
      scopes: ['metrics:read'],
    });
    const self = await world.admitCompany(companyId);
    const { id } = asked.accessRequest;
    await world.callers.withdrawAccessRequest(person, { id });
    const { history } = await world.companies.readReceivedRequest(self, { id });
    const actor = { type: 'contact', id: person.contactId };
    expect(history).toMatchObject([
      { type: 'access_request.created', actor },
      { type: 'access_request.withdrawn', actor },
    ]);
  });

  test('can also be a contact of companies, but acts for only one organisation at a time', async () => {
    const world = createWorld();
    const [company, investor] = [await world.company(), await world.investor()];
    await world.operator.addContact({ companyId: company.id, email });
    await world.operator.addContact({ investorId: investor.id, email });
    const session = await world.signIn(company.id, email);
    await world.contacts.chooseOrganisation(await world.admitSession(session), {
      id: investor.id,
    });
    expect(await world.contacts.listOwnOrganisations(await world.admitSession(session))).toEqual([
      { id: company.id, name: company.name, kind: 'company' },
      { id: investor.id, name: investor.name, kind: 'investor' },
    ]);
    const admission = await world.contacts.admitContact(session, 1, aCall);
    expect(admission).toMatchObject({
      caller: { kind: 'investor_contact', investorName: investor.name },
    });
    expect('caller' in admission && admission.caller).not.toHaveProperty('companyId');
  });
});
