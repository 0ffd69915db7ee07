import { describe, expect, test } from 'vitest';
import { type AccessEvent, createAccessEvent, type Mail, mailKindOf, operator } from '#core';
import { approvedRequest, pendingRequest } from './builders.ts';
import { createWorld, day, expectOperatorError, later, start } from './world.ts';

const minute = 60_000;
const hour = 60 * minute;

function eventOf(type: string, accessRequest = approvedRequest()): AccessEvent {
  const lastEventType = `access_request.${type}` as AccessEvent['type'];
  return createAccessEvent('evt_1', { ...accessRequest, lastEventType }, operator, start);
}

describe('what a company is told by mail', () => {
  test.each([
    ['created', 'request_received'],
    ['amended', 'request_received'],
    ['expiring', 'grant_ending'],
    ['expired', 'grant_ended'],
    ['withdrawn', 'grant_ended'],
    ['approved', null],
    ['declined', null],
    ['revoked', null],
    ['extended', null],
    ['amendment_declined', null],
  ])('%s: %s', (type, kind) => {
    expect(mailKindOf(eventOf(type))).toBe(kind);
  });

  test.each(['expired', 'withdrawn'])('a request that is %s without a grant ends none', (type) => {
    expect(mailKindOf(eventOf(type, pendingRequest()))).toBeNull();
  });

  test('a sandbox company is nobody to write to', () => {
    const request = pendingRequest({ companyId: 'co_test_approves' });
    expect(mailKindOf(eventOf('created', request))).toBeNull();
  });
});

async function aWorldWithMail() {
  const world = createWorld();
  const newcomer = await world.newcomer();
  const { companyId } = newcomer;
  const contact = await world.operator.addContact({ companyId, email: 'board@harbor.example' });
  const request = await world.request(newcomer.key, companyId);
  expect(await world.operator.queueMails()).toBe(1);
  const mails = async () => (await world.operator.listMails()).mails;
  async function claim(): Promise<Mail> {
    const [mail] = await world.operator.claimMails(10);
    if (mail === undefined) throw new Error('no mail is due');
    return mail;
  }
  return { world, newcomer, contact, request, mails, claim };
}

describe('a mail', () => {
  test('is written once for what happened', async () => {
    const { world, contact, request, mails } = await aWorldWithMail();
    expect(await world.operator.queueMails()).toBe(0);
    expect(await mails()).toMatchObject([
      {
        contactId: contact.id,
        to: 'board@harbor.example',
        kind: 'request_received',
        event: { accessRequest: { id: request.id } },
        state: 'waiting',
        nextAttemptAt: start,
      },
    ]);
  });

  test('is nobody else’s while it is being sent, and done when it is sent', async () => {
    const { world, mails, claim } = await aWorldWithMail();
    const mail = await claim();
    expect(await world.operator.claimMails(10)).toEqual([]);
    world.clock.set(later(minute));
    await world.operator.confirmMail(mail);
    world.clock.set(later(day));
    expect(await world.operator.claimMails(10)).toEqual([]);
    expect(await mails()).toMatchObject([
      { state: 'sent', sentAt: later(minute), nextAttemptAt: null, lastFailure: null },
    ]);
  });

  test('is sent by another process two minutes after its own has died', async () => {
    const { world, claim } = await aWorldWithMail();
    const { id } = await claim();
    world.clock.set(later(2 * minute - 1));
    expect(await world.operator.claimMails(10)).toEqual([]);
    world.clock.set(later(2 * minute));
    expect(await claim()).toMatchObject({ id, attempts: 2 });
  });

  test('is tried again after 1, 5 and 30 minutes, 2 and 8 hours, and then set aside', async () => {
    const { world, mails, claim } = await aWorldWithMail();
    const waits: (number | null)[] = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const now = world.clock.now();
      const next = await world.operator.postponeMail(await claim(), `busy ${attempt}`);
      waits.push(next && next.getTime() - now.getTime());
      if (next !== null) world.clock.set(next);
    }
    expect(waits).toEqual([minute, 5 * minute, 30 * minute, 2 * hour, 8 * hour, null]);
    expect(await mails()).toMatchObject([
      { state: 'failed', attempts: 6, nextAttemptAt: null, lastFailure: 'busy 6', sentAt: null },
    ]);
  });

  test('is set aside when what it asks to be answered has ended by itself', async () => {
    const { world, mails } = await aWorldWithMail();
    world.clock.set(later(30 * day));
    expect(await world.operator.claimMails(10)).toEqual([]);
    expect(await mails()).toMatchObject([
      { state: 'failed', lastFailure: 'it would have come too late' },
    ]);
  });

  test('of the end of a grant is sent for thirty days', async () => {
    const { world, request, mails } = await aWorldWithMail();
    const expiresAt = later(8 * day);
    await world.operator.approveAccessRequest(request.id, { expiresAt });
    world.clock.set(expiresAt);
    await world.operator.expireAccessRequests();
    await world.operator.queueMails();
    world.clock.set(later(38 * day - 1));
    expect(await world.operator.claimMails(10)).toMatchObject([{ kind: 'grant_ended' }]);
    world.clock.set(later(39 * day));
    expect(await world.operator.claimMails(10)).toEqual([]);
    expect((await mails()).map(({ kind, state }) => [kind, state])).toContainEqual([
      'grant_ended',
      'failed',
    ]);
  });
});

test('mails are forgotten after ninety days', async () => {
  const { world, mails } = await aWorldWithMail();
  world.clock.set(later(90 * day));
  expect(await world.operator.forgetOldMails()).toBe(0);
  world.clock.set(later(90 * day + 1));
  expect(await world.operator.forgetOldMails()).toBe(1);
  expect(await mails()).toEqual([]);
});

test('a list has the states that are asked for, and says when there is more', async () => {
  const { world, newcomer, claim } = await aWorldWithMail();
  await world.operator.addContact({ companyId: newcomer.companyId, email: 'cfo@harbor.example' });
  await world.operator.confirmMail(await claim());
  world.clock.set(later(minute));
  const other = await world.newcomer();
  await world.operator.addToPortfolio({
    investorId: other.investor.id,
    companyId: newcomer.companyId,
  });
  await world.request(other.key, newcomer.companyId);
  await world.operator.queueMails();
  const list = async (filter: Parameters<typeof world.operator.listMails>[0]) => {
    const { mails, hasMore } = await world.operator.listMails(filter);
    return [mails.length, hasMore];
  };
  expect(await list({})).toEqual([3, false]);
  expect(await list({ limit: 3 })).toEqual([3, false]);
  expect(await list({ limit: 2 })).toEqual([2, true]);
  expect(await list({ state: 'sent' })).toEqual([1, false]);
  expect(await list({ state: 'failed' })).toEqual([0, false]);
  for (const limit of [0, 10_001]) {
    await expectOperatorError(world.operator.listMails({ limit }), 'invalid', /from 1 to 10000/);
  }
});
