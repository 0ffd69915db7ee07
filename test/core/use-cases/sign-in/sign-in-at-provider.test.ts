import { describe, expect, test, vi } from 'vitest';
import type { OpenIdConnect, ProviderAnswer, SignInWay } from '#core';
import { createWorld, expectRefusal } from '../../world.ts';
import { email, hour, open, source, withContact } from './sign-in-steps.ts';

async function aWorld(
  answer: ProviderAnswer,
  signInWays: readonly SignInWay[] = ['link', 'oidc'],
  isConfigured = true,
) {
  const openIdConnect = {
    begin: vi.fn<OpenIdConnect['begin']>(async () => ({ url: 'https://id.example', secret: 's' })),
    finish: vi.fn<OpenIdConnect['finish']>(async () => answer),
  };
  const world = createWorld(({ settings }) => ({
    openIdConnect: isConfigured ? openIdConnect : null,
    settings: { ...settings, signInWays },
  }));
  const finish = (more: { source?: string; previousSession?: string } = {}) =>
    world.contacts.finishSignInAtProvider({
      ...{ kept: 'secret', query: 'code=x&state=y', source, previousSession: null },
      ...{ device: 'Firefox on Linux', ...more },
    });
  const { company, contact } = await withContact(world);
  return { ...world, companyId: company.id, contact, openIdConnect, finish };
}

const verified = { email, isEmailVerified: true };

describe('signing in at the identity provider', () => {
  test('opens a session of twelve hours for the contact with the verified email address', async () => {
    const world = await aWorld({ email: 'CFO@Harbor.example', isEmailVerified: true });
    const { contact } = world;
    const now = world.clock.now();
    const signedIn = await world.finish();
    expect(signedIn).toEqual({
      opened: {
        session: expect.stringMatching(/^svc_ds_\w{32}$/),
        expiresAt: new Date(now.getTime() + 12 * hour),
      },
    });
    expect(world.openIdConnect.finish).toHaveBeenCalledWith('secret', 'code=x&state=y', now);
    expect(await world.ports.deskSessions.list(email)).toMatchObject([
      { contactId: contact.id, device: 'Firefox on Linux', signedInBy: 'oidc' },
    ]);
  });

  test.each(['declined', 'outdated', 'invalid', 'unreachable'] as const)(
    'returns the outcome “%s” of the sign-in at the provider, and opens no session',
    async (answer) => {
      const world = await aWorld(answer);
      expect(await world.finish()).toEqual({ refused: answer });
      expect(await world.ports.deskSessions.list(email)).toEqual([]);
    },
  );

  test.each([
    [
      { email, isEmailVerified: false },
      { refused: 'unverified', email },
    ],
    [
      { email, isEmailVerified: null },
      { refused: 'not_told', email },
    ],
    [{ email: null, isEmailVerified: true }, { refused: 'no_email' }],
    [{ email: 'no address', isEmailVerified: true }, { refused: 'no_email' }],
    // The Kelvin sign becomes the letter k in lower case.
    [{ email: 'cfo@har\u{212a}or.example', isEmailVerified: true }, { refused: 'no_email' }],
    [
      { email: 'ceo@harbor.example', isEmailVerified: true },
      { refused: 'no_contact', email: 'ceo@harbor.example' },
    ],
  ])('is refused if the provider returns %j', async (claims, refusal) => {
    const world = await aWorld(claims);
    expect(await world.finish()).toEqual(refusal);
    expect(await world.ports.deskSessions.list(email)).toEqual([]);
  });

  test('looks up no contact if the address isn’t verified', async () => {
    const world = await aWorld({ email, isEmailVerified: false });
    const look = vi.spyOn(world.ports.deskSessions, 'openForAddress');
    await world.finish();
    expect(look).not.toHaveBeenCalled();
  });

  test('calls the provider up to sixty times per minute for one network, without limiting other networks', async () => {
    const world = await aWorld('outdated');
    for (let count = 0; count < 60; count += 1) await world.finish();
    const message = 'Too many people have signed in from here.';
    await expectRefusal(world.finish(), 'rate_limit_exceeded', message);
    expect(world.openIdConnect.finish).toHaveBeenCalledTimes(60);
    expect(await world.finish({ source: '192.0.2.2' })).toEqual({ refused: 'outdated' });
  });

  test('passes on the browser’s state, and whether the person wants to use another account', async () => {
    const { contacts, clock, openIdConnect } = await aWorld(verified);
    const begun = await contacts.beginSignInAtProvider({ kept: 'k', isOtherAccount: true });
    expect(begun).toEqual({ url: 'https://id.example', secret: 's' });
    expect(openIdConnect.begin).toHaveBeenCalledWith('k', {
      isOtherAccount: true,
      now: clock.now(),
    });
  });
});

describe('a disabled way to sign in', () => {
  test.each([
    ['oidc is disabled', ['link'], true],
    ['no provider is configured', ['link', 'oidc'], false],
  ] as const)(
    'refuses to sign in at the identity provider if %s',
    async (_name, ways, isConfigured) => {
      const world = await aWorld(verified, ways, isConfigured);
      await expectRefusal(world.finish(), 'sign_in_way_off');
      const begin = world.contacts.beginSignInAtProvider({ kept: null, isOtherAccount: false });
      await expectRefusal(begin, 'sign_in_way_off');
      expect(world.openIdConnect.finish).not.toHaveBeenCalled();
    },
  );

  test('creates, mails and accepts no sign-in links if sign-in links are disabled', async () => {
    const ways: SignInWay[] = ['link', 'oidc'];
    const world = await aWorld(verified, ways);
    const { companyId } = world;
    const { token } = await world.operator.createSignInLink({ companyId });
    ways.shift();
    expect(world.contacts.listSignInWays()).toEqual(['oidc']);
    await expectRefusal(open(world, token), 'sign_in_way_off');
    await expectRefusal(
      world.operator.createSignInLink({ companyId }),
      'sign_in_way_off',
      'DESK_SIGN_IN doesn’t include link',
    );
    await expectRefusal(world.contacts.requestSignIn({ email, source }), 'sign_in_way_off');
    expect(await world.ports.deskSessions.list(email)).toEqual([]);
  });

  test('ends the sessions that were opened in this way when they are next used, but no other sessions', async () => {
    const ways: SignInWay[] = ['link', 'oidc'];
    const world = await aWorld(verified, ways);
    const byLink = await world.signIn(world.companyId);
    const atProvider = await world.finish();
    if (!('opened' in atProvider)) throw new Error('nobody was signed in');
    expect(await world.admitSession(byLink)).toMatchObject({ actor: { signedInBy: 'link' } });
    ways.shift();
    await expectRefusal(world.admitSession(byLink), 'invalid_api_key');
    expect(await world.admitSession(atProvider.opened.session)).toMatchObject({
      actor: { type: 'contact', signedInBy: 'oidc' },
    });
  });
});
