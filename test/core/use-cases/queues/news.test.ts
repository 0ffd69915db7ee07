import { describe, expect, test, vi } from 'vitest';
import { type NewsChoices, newsKinds, type WrittenNews } from '#core';
import { metricLine, sourceLine } from '../../builders.ts';
import { aNewcomer, day, later, start } from '../../world.ts';

const hour = 3_600_000;

const all = (frequency: NewsChoices['late']) =>
  Object.fromEntries(newsKinds.map((kind) => [kind, frequency])) as unknown as NewsChoices;

async function aPerson(frequency: NewsChoices['late'], timeZone = 'UTC') {
  const { world, newcomer, companyId, investor, key } = await aNewcomer();
  const request = await world.request(key, companyId, ['metrics:read', 'sources:read']);
  const person = await world.admitInvestorContact(investor.id);
  const save = (choices: NewsChoices) =>
    world.callers.saveOwnMailSettings(person, { language: 'de', timeZone, choices });
  await save(all(frequency));
  const program = await world.admitCompany(companyId, {
    scopes: ['consents:manage', 'data:read', 'data:write'],
  });
  const push = (rawValue: string, more: readonly object[] = []) =>
    world.companies.pushRecords(program, {
      records: [metricLine(companyId, { raw_value: rawValue, value: rawValue }), ...more],
    });
  const approve = () => world.operator.approveAccessRequest({ id: request.id });
  async function claim(): Promise<WrittenNews[]> {
    while ((await world.background.queueMails()) > 0);
    const claimed = await world.background.claimMails(100);
    const written = claimed.filter((mail) => 'news' in mail);
    for (const mail of claimed) await world.background.confirmMail(mail);
    return written;
  }
  await claim();
  return { world, newcomer, request, person, save, push, approve, claim };
}

describe('an immediate mail to an investor’s contact', () => {
  test('notifies a contact of an approval in the contact’s language and time zone', async () => {
    const { approve, claim, person } = await aPerson('at_once', 'Europe/Berlin');
    await approve();
    const [mail = expect.fail(), ...others] = await claim();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      kind: 'news',
      to: person.email,
      language: 'de',
      timeZone: 'Europe/Berlin',
      news: [{ access: { kind: 'approved' } }],
    });
    expect(await claim()).toEqual([]);
  });

  test('is sent at most once an hour per company if figures are corrected', async () => {
    const { world, approve, claim, push } = await aPerson('at_once');
    await approve();
    await claim();
    world.clock.advance(2 * hour);
    await push('1');
    expect(await claim()).toEqual([]);
    await push('2');
    expect(await claim()).toMatchObject([{ news: [{ corrections: 1 }] }]);
    for (const value of ['3', '4', '5']) await push(value);
    expect(await claim()).toEqual([]);
    world.clock.advance(hour - 1);
    expect(await claim()).toEqual([]);
    world.clock.advance(1);
    expect(await claim()).toMatchObject([{ news: [{ corrections: 3 }] }]);
  });
});

describe('a daily digest', () => {
  test('comes at 8 in the morning with all news since the previous digest', async () => {
    const { world, approve, claim, push } = await aPerson('daily', 'Europe/Berlin');
    await approve();
    for (const value of ['1', '2', '3']) await push(value);
    expect(await claim()).toEqual([]);
    // It is 10:30 in Berlin when the test begins, so the next digest is due on the next morning.
    world.clock.set(new Date('2026-11-03T07:00:00Z'));
    expect(await claim()).toMatchObject([
      { kind: 'digest', news: [{ access: { kind: 'approved' }, corrections: 2 }] },
    ]);
    expect(await claim()).toEqual([]);
    world.clock.advance(3 * day);
    expect(await claim()).toEqual([]);
  });

  test('counts all corrections, even if the service reads them in several parts', async () => {
    const { world, approve, claim, push } = await aPerson('daily');
    await approve();
    for (let value = 0; value <= 250; value += 1) await push(`${value}`);
    await claim();
    world.clock.set(new Date('2026-11-03T08:00:00Z'));
    expect(await claim()).toMatchObject([{ news: [{ corrections: 250 }] }]);
  });

  test('also contains the news of days without a running process, and contains each news item once', async () => {
    const { world, approve, claim, push } = await aPerson('daily');
    await approve();
    await push('1');
    await claim();
    world.clock.advance(5 * day);
    await push('2');
    expect(await claim()).toMatchObject([{ news: [{ corrections: 1 }] }]);
    expect(await claim()).toEqual([]);
  });
});

