import { describe, expect, test, vi } from 'vitest';
import type { AccessRequest, InvestorCaller, Mail, WrittenMail } from '#core';
import {
  aNewcomer,
  createWorld,
  day,
  expectRefusal,
  later,
  type Newcomer,
  start,
  type World,
} from '../../world.ts';

const minute = 60_000;
const hour = 60 * minute;

const addContact = ({ operator }: World, companyId: string, email = 'board@harbor.example') =>
  operator.addContact({ companyId, email, invite: false });

async function aWorldWithMail() {
  const { world, newcomer, companyId } = await aNewcomer();
  const contact = await addContact(world, companyId);
  const request = await world.request(newcomer.key, companyId);
  expect(await world.background.queueMails()).toBe(1);
  const mails = async () => (await world.operator.listMails()).mails;
  const claimAll = () => world.background.claimMails(10);
  async function claim(): Promise<WrittenMail> {
    const [mail = expect.fail()] = await claimAll();
    return mail;
  }
  /** Expects that the newest mail has failed for this reason and isn't retried. */
  async function expectSetAside(lastFailure: string, kind: Mail['kind'] = 'request_received') {
    expect(await claimAll()).toEqual([]);
    const [newest] = await mails();
    expect(newest).toMatchObject({ kind, state: 'failed', lastFailure, sentAt: null });
  }
  return { world, newcomer, contact, request, mails, claim, claimAll, expectSetAside };
}

describe('a mail', () => {
  test('is written once per event', async () => {
    const { world, contact, request, mails } = await aWorldWithMail();
    expect(await world.background.queueMails()).toBe(0);
    expect(await mails()).toMatchObject([
      {
        id: expect.stringMatching(/^ml_\w+$/),
        contactId: contact.id,
        to: 'board@harbor.example',
        kind: 'request_received',
        event: { accessRequest: { id: request.id } },
        state: 'waiting',
        nextAttemptAt: start,
      },
    ]);
  });

  test('is sent by another process two minutes after the first process claimed it and died', async () => {
    const { world, claim } = await aWorldWithMail();
    const { id } = await claim();
    world.clock.set(later(2 * minute - 1));
    expect(await world.background.claimMails(10)).toEqual([]);
    world.clock.set(later(2 * minute));
    expect(await claim()).toMatchObject({ id, attempts: 2 });
  });

  test('is retried after 1, 5 and 30 minutes and after 2 and 8 hours, and then given up', async () => {
    const { world, mails, claim } = await aWorldWithMail();
    const waits: (number | null)[] = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const now = world.clock.now();
      const next = await world.background.postponeMail(await claim(), `busy ${attempt}`);
      waits.push(next && next.getTime() - now.getTime());
      if (next !== null) world.clock.set(next);
    }
    expect(waits).toEqual([minute, 5 * minute, 30 * minute, 2 * hour, 8 * hour, null]);
    expect(await mails()).toMatchObject([
      { state: 'failed', attempts: 6, nextAttemptAt: null, lastFailure: 'busy 6', sentAt: null },
    ]);
  });

  test('is given up if the access request that it announces has expired', async () => {
    const { world, expectSetAside } = await aWorldWithMail();
    world.clock.set(later(30 * day));
    await expectSetAside('the mail is too late');
  });

  test('is retried for up to thirty days if it announces the end of a grant', async () => {
    const { world, request, mails } = await aWorldWithMail();
    const expiresAt = later(8 * day);
    await world.operator.approveAccessRequest({ id: request.id, expiresAt });
    world.clock.set(expiresAt);
    await world.background.expireAccessRequests();
    await world.background.queueMails();
    world.clock.set(later(38 * day - 1));
    expect(await world.background.claimMails(10)).toMatchObject([{ kind: 'grant_ended' }]);
    world.clock.set(later(39 * day));
    expect(await world.background.claimMails(10)).toEqual([]);
    expect((await mails()).map(({ kind, state }) => [kind, state])).toContainEqual([
      'grant_ended',
      'failed',
    ]);
  });
});

async function aWorldThatLosesItsRequests() {
  const scene = await aWorldWithMail();
  const { accessRequests } = scene.world.ports;
  const loseRequests = () => vi.spyOn(accessRequests, 'find').mockResolvedValue(null);
  return { ...scene, loseRequests };
}

describe('a mail about the end of a grant', () => {
  test('is sent even if the grant’s access request no longer exists', async () => {
    const { world, newcomer, request, loseRequests } = await aWorldThatLosesItsRequests();
    await world.operator.approveAccessRequest({ id: request.id });
    await world.callers.withdrawAccessRequest(newcomer.caller, { id: request.id });
    await world.background.queueMails();
    loseRequests();
    expect(await world.background.claimMails(10)).toMatchObject([{ kind: 'grant_ended' }]);
  });

  test('is sent for each grant that the investor withdraws from, even for several within an hour', async () => {
    const { world, newcomer, request } = await aWorldWithMail();
    let { id } = request;
    for (let turn = 0; turn < 6; turn += 1) {
      await world.operator.approveAccessRequest({ id });
      await world.callers.withdrawAccessRequest(newcomer.caller, { id });
      ({ id } = await world.request(newcomer.key, newcomer.companyId));
    }
    while ((await world.background.queueMails()) > 0);
    const kinds = (await world.background.claimMails(100)).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual([
      ...Array.from({ length: 6 }, () => 'grant_ended'),
      'request_received',
    ]);
  });
});

