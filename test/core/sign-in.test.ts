import { describe, expect, test } from 'vitest';
import { aCall } from '../support/call.ts';
import {
  createWorld,
  expectOperatorError,
  expectRefusal,
  later,
  start,
  type World,
} from './world.ts';

const minute = 60_000;
const hour = 60 * minute;
const email = 'cfo@harbor.example';
const source = '192.0.2.1';

async function withContact(world: World, address = email) {
  const company = await world.company();
  const contact = await world.operator.addContact({ companyId: company.id, email: address });
  return { company, contact };
}

/** The mails that are to be sent now, and nobody else gets them. */
const claim = ({ operator }: World) => operator.claimSignInMails(100);

const open = ({ contacts }: World, token: string, previousSession: string | null = null) =>
  contacts.signIn({ token, previousSession, device: 'Firefox on Linux' });

describe('a link that is asked for', () => {
  test('is mailed to a contact, opens one session, and then nothing', async () => {
    const world = createWorld();
    const { company, contact } = await withContact(world);
    await world.contacts.requestSignIn({ email: ' CFO@Harbor.example ', source });
    const [mail, ...others] = await claim(world);
    expect(others).toEqual([]);
    expect(mail).toEqual({
      id: expect.stringMatching(/^sl_/),
      email,
      attempts: 1,
      createdAt: start,
      token: expect.stringMatching(/^svc_sl_[0-9A-Za-z]{32}$/),
    });
    if (mail === undefined) return;
    await world.operator.confirmSignInMail(mail);
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

  test('is mailed to nobody who is no contact, though the answer is the same', async () => {
    const world = createWorld();
    await withContact(world);
    const address = 'stranger@harbor.example';
    expect(await world.contacts.requestSignIn({ email: address, source })).toBeUndefined();
    expect(await claim(world)).toEqual([]);
    world.clock.advance(2 * minute);
    await world.operator.addContact({ companyId: (await world.company()).id, email: address });
    expect(await claim(world)).toEqual([]);
  });

  test('costs the same steps for an address that is known and one that is not', async () => {
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
    await world.ports.contacts.add({ id: 'ct_1', companyId, email, createdAt: start });
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
    'for the ill-formed address %j is refused',
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
    [5, 'to one address, known', (n: number) => ({ email, source: `192.0.2.${n}` })],
    [
      5,
      'to one address, unknown',
      (n: number) => ({ email: 'x@y.example', source: `192.0.2.${n}` }),
    ],
    [10, 'from one source', (n: number) => ({ email: `c${n}@harbor.example`, source })],
  ])('is one of %i %s within a window', async (count, _what, nth) => {
    const world = createWorld();
    await withContact(world);
    for (let n = 1; n <= count; n += 1) await world.contacts.requestSignIn(nth(n));
    const error = await expectRefusal(
      world.contacts.requestSignIn(nth(count + 1)),
      'rate_limit_exceeded',
    );
    expect(error).toMatchObject({
      message: 'Too many sign-in links were asked for.',
      retryAfterSeconds: 60,
    });
    world.clock.advance(minute);
    await world.contacts.requestSignIn(nth(count + 1));
  });

  test('is one of at most five mails an hour to one address; the others are silently not sent', async () => {
    const world = createWorld();
    await withContact(world);
    const request = async () => {
      world.clock.advance(minute);
      await world.contacts.requestSignIn({ email, source });
    };
    for (let count = 0; count < 7; count += 1) await request();
    const mails = await claim(world);
    expect(mails).toHaveLength(5);
    for (const mail of mails) await world.operator.confirmSignInMail(mail);
    await request();
    expect(await claim(world)).toEqual([]);
    world.clock.set(later(hour + 2 * minute));
    await world.contacts.requestSignIn({ email, source });
    expect(await claim(world)).toHaveLength(1);
  });

  test('does not wait behind many that are not sent, nor for ever', async () => {
    const world = createWorld();
    await withContact(world);
    const strangers = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        const request = { email: `s${n}@stranger.example`, source: `192.0.2.${n}` };
        await world.contacts.requestSignIn(request);
      }
    };
    await strangers(20);
    await world.contacts.requestSignIn({ email, source: '198.51.100.1' });
    expect(await world.operator.claimSignInMails(1)).toMatchObject([{ email }]);
    await strangers(101);
    expect(await world.operator.claimSignInMails(1)).toEqual([]);
    await world.contacts.requestSignIn({ email, source: '198.51.100.1' });
    expect(await world.operator.claimSignInMails(1)).toMatchObject([{ email }]);
  });

  test('that could not be sent is tried again with another token, as long as somebody waits', async () => {
    const world = createWorld();
    await withContact(world);
    await world.contacts.requestSignIn({ email, source });
    const tokens: string[] = [];
    let next: Date | null = world.clock.now();
    while (next !== null) {
      world.clock.set(next);
      const [mail] = await claim(world);
      if (mail === undefined) throw new Error('it is not due');
      tokens.push(mail.token);
      next = await world.operator.postponeSignInMail(mail);
    }
    expect(tokens).toHaveLength(11);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(world.clock.now().getTime()).toBeLessThan(later(15 * minute).getTime());
    for (const token of tokens.slice(0, -1)) expect(await open(world, token)).toBeNull();
    expect(await open(world, tokens.at(-1) ?? '')).not.toBeNull();
    world.clock.advance(hour);
    expect(await claim(world)).toEqual([]);
  });

  test('that nobody sent for a quarter of an hour is not sent any more', async () => {
    const world = createWorld();
    await withContact(world);
    await world.contacts.requestSignIn({ email, source });
    world.clock.advance(15 * minute);
    expect(await claim(world)).toEqual([]);
  });

  test('that another process has claimed meanwhile gets no second token here', async () => {
    const world = createWorld(({ signInLinks }) => ({
      signInLinks: { ...signInLinks, renew: async () => false },
    }));
    await withContact(world);
    await world.contacts.requestSignIn({ email, source });
    expect(await claim(world)).toEqual([]);
  });

  test('is forgotten after a day', async () => {
    const world = createWorld();
    await withContact(world);
    await world.contacts.requestSignIn({ email, source });
    const [mail] = await claim(world);
    world.clock.advance(24 * hour);
    await world.operator.forgetSignIns();
    expect(await world.ports.signInLinks.renew(mail ?? fail(), 'd', world.clock.now())).toBe(true);
    world.clock.advance(1);
    await world.operator.forgetSignIns();
    expect(await world.ports.signInLinks.renew(mail ?? fail(), 'd', world.clock.now())).toBe(false);
  });
});