test('news come in separate mails if their topics have different frequencies', async () => {
  const { world, approve, claim, push, save } = await aPerson('daily');
  await save({ ...all('daily'), approved: 'at_once' });
  for (const value of ['1', '2']) await push(value);
  await approve();
  await push('3');
  expect(await claim()).toMatchObject([
    { kind: 'news', news: [{ access: { kind: 'approved' }, corrections: 0 }] },
  ]);
  world.clock.set(later(day));
  expect(await claim()).toMatchObject([
    { kind: 'digest', news: [{ access: null, corrections: 2 }] },
  ]);
});

test('an immediate mail is about only one company', async () => {
  const { world, newcomer, approve, claim, request } = await aPerson('at_once');
  const other = await world.company();
  const ids = { investorId: newcomer.investor.id, companyId: other.id };
  await world.operator.addToPortfolio(ids);
  const { id } = await world.request(newcomer.key, other.id);
  await approve();
  await world.operator.declineAccessRequest({ id });
  await world.operator.revokeAccessRequest({ id: request.id });
  const told = (await claim()).map(({ news }) =>
    news.map(({ companyId, access }) => [companyId, access?.kind]),
  );
  expect(told.toSorted()).toEqual(
    [[[newcomer.companyId, 'revoked']], [[other.id, 'declined']]].toSorted(),
  );
});

test('a retried mail keeps its content, and later news come in another mail', async () => {
  const { world, approve, claim, push } = await aPerson('at_once');
  await approve();
  await claim();
  world.clock.advance(2 * hour);
  for (const value of ['1', '2', '3']) await push(value);
  while ((await world.background.queueMails()) > 0);
  const [mail = expect.fail()] = await world.background.claimMails(10);
  const retryAt = await world.background.postponeMail(mail, 'busy');
  await push('4');
  while ((await world.background.queueMails()) > 0);
  world.clock.set(retryAt ?? start);
  const [again = expect.fail(), ...others] = await world.background.claimMails(10);
  expect(again).toMatchObject({ id: mail.id, attempts: 2, news: [{ corrections: 2 }] });
  expect(others).toEqual([]);
  await world.background.confirmMail(again);
  world.clock.advance(2 * hour);
  expect(await claim()).toMatchObject([{ news: [{ corrections: 1 }] }]);
});

test('a mail whose news can’t be read is postponed, and other mails aren’t delayed', async () => {
  const given = await aPerson('at_once');
  const { world, newcomer } = given;
  const { companyId } = newcomer;
  await world.operator.addContact({ companyId, email: 'board@harbor.example', invite: true });
  await given.approve();
  await world.background.queueMails();
  const { read } = world.ports.accessEvents;
  const reading = vi.spyOn(world.ports.accessEvents, 'read');
  reading.mockImplementation(async (query) => {
    if (query.reader !== null) throw new Error('the statement took too long');
    return read(query);
  });
  expect(await world.background.claimMails(10)).toMatchObject([{ kind: 'contact_invited' }]);
  const ofNews = async () =>
    (await world.operator.listMails()).mails.filter(({ kind }) => kind === 'news');
  expect(await ofNews()).toMatchObject([
    {
      state: 'waiting',
      attempts: 1,
      nextAttemptAt: later(60_000),
      lastFailure: 'its news could not be read: the statement took too long',
    },
  ]);
  reading.mockRestore();
  world.clock.advance(60_000);
  expect(await given.claim()).toMatchObject([{ news: [{ access: { kind: 'approved' } }] }]);
});