describe('a mail about a grant that ends soon', () => {
  async function aGrantAboutToEnd() {
    const { world, request, ...rest } = await aWorldThatLosesItsRequests();
    const { id } = request;
    await world.operator.approveAccessRequest({ id, expiresAt: later(8 * day) });
    await world.background.queueMails();
    await world.background.claimMails(10);
    world.clock.set(later(day));
    await world.background.announceExpiringGrants();
    await world.background.queueMails();
    return { world, id, ...rest };
  }

  test('is sent if the grant still ends at the announced time', async () => {
    const { claimAll } = await aGrantAboutToEnd();
    expect(await claimAll()).toMatchObject([{ kind: 'grant_ending' }]);
  });

  const otherEnd = 'the end of the grant has changed';
  test.each<[string, string, (world: World, id: string) => unknown]>([
    ['has expired', 'the mail is too late', ({ clock }) => clock.set(later(8 * day))],
    ['was revoked', otherEnd, ({ operator }, id) => operator.revokeAccessRequest({ id })],
    [
      'was extended',
      otherEnd,
      ({ operator }, id) => operator.extendAccessRequest({ id, expiresAt: later(30 * day) }),
    ],
  ])('isn’t sent if the grant %s in the meantime', async (_how, reason, change) => {
    const { world, id, expectSetAside } = await aGrantAboutToEnd();
    await change(world, id);
    await expectSetAside(reason, 'grant_ending');
  });

  test('isn’t sent if the grant’s access request doesn’t exist', async () => {
    const { claimAll, loseRequests } = await aGrantAboutToEnd();
    loseRequests();
    expect(await claimAll()).toEqual([]);
  });
});

describe('a mail about a new access request', () => {
  const answered = 'the request was answered or withdrawn before the mail was sent';

  test.each<
    [string, (world: World, request: AccessRequest, caller: InvestorCaller) => Promise<unknown>]
  >([
    ['withdrawn', ({ callers }, { id }, caller) => callers.withdrawAccessRequest(caller, { id })],
    ['declined', ({ operator }, { id }) => operator.declineAccessRequest({ id })],
    ['approved', ({ operator }, { id }) => operator.approveAccessRequest({ id })],
  ])('isn’t sent if the access request was %s in the meantime', async (_how, change) => {
    const { world, newcomer, request, expectSetAside } = await aWorldWithMail();
    await change(world, request, newcomer.caller);
    await expectSetAside(answered);
  });

  test('isn’t retried if the access request was withdrawn after the first attempt', async () => {
    const { world, newcomer, request, claim, expectSetAside } = await aWorldWithMail();
    const next = await world.background.postponeMail(await claim(), 'busy');
    await world.callers.withdrawAccessRequest(newcomer.caller, { id: request.id });
    world.clock.set(next ?? start);
    await expectSetAside(answered);
  });

  test('isn’t sent while the company is suspended', async () => {
    const { world, newcomer, expectSetAside } = await aWorldWithMail();
    await world.operator.suspendCompany({ id: newcomer.companyId });
    await expectSetAside('its company or investor is suspended');
  });

  async function sendFlood(world: World, { key, caller, companyId }: Newcomer, count: number) {
    const sent: string[] = [];
    for (let turn = 0; turn < count; turn += 1) {
      const { id } = await world.request(key, companyId);
      await world.background.queueMails();
      for (const mail of await world.background.claimMails(10)) {
        await world.background.confirmMail(mail);
        if (mail.kind !== 'settings_changed') sent.push(mail.to);
      }
      await world.callers.withdrawAccessRequest(caller, { id });
      world.clock.advance(1);
    }
    return sent;
  }

  test('is sent at most five times per hour about the same investor to the same contact', async () => {
    const { world, newcomer, companyId } = await aNewcomer();
    await addContact(world, companyId);
    await addContact(world, companyId, 'cfo@harbor.example');
    const sent = await sendFlood(world, newcomer, 8);
    expect(sent.toSorted()).toEqual([
      ...Array.from({ length: 5 }, () => 'board@harbor.example'),
      ...Array.from({ length: 5 }, () => 'cfo@harbor.example'),
    ]);
    const { mails } = await world.operator.listMails({ state: 'failed' });
    expect(mails).toHaveLength(6);
    for (const { lastFailure } of mails) {
      expect(lastFailure).toBe('the investor has asked more than 5 times within an hour');
    }

    const other = await world.anotherInvestor(companyId);
    expect(await sendFlood(world, { ...newcomer, ...other }, 1)).toHaveLength(2);
    world.clock.set(later(hour + 10));
    expect(await sendFlood(world, newcomer, 6)).toHaveLength(10);
  });

  test('doesn’t delay other mails, even if many mails about new access requests are given up', async () => {
    const { world, key, caller, companyId } = await aNewcomer();
    await addContact(world, companyId);
    for (let turn = 0; turn < 100; turn += 1) {
      const { id } = await world.request(key, companyId);
      await world.callers.withdrawAccessRequest(caller, { id });
    }
    const other = await world.newcomer();
    await addContact(world, other.companyId, 'cfo@tide.example');
    while ((await world.background.queueMails()) > 0);
    world.clock.advance(1);
    await world.request(other.key, other.companyId);
    while ((await world.background.queueMails()) > 0);
    expect(await world.background.claimMails(1)).toEqual([]);
    expect(await world.background.claimMails(1)).toMatchObject([{ to: 'cfo@tide.example' }]);
  });
});

