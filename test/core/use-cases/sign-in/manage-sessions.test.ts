import { describe, expect, test, vi } from 'vitest';
import type { PolledEventFeed } from '#core';
import { aCall } from '../../../support/call.ts';
import { aNewcomer, createWorld, expectRefusal, later } from '../../world.ts';
import {
  aContact,
  aSession,
  claim,
  email,
  hour,
  minute,
  open,
  source,
  withContact,
} from './sign-in-steps.ts';

describe('a session', () => {
  test('admits its contact, and charges the budget of the contact and the budget of all people', async () => {
    const { world, company, contact, session } = await aSession();
    const [listed] = await world.ports.deskSessions.list(email);
    expect(await world.contacts.admitContact(session, 2, aCall)).toEqual({
      caller: {
        requestId: aCall.requestId,
        kind: 'contact',
        credentialId: listed?.id,
        email,
        organisationCount: 1,
        contactId: contact.id,
        role: 'admin',
        companyId: company.id,
        companyName: company.name,
        environment: 'live',
        actor: { type: 'contact', id: contact.id, signedInBy: 'link' },
        scopes: ['consents:manage', 'data:read', 'data:write'],
        source: null,
        budget: {
          bucket: `person:${contact.id}`,
          limit: null,
          owner: 'person',
          people: `people:${company.id}`,
        },
      },
      rateLimit: { limit: 600, remaining: 598, resetSeconds: 60, exceeded: false },
    });
  });

  test('can’t be used as an API key, nor an API key as a session', async () => {
    const { world, key, companyId } = await aNewcomer();
    await world.operator.addContact({ companyId, email });
    const session = await world.signIn(companyId);
    const { secret } = await world.operator.createCompanyKey({ companyId });
    const { token } = await world.operator.createSignInLink({ companyId });
    for (const credential of [key, secret, token, '', 'nonsense']) {
      await expectRefusal(world.admitSession(credential), 'invalid_api_key');
    }
    for (const admit of [world.callers.admitCaller, world.companies.admitCompany]) {
      expect(await admit(session, 1, aCall)).toMatchObject({
        refusal: { code: 'invalid_api_key' },
      });
    }
  });

  test('is refused if the contact’s points are used up', async () => {
    const { world, session } = await aSession();
    await world.contacts.admitContact(session, 600, aCall);
    await expectRefusal(world.admitSession(session), 'rate_limit_exceeded');
  });

  test('ends after twelve hours, even if it is in use', async () => {
    const { world, session } = await aSession();
    for (let count = 0; count < 12; count += 1) {
      world.clock.advance(hour - 1);
      await world.admitSession(session);
    }
    world.clock.set(later(12 * hour - 1));
    await world.admitSession(session);
    world.clock.set(later(12 * hour));
    await expectRefusal(world.admitSession(session), 'invalid_api_key');
  });

  test('ends after an hour without use, and stays ended', async () => {
    const { world, session } = await aSession();
    world.clock.advance(hour);
    await expectRefusal(world.admitSession(session), 'invalid_api_key');
    await expectRefusal(world.admitSession(session), 'invalid_api_key');
  });

  test('stores the time of its last use at most once a minute', async () => {
    const { world, session } = await aSession();
    const touch = vi.spyOn(world.ports.deskSessions, 'touch');
    for (const milliseconds of [1, minute - 1, minute, minute + 1, 2 * minute]) {
      world.clock.set(later(milliseconds));
      await world.admitSession(session);
    }
    const times = touch.mock.calls.map(([, now]) => now);
    expect(times).toEqual([later(minute), later(2 * minute)]);
  });

  test('ends at once when its contact is removed, even if the same contact is added again', async () => {
    const { world, company, contact, session } = await aSession();
    await world.operator.removeContact({ id: contact.id, lastAdmin: true });
    await expectRefusal(world.admitSession(session), 'invalid_api_key');
    await world.operator.addContact({ companyId: company.id, email });
    await expectRefusal(world.admitSession(session), 'invalid_api_key');
  });

  test('is refused if its email address no longer belongs to a contact', async () => {
    const { world, session } = await aSession();
    const { deskSessions } = world.ports;
    const { authenticate } = deskSessions;
    deskSessions.authenticate = async (digest) => {
      const found = await authenticate(digest);
      return found && { ...found, organisationCount: 0, chosen: null };
    };
    await expectRefusal(world.admitSession(session), 'invalid_api_key');
  });

  test('ends only its own event streams when it ends', async () => {
    const { world, company } = await aContact();
    const feed = world.ports.eventFeed as PolledEventFeed;
    const person = await world.admitContact(company.id, email);
    const colleague = await world.admitContact(company.id, 'ceo@harbor.example');
    const watch = async (caller: typeof person) =>
      (await world.companies.watchCompanyEvents(caller)).events;
    const own = await watch(person);
    await watch(colleague);
    await world.operator.endContactSession({ id: person.credentialId });
    await feed.checkKeys();
    await expectRefusal(own.next(), 'invalid_api_key');
    expect(feed.size).toBe(1);
  });

  test('must choose another company after its contact is removed from the current company', async () => {
    const world = createWorld();
    const [first, second] = [await withContact(world), await withContact(world)];
    const session = await world.signIn(first.company.id);
    await world.operator.removeContact({ id: first.contact.id, lastAdmin: true });
    const signedIn = await world.admitSession(session);
    expect(signedIn).not.toHaveProperty('companyId');
    expect(signedIn).toMatchObject({ kind: 'signed_in', organisationCount: 1 });
    await world.contacts.chooseOrganisation(signedIn, { id: second.company.id });
    expect(await world.admitSession(session)).toMatchObject({ contactId: second.contact.id });
  });

  test('can choose only companies that have a contact with its email address', async () => {
    const world = createWorld();
    const [first, second] = [await withContact(world), await withContact(world)];
    const foreign = await withContact(world, 'other@harbor.example');
    await world.contacts.requestSignIn({ email, source });
    const [mail] = await claim(world);
    const opened = await open(world, mail?.token ?? '');
    const session = opened?.session ?? '';
    const signedIn = await world.admitSession(session);
    expect(signedIn).toMatchObject({ email, organisationCount: 2 });
    expect(signedIn).not.toHaveProperty('companyId');
    const companies = [first, second].map(({ company: { id, name } }) => ({
      id,
      name,
      kind: 'company',
    }));
    expect(await world.contacts.listOwnOrganisations(signedIn)).toEqual(companies);
    const choose = (companyId: string) =>
      world.contacts.chooseOrganisation(signedIn, { id: companyId });
    for (const id of [foreign.company.id, 'co_none']) {
      const message = /^Your address isn’t a contact of this company or investor\.$/;
      await expectRefusal(choose(id), 'company_not_found', message);
    }
    await expectRefusal(choose(''), 'company_not_found');
    for (const { company, contact } of [second, first]) {
      await choose(company.id);
      expect(await world.admitSession(session)).toMatchObject({
        companyId: company.id,
        contactId: contact.id,
        organisationCount: 2,
      });
    }
  });

  test('is listed with the other sessions of its email address, and each of them can end it', async () => {
    const { world, company } = await aContact();
    const idle = await world.signIn(company.id);
    world.clock.advance(hour);
    const { token } = await world.operator.createSignInLink({ companyId: company.id });
    const first = (await open(world, token))?.session ?? '';
    world.clock.advance(1);
    const second = await world.signIn(company.id);
    const foreign = await world.admitContact(company.id, 'other@harbor.example');
    const caller = await world.admitSession(second);
    const listed = await world.contacts.listSessions(caller);
    const times = (at: Date) => ({
      ...{ createdAt: at, lastSeenAt: at, expiresAt: later(12 * hour, at) },
      signedInBy: 'link',
    });
    expect(listed).toEqual([
      { id: caller.credentialId, ...times(later(hour + 1)), device: null, isCurrent: true },
      {
        id: expect.stringMatching(/^ds_/),
        ...times(later(hour)),
        device: 'Firefox on Linux',
        isCurrent: false,
      },
    ]);
    const other = { id: listed[1]?.id ?? '' };
    await world.contacts.endSession(foreign, other);
    await world.admitSession(first);
    await world.contacts.endSession(caller, other);
    await world.contacts.endSession(caller, other);
    await expectRefusal(world.admitSession(first), 'invalid_api_key');
    await expectRefusal(world.contacts.endSession(caller, {} as never), 'invalid_parameter');
    await world.contacts.signOut(caller);
    await expectRefusal(world.admitSession(second), 'invalid_api_key');
    await expectRefusal(world.admitSession(idle), 'invalid_api_key');
  });

  test('is listed for the operator with other sessions of the company’s contacts, and the operator can end it', async () => {
    const { world, company } = await aContact();
    await world.signIn(company.id);
    world.clock.advance(hour);
    const caller = await world.admitContact(company.id, 'chair@harbor.example');
    await world.admitContact((await world.company()).id, 'other@harbor.example');
    const listed = await world.operator.listContactSessions({ companyId: company.id });
    expect(listed).toMatchObject([{ id: caller.credentialId, email: 'chair@harbor.example' }]);
    await world.operator.endContactSession({ id: caller.credentialId });
    expect(await world.operator.listContactSessions({ companyId: company.id })).toEqual([]);
    await expectRefusal(
      world.operator.endContactSession({ id: caller.credentialId }),
      'session_not_found',
      `the session ${caller.credentialId} doesn’t exist`,
    );
    await expectRefusal(
      world.operator.listContactSessions({ companyId: 'co_none' }),
      'company_not_found',
      'the company co_none doesn’t exist',
    );
  });

  test('can end all other sessions of its email address, but no sessions of another address', async () => {
    const { world, company } = await aContact();
    const others = [await world.signIn(company.id), await world.signIn(company.id)];
    const caller = await world.admitSession(await world.signIn(company.id));
    const foreign = await world.admitContact(company.id, 'other@harbor.example');
    await world.contacts.endOtherSessions(caller);
    for (const other of others) await expectRefusal(world.admitSession(other), 'invalid_api_key');
    const ids = (await world.contacts.listSessions(caller)).map(({ id }) => id);
    expect(ids).toEqual([caller.credentialId]);
    expect(await world.contacts.listSessions(foreign)).toHaveLength(1);
  });

  test('accepts each submitted form only once, but another session can use the same form id', async () => {
    const { world, company } = await aContact();
    const [one, two] = [await world.signIn(company.id), await world.signIn(company.id)];
    const [caller, other] = [await world.admitSession(one), await world.admitSession(two)];
    const id = 'a-form-of-a-page-1';
    expect(await world.contacts.claimForm(caller, { id })).toBe(true);
    expect(await world.contacts.claimForm(caller, { id })).toBe(false);
    expect(await world.contacts.claimForm(other, { id })).toBe(true);
    for (const ill of ['', 'short', 'x'.repeat(65), 'a form of a page']) {
      await expectRefusal(world.contacts.claimForm(caller, { id: ill }), 'invalid_parameter');
    }
  });
});