function fail(): never {
  throw new Error('there is none');
}

describe('a link of the operator', () => {
  test('is for the oldest contact, or the one that is named', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
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

  test('chooses the company that it was made for', async () => {
    const world = createWorld();
    await withContact(world);
    const { company } = await withContact(world);
    const session = await world.signIn(company.id);
    expect(await world.admitSession(session)).toMatchObject({
      companyId: company.id,
      companyName: company.name,
      companyCount: 2,
    });
  });

  test('works until its quarter of an hour is over', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
    const [first, second] = [
      await world.operator.createSignInLink({ companyId: company.id }),
      await world.operator.createSignInLink({ companyId: company.id }),
    ];
    world.clock.advance(15 * minute - 1);
    expect(await open(world, first.token)).not.toBeNull();
    world.clock.advance(1);
    expect(await open(world, second.token)).toBeNull();
  });

  test('is worth nothing once the address is no contact of its company', async () => {
    const world = createWorld();
    await withContact(world);
    const { company, contact } = await withContact(world);
    const { token } = await world.operator.createSignInLink({ companyId: company.id });
    await world.operator.removeContact(contact.id);
    expect(await open(world, token)).toBeNull();
  });

  test('is refused for no company, and for no contact, with what to do', async () => {
    const { operator, company } = createWorld();
    const { id } = await company();
    const add = `add it with: contact add --company ${id} --email ADDRESS`;
    await expectOperatorError(
      operator.createSignInLink({ companyId: 'co_none' }),
      'not_found',
      'there is no company co_none',
    );
    await expectOperatorError(
      operator.createSignInLink({ companyId: id }),
      'not_found',
      `${id} has no contact; ${add}`,
    );
    await expectOperatorError(
      operator.createSignInLink({ companyId: id, email }),
      'not_found',
      `${id} has no contact with this address; ${add}`,
    );
  });
});