describe('the invitation of a contact', () => {
  async function invited(invite?: boolean) {
    const world = createWorld();
    const company = await world.company();
    const email = 'board@harbor.example';
    const contact = await world.operator.addContact({
      companyId: company.id,
      email,
      ...(invite !== undefined && { invite }),
    });
    return { world, company, contact };
  }

  test('is sent at once if an operator adds the contact', async () => {
    const { world, company, contact } = await invited();
    const [mail = expect.fail()] = await world.background.claimMails(10);
    expect(mail).toMatchObject({
      id: expect.stringMatching(/^ml_\w+$/),
      contactId: contact.id,
      to: 'board@harbor.example',
      kind: 'contact_invited',
      event: null,
      owner: { companyId: company.id },
      name: company.name,
    });
    await world.background.confirmMail(mail);
    expect((await world.operator.listMails()).mails).toMatchObject([
      { kind: 'contact_invited', state: 'sent', sentAt: start },
    ]);
  });

  test('isn’t sent if the operator turns the invitation off, or if the company is a sandbox company', async () => {
    const { world } = await invited(false);
    await world.operator.createInvestor({ name: 'North Capital', environment: 'test' });
    await world.operator.addContact({ companyId: 'co_test_approves', email: 'a@b.example' });
    expect((await world.operator.listMails()).mails).toEqual([]);
  });

  test('isn’t sent if the email address already belongs to a contact of the company', async () => {
    const { world, company } = await invited();
    const again = { companyId: company.id, email: 'board@harbor.example' };
    await expectRefusal(world.operator.addContact(again), 'contact_exists');
    expect((await world.operator.listMails()).mails).toHaveLength(1);
  });

  test('is given up after thirty days without success', async () => {
    const { world } = await invited();
    world.clock.set(later(30 * day - 1));
    expect(await world.background.claimMails(10)).toMatchObject([{ kind: 'contact_invited' }]);
    world.clock.set(later(30 * day + 2 * minute));
    expect(await world.background.claimMails(10)).toEqual([]);
    expect((await world.operator.listMails()).mails).toMatchObject([
      { state: 'failed', lastFailure: 'the mail is too late' },
    ]);
  });
});

test('the database gets only one query about mails if no mail is due', async () => {
  const { world, claim } = await aWorldWithMail();
  await world.background.confirmMail(await claim());
  const { mails } = world.ports;
  const [claiming, counting] = [vi.spyOn(mails, 'claim'), vi.spyOn(mails, 'findExcessive')];
  expect(await world.background.claimMails(10)).toEqual([]);
  expect(claiming).toHaveBeenCalledTimes(1);
  expect(counting).not.toHaveBeenCalled();
});

test('mails are deleted after ninety days', async () => {
  const { world, mails } = await aWorldWithMail();
  world.clock.set(later(90 * day));
  expect(await world.background.deleteOldMails()).toBe(0);
  world.clock.set(later(90 * day + 1));
  expect(await world.background.deleteOldMails()).toBe(1);
  expect(await mails()).toEqual([]);
});

test('a list of mails can be filtered by state, and shows whether there are more mails', async () => {
  const { world, newcomer, claim } = await aWorldWithMail();
  await addContact(world, newcomer.companyId, 'cfo@harbor.example');
  await world.background.confirmMail(await claim());
  world.clock.set(later(minute));
  const other = await world.anotherInvestor(newcomer.companyId);
  await world.request(other.key, newcomer.companyId);
  await world.background.queueMails();
  const list = async (filter: Parameters<typeof world.operator.listMails>[0]) => {
    const { mails, hasMore } = await world.operator.listMails(filter);
    return [mails.length, hasMore];
  };
  expect(await list({})).toEqual([4, false]);
  expect(await list({ limit: 10_000 })).toEqual([4, false]);
  expect(await list({ limit: 4 })).toEqual([4, false]);
  expect(await list({ limit: 3 })).toEqual([3, true]);
  expect(await list({ state: 'sent' })).toEqual([1, false]);
  expect(await list({ state: 'failed' })).toEqual([0, false]);
  for (const limit of [0, 10_001]) {
    const wrong = world.operator.listMails({ limit });
    await expectRefusal(wrong, 'invalid_parameter', 'from 1 to 10000 mails');
  }
});