describe('a digest for a contact who wants news only about grants that end soon', () => {
  const afterNotice = async (change: 'extend' | 'revoke' | null) => {
    const { world, request, save, claim } = await aPerson('daily');
    await save({ ...all('never'), expiring: 'daily' });
    const { id } = request;
    await world.operator.approveAccessRequest({ id, expiresAt: later(8 * day) });
    world.clock.set(later(2 * day));
    await world.background.announceExpiringGrants();
    await world.background.queueMails();
    if (change === 'revoke') await world.operator.revokeAccessRequest({ id });
    if (change === 'extend')
      await world.operator.extendAccessRequest({ id, expiresAt: later(60 * day) });
    world.clock.advance(day);
    return claim();
  };

  test('announces the end of a grant', async () => {
    expect(await afterNotice(null)).toMatchObject([{ news: [{ access: { kind: 'expiring' } }] }]);
  });

  test.each(['extend', 'revoke'] as const)(
    'leaves out the announced end of the grant after a decision to %s the grant',
    async (change) => {
      expect(await afterNotice(change)).toEqual([]);
    },
  );
});

describe('the news in mails to an investor’s contacts', () => {
  const due = async (given: Awaited<ReturnType<typeof aPerson>>) => {
    await given.approve();
    await given.push('1');
    await given.push('2');
    await given.claim();
    given.world.clock.set(later(day));
    return given;
  };
  const reason = async ({ world }: Awaited<ReturnType<typeof aPerson>>) =>
    (await world.operator.listMails({ state: 'failed' })).mails.map((mail) => mail.lastFailure);

  test('aren’t sent about a company that has left the portfolio', async () => {
    const given = await due(await aPerson('daily'));
    const { investor, companyId } = given.newcomer;
    await given.world.leave({ investor, companyId });
    expect(await given.claim()).toEqual([]);
    expect(await reason(given)).toEqual(['there is no news to send']);
  });

  test('contain no changed data without a grant, but still contain the end of the access', async () => {
    const given = await due(await aPerson('daily'));
    await given.world.operator.revokeAccessRequest({ id: given.request.id });
    await given.world.background.queueMails();
    expect(await given.claim()).toMatchObject([
      { news: [{ corrections: 0, access: { kind: 'revoked' } }] },
    ]);
  });

  test('contain no metrics outside the grant, even if an event also has data inside the grant', async () => {
    const given = await aPerson('daily');
    const { id } = given.request;
    await given.world.operator.approveAccessRequest({ id, scopes: ['sources:read'] });
    await given.push('1');
    await given.push('2', [sourceLine(given.newcomer.companyId)]);
    await given.claim();
    given.world.clock.set(later(day));
    expect(await given.claim()).toMatchObject([
      { news: [{ access: { kind: 'approved' }, corrections: 0 }] },
    ]);
  });

  test.each(['company', 'investor'] as const)(
    'aren’t sent while the %s is suspended',
    async (side) => {
      const given = await due(await aPerson('daily'));
      const { operator } = given.world;
      if (side === 'company') await operator.suspendCompany({ id: given.newcomer.companyId });
      else await operator.suspendInvestor({ id: given.newcomer.investor.id });
      expect(await given.claim()).toEqual([]);
    },
  );

  test('aren’t sent to a contact who has been removed', async () => {
    const given = await due(await aPerson('daily'));
    await given.world.operator.removeContact({ id: given.person.contactId, lastAdmin: true });
    expect(await given.claim()).toEqual([]);
  });

  test('aren’t sent to a contact who has turned off all news', async () => {
    const given = await due(await aPerson('daily'));
    await given.world.callers.saveOwnMailSettings(
      await given.world.admitInvestorContact(given.newcomer.investor.id),
      {
        language: 'en',
        timeZone: 'UTC',
        choices: all('never'),
      },
    );
    expect(await given.claim()).toEqual([]);
  });

  test('contain corrections, but not the first figures of a company', async () => {
    const given = await aPerson('at_once');
    await given.approve();
    await given.claim();
    given.world.clock.set(later(2 * hour, start));
    await given.push('1');
    expect(await given.claim()).toEqual([]);
  });
});

test('mail settings with an unknown time zone or frequency are refused', async () => {
  const { world, person } = await aPerson('never');
  const save = (more: object) =>
    world.callers.saveOwnMailSettings(person, {
      language: 'en',
      timeZone: 'UTC',
      choices: all('daily'),
      ...more,
    } as never);
  await expect(save({ timeZone: 'Mars/Olympus' })).rejects.toThrow();
  await expect(save({ choices: { ...all('daily'), late: 'hourly' } })).rejects.toThrow();
  expect(await world.callers.readOwnMailSettings(person)).toMatchObject({ choices: all('never') });
});