describe('signing in', () => {
  test.each(['', 'nonsense', `svc_sl_${'A'.repeat(32)}`, `svc_ds_${'A'.repeat(32)}`])(
    'with the token %j does not work',
    async (token) => {
      expect(await open(createWorld(), token)).toBeNull();
    },
  );

  test('gives another credential each time and ends the session that the browser had', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
    const before = await world.signIn(company.id);
    const { token } = await world.operator.createSignInLink({ companyId: company.id });
    const opened = await open(world, token, before);
    expect(opened?.session).not.toBe(before);
    await expectRefusal(world.admitSession(before), 'invalid_api_key');
    await world.admitSession(opened?.session ?? '');
  });

  test('takes nothing from a browser whose link does not work', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
    const before = await world.signIn(company.id);
    expect(await open(world, `svc_sl_${'A'.repeat(32)}`, before)).toBeNull();
    await world.admitSession(before);
  });

  test('with a credential that somebody else has set opens no session under it', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
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
  ])('with a wrong %s is refused', async (parameter, input) => {
    const error = await expectRefusal(createWorld().contacts.signIn(input), 'invalid_parameter');
    expect(error).toMatchObject({ parameter });
  });
});

describe('a session', () => {
  test('admits its contact, with a budget of its own', async () => {
    const world = createWorld();
    const { company, contact } = await withContact(world);
    const session = await world.signIn(company.id);
    const [listed] = await world.ports.deskSessions.list(email);
    expect(await world.contacts.admitContact(session, 2, aCall)).toEqual({
      caller: {
        requestId: aCall.requestId,
        keyId: listed?.id,
        sessionId: listed?.id,
        email,
        companyCount: 1,
        contactId: contact.id,
        companyId: company.id,
        companyName: company.name,
        environment: 'live',
        actor: { type: 'contact', id: contact.id },
        budget: { bucket: world.ports.cryptography.sha256(session), limit: null },
      },
      rateLimit: { limit: 600, remaining: 598, resetSeconds: 60, exceeded: false },
    });
  });

  test('opens nothing where keys are asked for, nor a key where sessions are', async () => {
    const world = createWorld();
    const { key, companyId } = await world.newcomer();
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

  test('is refused when its points are used up', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
    const session = await world.signIn(company.id);
    await world.contacts.admitContact(session, 600, aCall);
    await expectRefusal(world.admitSession(session), 'rate_limit_exceeded');
  });

  test('ends twelve hours after its beginning, however much it is used', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
    const session = await world.signIn(company.id);
    for (let count = 0; count < 12; count += 1) {
      world.clock.advance(hour - 1);
      await world.admitSession(session);
    }
    world.clock.set(later(12 * hour - 1));
    await world.admitSession(session);
    world.clock.set(later(12 * hour));
    await expectRefusal(world.admitSession(session), 'invalid_api_key');
  });

  test('ends when it was not used for an hour, and stays ended', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
    const session = await world.signIn(company.id);
    world.clock.advance(hour);
    await expectRefusal(world.admitSession(session), 'invalid_api_key');
    await expectRefusal(world.admitSession(session), 'invalid_api_key');
  });

  test('writes its use down once a minute', async () => {
    const touches: Date[] = [];
    const world = createWorld(({ deskSessions }) => ({
      deskSessions: {
        ...deskSessions,
        touch(id, now) {
          touches.push(now);
          return deskSessions.touch(id, now);
        },
      },
    }));
    const { company } = await withContact(world);
    const session = await world.signIn(company.id);
    for (const milliseconds of [1, minute - 1, minute, minute + 1, 2 * minute]) {
      world.clock.set(later(milliseconds));
      await world.admitSession(session);
    }
    expect(touches).toEqual([later(minute), later(2 * minute)]);
  });

  test('works no more at once when its contact is removed, nor when that is added again', async () => {
    const world = createWorld();
    const { company, contact } = await withContact(world);
    const session = await world.signIn(company.id);
    await world.operator.removeContact(contact.id);
    await expectRefusal(world.admitSession(session), 'invalid_api_key');
    await world.operator.addContact({ companyId: company.id, email });
    await expectRefusal(world.admitSession(session), 'invalid_api_key');
  });

  test('that lost its company has to choose among the others', async () => {
    const world = createWorld();
    const [first, second] = [await withContact(world), await withContact(world)];
    const session = await world.signIn(first.company.id);
    await world.operator.removeContact(first.contact.id);
    const signedIn = await world.admitSession(session);
    expect(signedIn).not.toHaveProperty('companyId');
    expect(signedIn.companyCount).toBe(1);
    await world.contacts.chooseCompany(signedIn, { companyId: second.company.id });
    expect(await world.admitSession(session)).toMatchObject({ contactId: second.contact.id });
  });

  test('of an address that is a contact of several companies chooses one of them, and no other', async () => {
    const world = createWorld();
    const [first, second] = [await withContact(world), await withContact(world)];
    const foreign = await withContact(world, 'other@harbor.example');
    await world.contacts.requestSignIn({ email, source });
    const [mail] = await claim(world);
    const opened = await open(world, mail?.token ?? '');
    const session = opened?.session ?? '';
    const signedIn = await world.admitSession(session);
    expect(signedIn).toMatchObject({ email, companyCount: 2 });
    expect(signedIn).not.toHaveProperty('companyId');
    const companies = [first, second].map(({ company: { id, name } }) => ({ id, name }));
    expect(await world.contacts.listOwnCompanies(signedIn)).toEqual(companies);
    const choose = (companyId: string) => world.contacts.chooseCompany(signedIn, { companyId });
    await expectRefusal(choose(foreign.company.id), 'company_not_found');
    await expectRefusal(choose('co_none'), 'company_not_found');
    await expectRefusal(choose(''), 'missing_company_id');
    for (const { company, contact } of [second, first]) {
      await choose(company.id);
      expect(await world.admitSession(session)).toMatchObject({
        companyId: company.id,
        contactId: contact.id,
        companyCount: 2,
      });
    }
  });

  test('is listed with the others of its address, and ended by any of them', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
    const idle = await world.signIn(company.id);
    world.clock.advance(hour);
    const { token } = await world.operator.createSignInLink({ companyId: company.id });
    const first = (await open(world, token))?.session ?? '';
    world.clock.advance(1);
    const second = await world.signIn(company.id);
    const foreign = await world.admitContact(company.id, 'other@harbor.example');
    const caller = await world.admitSession(second);
    const listed = await world.contacts.listSessions(caller);
    const times = (at: Date) => ({ createdAt: at, lastSeenAt: at });
    expect(listed).toEqual([
      { id: caller.sessionId, ...times(later(hour + 1)), device: null, isCurrent: true },
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

  test('is listed by the operator with those of its company’s contacts, and ended', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
    await world.signIn(company.id);
    world.clock.advance(hour);
    const caller = await world.admitContact(company.id, 'chair@harbor.example');
    await world.admitContact((await world.company()).id, 'other@harbor.example');
    const listed = await world.operator.listCompanySessions({ companyId: company.id });
    expect(listed).toMatchObject([{ id: caller.sessionId, email: 'chair@harbor.example' }]);
    await world.operator.endCompanySession(caller.sessionId);
    expect(await world.operator.listCompanySessions({ companyId: company.id })).toEqual([]);
    await expectOperatorError(
      world.operator.endCompanySession(caller.sessionId),
      'not_found',
      `there is no session ${caller.sessionId}`,
    );
    await expectOperatorError(
      world.operator.listCompanySessions({ companyId: 'co_none' }),
      'not_found',
      'there is no company co_none',
    );
  });

  test('ends all others of its address, and no one else’s', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
    const others = [await world.signIn(company.id), await world.signIn(company.id)];
    const caller = await world.admitSession(await world.signIn(company.id));
    const foreign = await world.admitContact(company.id, 'other@harbor.example');
    await world.contacts.endOtherSessions(caller);
    for (const other of others) await expectRefusal(world.admitSession(other), 'invalid_api_key');
    const ids = (await world.contacts.listSessions(caller)).map(({ id }) => id);
    expect(ids).toEqual([caller.sessionId]);
    expect(await world.contacts.listSessions(foreign)).toHaveLength(1);
  });

  test('takes a form once, of its own forms alone', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
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

  test('that has ended is forgotten', async () => {
    const world = createWorld();
    const { company } = await withContact(world);
    await world.signIn(company.id);
    world.clock.advance(12 * hour - 1);
    await world.operator.forgetSignIns();
    expect(await world.ports.deskSessions.list(email)).toHaveLength(1);
    world.clock.advance(1);
    await world.operator.forgetSignIns();
    expect(await world.ports.deskSessions.list(email)).toEqual([]);
  });
});

test('a decision of a contact is its own in the history and on the receipts', async () => {
  const world = createWorld();
  const { caller, companyId } = await world.newcomer();
  const { accessRequest } = await world.callers.requestAccess(caller, {
    companyId,
    scopes: ['metrics:read'],
  });
  const contact = await world.admitContact(companyId);
  await world.companies.approveRequest(contact, { id: accessRequest.id });
  const { history } = await world.companies.readReceivedRequest(contact, { id: accessRequest.id });
  const actor = { type: 'contact', id: contact.contactId };
  expect(history.at(-1)).toMatchObject({ type: 'access_request.approved', actor });
  const receipts = await world.companies.readReceivedReceipts(contact, { id: accessRequest.id });
  const payload = receipts.items.at(-1)?.jws.split('.')[1] ?? '';
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ actor });
});
