import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import {
  type AccessEvent,
  type Contact,
  createAccessEvent,
  type FeedEvent,
  type Investor,
  isNewsMail,
  isRequestEvent,
  type Mail,
  type Mails,
  type NewsMail,
  type Notice,
  type NoticeKind,
  receiptIdOf,
} from '#core';
import {
  addInvestor,
  addPair,
  anAccessRequest,
  anEntry,
  at,
  contactChanges,
  declined,
  freshId,
} from './builders.ts';
import { contract } from './contract.ts';

export const mailsContract = contract('mails', (repositories) => {
  async function addContact(companyId: string): Promise<Contact> {
    const id = freshId('ct');
    const email = `${id}@harbor.example`;
    const role = 'admin' as const;
    const contact = { id, owner: { companyId }, email, role, createdAt: at() };
    expect(await contactChanges(repositories.contacts).add(contact)).toBe(true);
    return contact;
  }

  /** Creates an access request to a company with this many contacts. */
  async function anEvent(contactCount = 1) {
    const pair = await addPair(repositories);
    const contacts: Contact[] = [];
    for (let count = 0; count < contactCount; count += 1) {
      contacts.push(await addContact(pair.company.id));
    }
    return { ...pair, contacts, ...(await askOnce(pair)) };
  }

  /** Creates an access request that has already ended, so the investor can make another one. */
  async function askOnce(pair: Awaited<ReturnType<typeof addPair>>) {
    const request = declined(anAccessRequest(pair));
    const actor = { type: 'investor', id: pair.investor.id } as const;
    const event = createAccessEvent(freshId('evt'), request, actor, at());
    await repositories.accessRequests.transact(null, async (transaction) => {
      await transaction.add(request);
      await transaction.addEvent(event, null);
    });
    return { event };
  }

  type KindOf = (event: FeedEvent) => NoticeKind | null;
  type Plan = Parameters<Mails['queue']>[0];
  const noNews: Pick<Plan, 'newsKindOf' | 'planNews'> = {
    newsKindOf: () => null,
    planNews: () => null,
  };
  const always: KindOf = () => 'request_received';

  /** Queues mails until all events have been read, because events of other tests can come first. */
  async function queueAll(
    kindOf: KindOf = always,
    now = at(),
    news: Partial<typeof noNews> = {},
  ): Promise<void> {
    const plan = { ...noNews, ...news, kindOf, nextId: () => freshId('ml'), now, limit: 3 };
    while ((await repositories.mails.queue(plan)) > 0);
  }

  const isOf =
    ({ id }: AccessEvent) =>
    (mail: Mail): mail is Notice =>
      mail.event?.id === id;

  const mailsOf = async (event: AccessEvent): Promise<Notice[]> =>
    (await repositories.mails.list(null, 10_000)).filter(isOf(event));

  async function claimOf(event: AccessEvent, now: Date, until = at(99)): Promise<Notice[]> {
    const claimed = await repositories.mails.claim({ now, until, limit: 10_000 });
    return claimed.filter(isOf(event));
  }

  async function aClaimedMail(): Promise<Notice> {
    const { event } = await anEvent();
    await queueAll();
    const [mail] = await claimOf(event, at(), at(50));
    if (mail === undefined) throw new Error('no mail was claimed');
    return mail;
  }

  const settle = (mail: Notice, outcome: Partial<Notice>) =>
    repositories.mails.settle(mail, { ...mail, ...outcome });

  test('the backlog contains the number of due mails and the time since the oldest is due', async () => {
    await repositories.mails.claim({ now: at(), until: at(99), limit: 10_000 });
    const { waiting } = await repositories.mails.readBacklog(at());
    await anEvent(2);
    expect(await repositories.mails.readBacklog(at())).toMatchObject({
      oldestUnconsumedAt: at(),
    });
    await queueAll();
    const backlog = await repositories.mails.readBacklog(at(1));
    expect(backlog).toMatchObject({
      waiting: waiting + 2,
      dueSince: at(),
      oldestUnconsumedAt: null,
    });
    await repositories.mails.claim({ now: at(1), until: at(99), limit: 10_000 });
    expect(await repositories.mails.readBacklog(at(1))).toMatchObject({ dueSince: null });
  });

  test('each contact of the company gets a mail about the event, which is due at once', async () => {
    const other = await anEvent();
    const { contacts, event, investor, company } = await anEvent(2);
    await queueAll((one) => (one.id === event.id ? 'grant_ending' : null));
    expect(await mailsOf(other.event)).toEqual([]);
    const mails = await mailsOf(event);
    expect(mails.toReversed()).toEqual(
      contacts.map(({ id, email }) => ({
        id: expect.stringMatching(/^ml_/),
        contactId: id,
        to: email,
        language: null,
        timeZone: null,
        kind: 'grant_ending',
        event: {
          ...event,
          position: expect.stringMatching(/^[1-9]\d*$/),
          investorName: investor.name,
          companyName: company.name,
          receipt: expect.objectContaining({ id: receiptIdOf(event.id), signature: null }),
        },
        state: 'waiting',
        attempts: 0,
        nextAttemptAt: at(),
        lastFailure: null,
        createdAt: at(),
        sentAt: null,
      })),
    );
  });

  test('the mails about an event are queued once, even by several processes', async () => {
    const events = [await anEvent(), await anEvent(), await anEvent()];
    await Promise.all(Array.from({ length: 8 }, () => queueAll()));
    await queueAll();
    for (const { event } of events) expect(await mailsOf(event)).toHaveLength(1);
  });

  test('the mails about an event are queued in the next run if writing them failed', async () => {
    const { event } = await anEvent();
    const failing: KindOf = () => {
      throw new Error('in the middle');
    };
    await expect(queueAll(failing)).rejects.toThrow('in the middle');
    await queueAll();
    expect(await mailsOf(event)).toHaveLength(1);
  });

  test('only due mails are claimed, each of them by one process', async () => {
    const { event } = await anEvent(3);
    await queueAll(always, at(10));
    expect(await claimOf(event, at(9))).toEqual([]);
    const claims = await Promise.all(
      Array.from({ length: 6 }, () => claimOf(event, at(10), at(50))),
    );
    const claimed = claims.flat();
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(3);
    expect(claimed).toHaveLength(3);
    for (const mail of claimed) {
      expect(mail).toMatchObject({ attempts: 1, nextAttemptAt: at(50), state: 'waiting' });
    }
  });

  test('a claim contains at most the requested number of mails', async () => {
    await anEvent(3);
    await queueAll();
    expect(await repositories.mails.claim({ now: at(), until: at(50), limit: 2 })).toHaveLength(2);
  });

  test('a mail that a stopped process has claimed can be claimed again after the lease', async () => {
    const { event } = await aClaimedMail();
    expect(await claimOf(event, at(49))).toEqual([]);
    expect(await claimOf(event, at(50))).toMatchObject([{ attempts: 2 }]);
  });

  test('sent and failed mails can’t be claimed', async () => {
    const sent = await aClaimedMail();
    const failed = await aClaimedMail();
    const end = { nextAttemptAt: null, lastFailure: 'no such mailbox' };
    await settle(sent, { ...end, state: 'sent', sentAt: at(20) });
    await settle(failed, { ...end, state: 'failed' });
    for (const { event } of [sent, failed]) expect(await claimOf(event, at(5000))).toEqual([]);
    expect(await mailsOf(sent.event)).toMatchObject([{ state: 'sent', sentAt: at(20) }]);
    expect(await mailsOf(failed.event)).toMatchObject([
      { state: 'failed', lastFailure: 'no such mailbox', nextAttemptAt: null, sentAt: null },
    ]);
  });

  test('a postponed mail becomes due at its new time', async () => {
    const mail = await aClaimedMail();
    await settle(mail, { nextAttemptAt: at(80), lastFailure: 'busy' });
    expect(await claimOf(mail.event, at(79))).toEqual([]);
    expect(await claimOf(mail.event, at(80))).toMatchObject([{ attempts: 2, lastFailure: 'busy' }]);
  });

  test('a process can’t change a mail after its claim has expired', async () => {
    const first = await aClaimedMail();
    const [second] = await claimOf(first.event, at(50), at(100));
    await settle(first, { nextAttemptAt: at(60) });
    expect(await mailsOf(first.event)).toEqual([second]);
    if (second === undefined) throw new Error('it was not claimed again');
    const end = { state: 'sent', nextAttemptAt: null, sentAt: at(70) } as const;
    await settle(second, { ...end });
    await settle(second, { state: 'failed', nextAttemptAt: null });
    expect(await mailsOf(first.event)).toMatchObject([{ state: 'sent' }]);
  });

  test('the mails of a removed contact are deleted', async () => {
    const { event, contacts } = await anEvent(2);
    await queueAll();
    const [gone, left] = contacts;
    if (gone === undefined || left === undefined) throw new Error('there are no contacts');
    await contactChanges(repositories.contacts).remove(gone.id);
    expect(await mailsOf(event)).toMatchObject([{ to: left.email }]);
    expect(await claimOf(event, at())).toMatchObject([{ to: left.email }]);
  });

  test('a mail is excessive if its contact already got the maximum number of such mails about the investor', async () => {
    const pair = await addPair(repositories);
    const contact = await addContact(pair.company.id);
    await addContact(pair.company.id);
    const ask = async (investor: Investor, now: Date, kind: NoticeKind = 'request_received') => {
      const { event } = await askOnce({ ...pair, investor });
      await queueAll(() => kind, now);
      const mail = (await mailsOf(event)).find(({ contactId }) => contactId === contact.id);
      if (mail === undefined) throw new Error('no mail was written');
      return mail;
    };
    const first = await ask(pair.investor, at(1));
    const second = await ask(pair.investor, at(2));
    const foreign = await ask(await addInvestor(repositories), at(3));
    const otherKind = await ask(pair.investor, at(4), 'grant_ended');
    const third = await ask(pair.investor, at(100));
    const ids = [first, second, foreign, otherKind, third].map(({ id }) => id);
    const excessive = async (count: number, milliseconds: number) => [
      ...(await repositories.mails.findExcessive(ids, { count, milliseconds })),
    ];
    expect(await excessive(2, 100)).toEqual([third.id]);
    expect((await excessive(1, 100)).toSorted()).toEqual([second.id, third.id].toSorted());
    expect(await excessive(2, 99)).toEqual([]);
    expect(await excessive(3, 1000)).toEqual([]);
    expect([
      ...(await repositories.mails.findExcessive([first.id], {
        count: 1,
        milliseconds: 100,
      })),
    ]).toEqual([]);
    const claimed = await claimOf(first.event, at(5000));
    for (const mail of claimed) {
      await settle(mail, { state: 'failed', nextAttemptAt: null });
    }
    expect(await excessive(2, 100)).toEqual([]);
  });

  test.each(['company', 'investor'] as const)(
    'the invitation of the %s’s contact is stored together with the contact, and is deleted with the contact',
    async (side) => {
      const pair = await addPair(repositories);
      const { name } = pair[side];
      const owner =
        side === 'company' ? { companyId: pair.company.id } : { investorId: pair.investor.id };
      const contact = (email: string): Contact => {
        return { id: freshId('ct'), owner, email, role: 'viewer', createdAt: at(7) };
      };
      const invited = contact(`${freshId('ct')}@harbor.example`);
      const id = freshId('ml');
      expect(await contactChanges(repositories.contacts).add(invited, id)).toBe(true);
      expect(
        await contactChanges(repositories.contacts).add(contact(invited.email), freshId('ml')),
      ).toBe(false);
      const mailsToOwner = async () =>
        (await repositories.mails.list(null, 10_000)).filter(
          (mail) => mail.event === null && isDeepStrictEqual(mail.owner, owner),
        );
      const invitation = {
        id,
        contactId: invited.id,
        to: invited.email,
        kind: 'contact_invited',
        event: null,
        owner,
        name,
        change: expect.objectContaining({ id: expect.stringMatching(/^chg_/) }),
        language: null,
        timeZone: null,
        state: 'waiting',
        attempts: 0,
        nextAttemptAt: at(7),
        lastFailure: null,
        createdAt: at(7),
        sentAt: null,
      };
      expect(await mailsToOwner()).toEqual([invitation]);
      const claim = { until: at(99), limit: 10_000 };
      const early = await repositories.mails.claim({ ...claim, now: at(6) });
      expect(early.filter((mail) => mail.id === id)).toEqual([]);
      const due = await repositories.mails.claim({ ...claim, now: at(7) });
      expect(due).toContainEqual({ ...invitation, attempts: 1, nextAttemptAt: at(99) });
      await contactChanges(repositories.contacts).remove(invited.id);
      expect(await mailsToOwner()).toEqual([]);
    },
  );

  async function withPeople(count = 1) {
    const pair = await addPair(repositories);
    const people: Contact[] = [];
    for (let number = 0; number < count; number += 1) {
      const id = freshId('ct');
      const owner = { investorId: pair.investor.id };
      const email = `${id}@north.example`;
      const person = { id, owner, email, role: 'viewer' as const, createdAt: at(number) };
      expect(await contactChanges(repositories.contacts).add(person)).toBe(true);
      people.push(person);
    }
    const isOwn = (event: FeedEvent) =>
      isRequestEvent(event) && event.accessRequest.investorId === pair.investor.id;
    const queueNews = (kind: 'news' | 'digest', dueAt: Date, now = at()) =>
      queueAll(() => null, now, {
        newsKindOf: (event) => (isOwn(event) ? 'revoked' : null),
        planNews: () => ({ kind, dueAt }),
      });
    const isOfPeople = (mail: Mail): mail is NewsMail =>
      isNewsMail(mail) && people.some(({ id }) => id === mail.contactId);
    const mails = async () =>
      (await repositories.mails.list(null, 10_000)).filter(isOfPeople).toReversed();
    const claim = async (now: Date) =>
      (await repositories.mails.claim({ now, until: at(9999), limit: 10_000 })).filter(isOfPeople);
    return { ...pair, people, queueNews, mails, claim };
  }

  test('the contacts of an investor get mails about new events, with each event’s position in the feed', async () => {
    const { people, queueNews, mails, ...pair } = await withPeople(2);
    const { event } = await askOnce(pair);
    await queueNews('digest', at(70));
    const found = await repositories.accessEvents.find(event.id);
    const position = found?.position ?? '';
    expect(await mails()).toEqual(
      people.map(({ id, email }) => ({
        id: expect.stringMatching(/^ml_/),
        contactId: id,
        to: email,
        kind: 'digest',
        event: null,
        owner: { investorId: pair.investor.id },
        name: pair.investor.name,
        language: null,
        timeZone: null,
        afterPosition: `${BigInt(position) - 1n}`,
        untilPosition: position,
        aboutCompanyId: null,
        state: 'waiting',
        attempts: 0,
        nextAttemptAt: at(70),
        lastFailure: null,
        createdAt: at(70),
        sentAt: null,
      })),
    );
  });

  test('new events are added to a person’s waiting mail until a process claims this mail', async () => {
    const { queueNews, mails, claim, ...pair } = await withPeople();
    for (let count = 0; count < 5; count += 1) {
      await askOnce(pair);
      await queueNews('digest', at(70 - count));
    }
    const [mail = expect.fail(), ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail.nextAttemptAt).toEqual(at(66));
    const { event: last } = await askOnce(pair);
    await queueNews('digest', at(90));
    const found = await repositories.accessEvents.find(last.id);
    expect(await mails()).toMatchObject([
      { afterPosition: mail.afterPosition, untilPosition: found?.position, nextAttemptAt: at(66) },
    ]);
    expect(await claim(at(66))).toHaveLength(1);
    await askOnce(pair);
    await queueNews('digest', at(90));
    expect(await mails()).toMatchObject([
      { attempts: 1, untilPosition: found?.position },
      { attempts: 0, afterPosition: expect.any(String), nextAttemptAt: at(90) },
    ]);
  });

  test('immediate mails about events are grouped by company, and are planned with the time of the previous mail', async () => {
    const first = await withPeople();
    const { queueNews, mails, claim, investor, people } = first;
    await askOnce(first);
    await queueNews('news', at(1));
    const [mail = expect.fail()] = await claim(at(1));
    expect(mail).toMatchObject({ kind: 'news', aboutCompanyId: first.company.id });
    await repositories.mails.settle(mail, {
      ...{ state: 'sent', nextAttemptAt: null, lastFailure: null, sentAt: at(2) },
    });
    await contactChanges(repositories.contacts).saveMailSettings(people[0]?.id ?? '', {
      ...{ language: 'de', timeZone: 'Europe/Berlin', choices: { revoked: 'at_once' } },
    });
    const asked: unknown[] = [];
    await askOnce({ ...first, company: (await addPair(repositories)).company });
    await askOnce(first);
    await queueAll(() => null, at(3), {
      newsKindOf: (event) =>
        isRequestEvent(event) && event.accessRequest.investorId === investor.id ? 'revoked' : null,
      planNews: (kind, reader, lastAt) => {
        asked.push([kind, reader, lastAt]);
        return { kind: 'news', dueAt: at(4) };
      },
    });
    const reader = {
      ...{ id: people[0]?.id, email: people[0]?.email, role: 'viewer' },
      ...{ language: 'de', timeZone: 'Europe/Berlin', choices: { revoked: 'at_once' } },
    };
    expect(asked).toEqual([
      ['revoked', expect.objectContaining(reader), null],
      ['revoked', expect.objectContaining(reader), at(2)],
    ]);
    expect((await mails()).map(({ state }) => state)).toEqual(['sent', 'waiting', 'waiting']);
  });

  test('mails about events are planned once per person, kind and company, and each contains all its events', async () => {
    const { people, mails, investor, ...pair } = await withPeople(2);
    await queueAll(() => null);
    const { event: first } = await askOnce({ ...pair, investor });
    await askOnce({ ...pair, investor });
    const { event: last } = await askOnce({ ...pair, investor });
    const planned: string[] = [];
    await queueAll(() => null, at(), {
      newsKindOf: () => 'revoked',
      planNews: (_kind, { id }) => {
        planned.push(id);
        return { kind: 'digest', dueAt: at(70) };
      },
    });
    const ids = people.map(({ id }) => id);
    expect(planned.filter((id) => ids.includes(id))).toEqual(ids);
    const positionOf = async ({ id }: AccessEvent) =>
      (await repositories.accessEvents.find(id))?.position ?? '';
    const afterPosition = `${BigInt(await positionOf(first)) - 1n}`;
    const window = { afterPosition, untilPosition: await positionOf(last) };
    expect(await mails()).toMatchObject([window, window]);
  });

  test('a planned mail about events is part of the backlog only from its due time', async () => {
    await repositories.mails.claim({ now: at(5000), until: at(9999), limit: 10_000 });
    const { queueNews, ...pair } = await withPeople();
    const waitingAt = async (now: Date) => (await repositories.mails.readBacklog(now)).waiting;
    const before = [await waitingAt(at(69)), await waitingAt(at(70))];
    await askOnce(pair);
    await queueNews('digest', at(70));
    expect(await repositories.mails.readBacklog(at(69))).toMatchObject({ dueSince: null });
    expect(await repositories.mails.readBacklog(at(70))).toMatchObject({ dueSince: at(70) });
    const [early = 0, due = 0] = before;
    expect([await waitingAt(at(69)), await waitingAt(at(70))]).toEqual([early, due + 1]);
  });

  test('a person gets no mail if the plan is null, and each event is planned once, even by several processes', async () => {
    const { queueNews, mails, ...pair } = await withPeople();
    await askOnce(pair);
    await queueAll(() => null, at(), { newsKindOf: () => 'late', planNews: () => null });
    expect(await mails()).toEqual([]);
    await askOnce(pair);
    await Promise.all(Array.from({ length: 8 }, () => queueNews('digest', at(70))));
    expect(await mails()).toHaveLength(1);
  });

  test('a language and a time zone are stored for an email address, and an existing time zone stays', async () => {
    const { people } = await withPeople();
    const [{ id, email } = expect.fail()] = people;
    const { contacts } = repositories;
    expect(await contacts.findMailReader(id)).toEqual({
      ...{ id, email, role: 'viewer', language: null, timeZone: null, choices: {} },
    });
    await contacts.saveLocale(email, { language: 'de', timeZone: null });
    expect(await contacts.findMailReader(id)).toMatchObject({ language: 'de', timeZone: null });
    await contacts.saveLocale(email, { language: null, timeZone: 'Europe/Berlin' });
    await contacts.saveLocale(email, { language: 'en', timeZone: 'America/New_York' });
    expect(await contacts.findMailReader(id)).toMatchObject({
      ...{ language: 'en', timeZone: 'Europe/Berlin' },
    });
    expect(await contacts.findMailReader('ct_unknown')).toBeNull();
  });

  test('no invitation is stored if the transaction that adds its contact fails', async () => {
    const { company } = await addPair(repositories);
    const id = freshId('ml');
    const owner = { companyId: company.id };
    const contact = { id: freshId('ct'), owner, role: 'admin', createdAt: at() } as const;
    const failing = repositories.contacts.transact(owner, null, async (own) => {
      await own.add({ ...contact, email: `${contact.id}@harbor.example` }, id, anEntry());
      throw new Error('in the middle');
    });
    await expect(failing).rejects.toThrow('in the middle');
    const mails = await repositories.mails.list(null, 10_000);
    expect(mails.map((mail) => mail.id)).not.toContain(id);
  });

  test('the oldest mails are deleted first, and mails within the retention time stay', async () => {
    const asked: AccessEvent[] = [];
    for (const age of [9000, 8999, 8998]) {
      const { event } = await anEvent();
      await queueAll(always, at(-age));
      asked.push(event);
    }
    const left = () => Promise.all(asked.map(async (event) => (await mailsOf(event)).length));
    expect(await repositories.mails.deleteOld(at(-8998), 1)).toBe(1);
    expect(await left()).toEqual([0, 1, 1]);
    expect(await repositories.mails.deleteOld(at(-8998), 10)).toBe(1);
    expect(await repositories.mails.deleteOld(at(-8998), 10)).toBe(0);
    expect(await left()).toEqual([0, 0, 1]);
  });

  test('mails are listed newest first up to a limit, and can be filtered by state', async () => {
    const first = await anEvent();
    await queueAll(always, at(1_000_001));
    const second = await anEvent();
    await queueAll(always, at(1_000_002));
    const newest = await repositories.mails.list('waiting', 2);
    expect(newest.map((mail) => mail.event?.id)).toEqual([second.event.id, first.event.id]);
    expect(await repositories.mails.list('failed', 10_000)).not.toContainEqual(newest[0]);
  });
});
