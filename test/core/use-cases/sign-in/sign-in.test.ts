import { describe, expect, test, vi } from 'vitest';
import { createWorld, expectRefusal, later, start } from '../../world.ts';
import { aContact, aSession, claim, email, minute, open, withContact } from './sign-in-steps.ts';

describe('a sign-in link created by the operator', () => {
  test('is for the oldest contact by default, or for a given contact', async () => {
    const { world, company } = await aContact();
    world.clock.advance(1);
    await world.operator.addContact({ companyId: company.id, email: 'ceo@harbor.example' });
    expect(await world.operator.createSignInLink({ companyId: company.id })).toEqual({
      token: expect.stringMatching(/^svc_sl_/),
      email,
      expiresAt: later(15 * minute + 1),
    });
    const named = { companyId: company.id, email: ' CEO@harbor.example ' };
    expect((await world.operator.createSignInLink(named)).email).toBe('ceo@harbor.example');
    expect(await claim(world)).toEqual([]);
  });

  test('is stored without its token and in the state handed_out, so it isn’t mailed', async () => {
    const { world, company } = await aContact();
    const add = vi.spyOn(world.ports.signInLinks, 'add');
    const { token } = await world.operator.createSignInLink({ companyId: company.id });
    const link = {
      id: expect.stringMatching(/^sl_/),
      email,
      owner: { companyId: company.id },
      state: 'handed_out',
      attempts: 0,
      nextAttemptAt: null,
      createdAt: start,
      expiresAt: later(15 * minute),
    };
    expect(add.mock.calls).toEqual([[link, world.ports.cryptography.sha256(token)]]);
  });

  test('signs in to the company that it was created for', async () => {
    const { world } = await aContact();
    const { company } = await withContact(world);
    const session = await world.signIn(company.id);
    expect(await world.admitSession(session)).toMatchObject({
      companyId: company.id,
      companyName: company.name,
      organisationCount: 2,
    });
  });

  test('works for a quarter of an hour', async () => {
    const { world, company } = await aContact();
    const [first, second] = [
      await world.operator.createSignInLink({ companyId: company.id }),
      await world.operator.createSignInLink({ companyId: company.id }),
    ];
    world.clock.advance(15 * minute - 1);
    expect(await open(world, first.token)).not.toBeNull();
    world.clock.advance(1);
    expect(await open(world, second.token)).toBeNull();
  });

  test('doesn’t work after the contact was removed from its company', async () => {
    const { world } = await aContact();
    const { company, contact } = await withContact(world);
    const { token } = await world.operator.createSignInLink({ companyId: company.id });
    await world.operator.removeContact({ id: contact.id, lastAdmin: true });
    expect(await open(world, token)).toBeNull();
  });

  test('is refused for an unknown company or an owner without contacts, and the error contains a hint', async () => {
    const { operator, company, investor } = createWorld();
    const { id } = await company();
    const { id: investorId } = await investor();
    await expectRefusal(
      operator.createSignInLink({ investorId }),
      'contact_not_found',
      `${investorId} has no contact; add it with: contact add --investor ${investorId} --email ADDRESS`,
    );
    const add = `add it with: contact add --company ${id} --email ADDRESS`;
    await expectRefusal(
      operator.createSignInLink({ companyId: 'co_none' }),
      'company_not_found',
      'the company co_none doesn’t exist',
    );
    await expectRefusal(
      operator.createSignInLink({ companyId: id }),
      'contact_not_found',
      `${id} has no contact; ${add}`,
    );
    await expectRefusal(
      operator.createSignInLink({ companyId: id, email }),
      'contact_not_found',
      `${id} has no contact with this address; ${add}`,
    );
  });
});

describe('signing in', () => {
  test('stores the browser’s language and time zone for mails', async () => {
    const { world, company, contact } = await aContact();
    const from = async (browser: { language?: string; timeZone?: string }) => {
      const { token } = await world.operator.createSignInLink({ companyId: company.id });
      await world.contacts.signIn({ token, previousSession: null, device: null, ...browser });
      const { language, timeZone } = (await world.ports.contacts.findMailReader(contact.id)) ?? {};
      return { language, timeZone };
    };
    expect(await from({})).toEqual({ language: null, timeZone: null });
    const nowhere = { language: 'de', timeZone: 'Nowhere/Land' };
    expect(await from(nowhere)).toEqual({ language: 'de', timeZone: null });
    const berlin = { language: 'en', timeZone: 'Europe/Berlin' };
    expect(await from(berlin)).toEqual(berlin);
    const travelling = { language: 'de', timeZone: 'Asia/Tokyo' };
    expect(await from(travelling)).toEqual({ language: 'de', timeZone: 'Europe/Berlin' });
  });

  test('is refused with a malformed token, and causes no database query', async () => {
    const world = createWorld();
    const lookUp = vi.spyOn(world.ports.deskSessions, 'open');
    for (const token of ['', `svc_sl_${'A'.repeat(31)}`, `svc_ds_${'A'.repeat(32)}`]) {
      expect(await open(world, token)).toBeNull();
    }
    expect(lookUp).not.toHaveBeenCalled();
    expect(await open(world, `svc_sl_${'A'.repeat(32)}`)).toBeNull();
    expect(lookUp).toHaveBeenCalled();
  });

  test('creates a new session credential each time, and ends the browser’s previous session', async () => {
    const { world, company, session: before } = await aSession();
    const { token } = await world.operator.createSignInLink({ companyId: company.id });
    const opened = await open(world, token, before);
    expect(opened?.session).not.toBe(before);
    await expectRefusal(world.admitSession(before), 'invalid_api_key');
    await world.admitSession(opened?.session ?? '');
  });

  test('keeps the browser’s previous session if the link doesn’t work', async () => {
    const { world, session: before } = await aSession();
    expect(await open(world, `svc_sl_${'A'.repeat(32)}`, before)).toBeNull();
    await world.admitSession(before);
  });

  test('doesn’t use a session credential that an attacker has planted in the browser', async () => {
    const { world, company } = await aContact();
    const planted = `svc_ds_${'A'.repeat(32)}`;
    const { token } = await world.operator.createSignInLink({ companyId: company.id });
    await open(world, token, planted);
    await expectRefusal(world.admitSession(planted), 'invalid_api_key');
  });

  test.each([
    ['device', { token: '', previousSession: null, device: 'x'.repeat(201) }],
    ['device', { token: '', previousSession: null, device: 'a\u0000' }],
    ['token', { token: 1 as never, previousSession: null, device: null }],
    ['previousSession', { token: '', previousSession: 1 as never, device: null }],
  ])('is refused with an invalid %s', async (parameter, input) => {
    const error = await expectRefusal(createWorld().contacts.signIn(input), 'invalid_parameter');
    expect(error).toMatchObject({ parameter });
  });
});
