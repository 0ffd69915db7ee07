import { describe, expect, test, vi } from 'vitest';
import { contactChanges } from '../../../contracts/builders.ts';
import { createWorld, expectRefusal, later, start } from '../../world.ts';
import {
  aContact,
  claim,
  email,
  hour,
  minute,
  open,
  source,
  worldWithLinkRequest,
} from './sign-in-steps.ts';

describe('a requested sign-in link', () => {
  test('is mailed to a contact, and opens only one session', async () => {
    const { world, company, contact } = await aContact();
    await world.contacts.requestSignIn({ email: ' CFO@Harbor.example ', source });
    const [mail = expect.fail(), ...others] = await claim(world);
    expect(others).toEqual([]);
    expect(mail).toEqual({
      kind: 'sign_in_link',
      language: null,
      id: expect.stringMatching(/^sl_/),
      email,
      attempts: 1,
      createdAt: start,
      token: expect.stringMatching(/^svc_sl_[0-9A-Za-z]{32}$/),
    });
    await world.background.confirmMail(mail);
    const opened = await open(world, mail.token);
    expect(opened).toEqual({
      session: expect.stringMatching(/^svc_ds_[0-9A-Za-z]{32}$/),
      expiresAt: later(12 * hour),
    });
    expect(await open(world, mail.token)).toBeNull();
    expect(await world.admitSession(opened?.session ?? '')).toMatchObject({
      email,
      contactId: contact.id,
      companyId: company.id,
    });
  });

  test('isn’t mailed to an address without a contact, but the requester gets the same response', async () => {
    const { world } = await aContact();
    const address = 'stranger@harbor.example';
    expect(await world.contacts.requestSignIn({ email: address, source })).toBeUndefined();
    expect(await claim(world)).toEqual([]);
    world.clock.advance(2 * minute);
    await world.operator.addContact({ companyId: (await world.company()).id, email: address });
    expect(await claim(world)).toEqual([]);
  });

  test('causes the same work for known and unknown addresses, so response times reveal nothing', async () => {
    const steps: string[] = [];
    const world = createWorld(({ rateLimiter, signInLinks, contacts }) => ({
      contacts: { ...contacts, list: () => Promise.reject(new Error('looked up')) },
      rateLimiter: {
        policy: rateLimiter.policy,
        spend(bucket, points) {
          steps.push(`spend ${points} of ${bucket.replace(/[0-9a-f]{64}/, 'its digest')}`);
          return rateLimiter.spend(bucket, points);
        },
      },
      signInLinks: {
        ...signInLinks,
        add(link, digest) {
          steps.push(`add without a token: ${digest === null}`);
          return signInLinks.add(link, digest);
        },
      },
    }));
    const { id: companyId } = await world.company();
    await contactChanges(world.ports.contacts).add({
      id: 'ct_1',
      owner: { companyId },
      email,
      role: 'admin',
      createdAt: start,
    });
    for (const address of [email, 'stranger@harbor.example']) {
      await world.contacts.requestSignIn({ email: address, source });
    }
    const once = [
      'spend 1 of sign-in source:its digest',
      'spend 1 of sign-in address:its digest',
      'add without a token: true',
    ];
    expect(steps).toEqual([...once, ...once]);
  });

  test.each(['', 'nobody', 'a@b', 'a b@harbor.example', `${'a'.repeat(250)}@b.example`])(
    'is refused for the malformed address %j',
    async (address) => {
      const { contacts } = createWorld();
      const error = await expectRefusal(
        contacts.requestSignIn({ email: address, source }),
        'invalid_parameter',
      );
      expect(error).toMatchObject({ parameter: 'email' });
    },
  );

  test.each([
    [5, 'for one known address', (n: number) => ({ email, source: `192.0.2.${n}` })],
    [
      5,
      'for one unknown address',
      (n: number) => ({ email: 'x@y.example', source: `192.0.2.${n}` }),
    ],
    [10, 'from one source', (n: number) => ({ email: `c${n}@harbor.example`, source })],
  ])('can be requested at most %i times %s within a minute', async (count, _what, nth) => {
    const { world } = await aContact();
    for (let n = 1; n <= count; n += 1) await world.contacts.requestSignIn(nth(n));
    const error = await expectRefusal(
      world.contacts.requestSignIn(nth(count + 1)),
      'rate_limit_exceeded',
    );
    expect(error).toMatchObject({
      message: 'Too many sign-in links were requested.',
      retryAfterSeconds: 60,
    });
    world.clock.advance(minute);
    await world.contacts.requestSignIn(nth(count + 1));
  });

  test('is refused until the limits of the address and of the requester’s network both allow it again', async () => {
    const world = createWorld();
    const request = (address: string, from: string) =>
      world.contacts.requestSignIn({ email: address, source: from });
    for (let n = 1; n <= 10; n += 1) await request(`c${n}@harbor.example`, source);
    world.clock.advance(minute / 2);
    for (let n = 1; n <= 5; n += 1) await request(email, `198.51.100.${n}`);
    world.clock.advance(minute / 4);
    const error = await expectRefusal(request(email, source), 'rate_limit_exceeded');
    expect(error).toMatchObject({ retryAfterSeconds: 45 });
  });

  test('is mailed at most five times an hour to the same address, and further requests are ignored silently', async () => {
    const { world } = await aContact();
    const request = async () => {
      world.clock.advance(minute);
      await world.contacts.requestSignIn({ email, source });
    };
    for (let count = 0; count < 7; count += 1) await request();
    const mails = await claim(world);
    expect(mails).toHaveLength(5);
    for (const mail of mails) await world.background.confirmMail(mail);
    await request();
    expect(await claim(world)).toEqual([]);
    world.clock.set(later(hour + 2 * minute));
    await world.contacts.requestSignIn({ email, source });
    expect(await claim(world)).toHaveLength(1);
  });

  test('is claimed in the second run at the latest, even if many earlier links can’t be sent', async () => {
    const { world } = await aContact();
    const strangers = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        const request = { email: `s${n}@stranger.example`, source: `192.0.2.${n}` };
        await world.contacts.requestSignIn(request);
      }
    };
    await strangers(20);
    await world.contacts.requestSignIn({ email, source: '198.51.100.1' });
    expect(await world.background.claimSignInMails(1)).toMatchObject([{ email }]);
    await strangers(100);
    await world.contacts.requestSignIn({ email, source: '198.51.100.1' });
    expect(await world.background.claimSignInMails(1)).toEqual([]);
    expect(await world.background.claimSignInMails(1)).toMatchObject([{ email }]);
  });

  test('causes only one database query if no link is due', async () => {
    const world = createWorld();
    const { signInLinks } = world.ports;
    const [looks, others] = [
      vi.spyOn(signInLinks, 'claim'),
      vi.spyOn(signInLinks, 'findExcessive'),
    ];
    expect(await claim(world)).toEqual([]);
    expect(looks).toHaveBeenCalledTimes(1);
    expect(others).not.toHaveBeenCalled();
  });

  test('is retried with a new token if it couldn’t be sent, while the link would still be valid', async () => {
    const world = await worldWithLinkRequest();
    const tokens: string[] = [];
    let next: Date | null = world.clock.now();
    while (next !== null) {
      world.clock.set(next);
      const [mail = expect.fail()] = await claim(world);
      tokens.push(mail.token);
      next = await world.background.postponeMail(mail, 'busy');
    }
    expect(tokens).toHaveLength(11);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(world.clock.now().getTime()).toBeLessThan(later(15 * minute).getTime());
    for (const token of tokens.slice(0, -1)) expect(await open(world, token)).toBeNull();
    expect(await open(world, tokens.at(-1) ?? '')).not.toBeNull();
    world.clock.advance(hour);
    expect(await claim(world)).toEqual([]);
  });

  test('isn’t retried at the exact instant when it expires', async () => {
    const { world } = await aContact();
    for (let count = 0; count < 2; count += 1) {
      await world.contacts.requestSignIn({ email, source });
    }
    const end = 15 * minute;
    world.clock.set(later(end - 5_001));
    const [first = expect.fail(), second = expect.fail()] = await claim(world);
    expect(await world.background.postponeMail(first, 'busy')).toEqual(later(end - 1));
    world.clock.advance(1);
    expect(await world.background.postponeMail(second, 'busy')).toBeNull();
  });

  test('is mailed even if five earlier links within the hour couldn’t be sent', async () => {
    const { world } = await aContact();
    for (let count = 0; count < 5; count += 1) {
      await world.contacts.requestSignIn({ email, source });
    }
    world.clock.advance(15 * minute - 1);
    for (const mail of await claim(world)) {
      expect(await world.background.postponeMail(mail, 'busy')).toBeNull();
    }
    await world.contacts.requestSignIn({ email, source });
    expect(await claim(world)).toHaveLength(1);
  });

  test('is given up with a reason if it couldn’t be sent for a quarter of an hour', async () => {
    const world = await worldWithLinkRequest();
    const settle = vi.spyOn(world.ports.signInLinks, 'settle');
    world.clock.advance(15 * minute);
    expect(await claim(world)).toEqual([]);
    expect(settle.mock.calls.map(([, { lastFailure }]) => lastFailure)).toEqual([
      'the link is expired, above the limit, or for an unknown address',
    ]);
  });

  test('gets no second token if another process has claimed the link in the meantime', async () => {
    const world = await worldWithLinkRequest(({ signInLinks }) => ({
      signInLinks: { ...signInLinks, renew: async () => false },
    }));
    expect(await claim(world)).toEqual([]);
  });

  test('is deleted after a day', async () => {
    const world = await worldWithLinkRequest();
    const [mail = expect.fail()] = await claim(world);
    const isThere = () => world.ports.signInLinks.renew(mail, 'd', world.clock.now());
    world.clock.advance(24 * hour);
    await world.background.deleteExpiredSignIns();
    expect(await isThere()).toBe(true);
    world.clock.advance(1);
    await world.background.deleteExpiredSignIns();
    expect(await isThere()).toBe(false);
  });
});
