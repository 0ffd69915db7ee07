import { describe, expect, test } from 'vitest';
import type { ContactCaller } from '#core';
import { day, expectRefusal, later, newcomerIn } from '../../world.ts';
import {
  aReader,
  createFeedWorld,
  type FeedWorld,
  idsOf,
  isWaiting,
  takeFrom,
} from './event-stream-steps.ts';

describe('an event stream', () => {
  test('withholds the events of a company that has left the portfolio', async () => {
    const { world, newcomer, events } = await aReader();
    const stays = await world.companyOf(newcomer.investor);
    await world.happen(newcomer);
    await world.eventFeed.poll();
    await world.operator.removeFromPortfolio({
      investorId: newcomer.investor.id,
      companyId: newcomer.companyId,
    });
    const seen = await world.happen({ ...newcomer, companyId: stays.id });
    await world.eventFeed.poll();
    expect(idsOf(await takeFrom(events)(2))).toEqual(seen);
  });

  test('ends with the reason at the first event after its key is revoked', async () => {
    const { world, newcomer, events } = await aReader();
    await world.happen(newcomer);
    await world.eventFeed.poll();
    await world.operator.revokeApiKey({ id: newcomer.keyId });
    await expectRefusal(events.next(), 'invalid_api_key');
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(world.eventFeed.size).toBe(0);
  });

  test('ends when its key expires, even without an event', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld(), { expiresAt: later(day) });
    const events = await world.watch(newcomer.caller);
    const next = events.next();
    world.clock.set(later(day - 1));
    await world.eventFeed.checkKeys();
    expect(await isWaiting(next)).toBe(true);
    world.clock.set(later(day));
    await world.eventFeed.checkKeys();
    await expectRefusal(next, 'invalid_api_key');
  });

  test('ends when its key no longer exists', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const gone = { ...newcomer.caller, credentialId: 'key_gone' };
    const next = (await world.watch(gone)).next();
    await world.eventFeed.checkKeys();
    await expectRefusal(next, 'invalid_api_key');
    const other = await world.watch(gone);
    await world.happen(newcomer);
    await world.eventFeed.poll();
    await expectRefusal(other.next(), 'invalid_api_key');
  });

  test('sends a company its events until its key is revoked', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const { caller, keyId } = await world.companyCaller(newcomer.companyId);
    const stranger = await world.newcomer();
    const events = await world.watchCompany(caller);
    await world.happen(stranger);
    const all = await world.happen(newcomer);
    await world.eventFeed.poll();
    expect(idsOf(await takeFrom(events)(2))).toEqual(all);
    await world.happen(newcomer);
    await world.operator.revokeCompanyKey({ id: keyId });
    await world.eventFeed.poll();
    await expectRefusal(events.next(), 'invalid_api_key');
    const second = await world.companyCaller(newcomer.companyId);
    const quiet = await world.watchCompany(second.caller);
    await world.operator.revokeCompanyKey({ id: second.keyId });
    await world.eventFeed.checkKeys();
    await expectRefusal(quiet.next(), 'invalid_api_key');
  });

  test.each([
    ['signs out', async ({ contacts }, caller) => contacts.signOut(caller)],
    [
      'is removed',
      async ({ operator }, caller) =>
        operator.removeContact({ id: caller.contactId, lastAdmin: true }),
    ],
    ['was idle for an hour', async ({ clock }) => clock.advance(3_600_000)],
    [
      'chooses another company',
      async ({ operator, contacts, company }, caller) => {
        const { id: companyId } = await company();
        await operator.addContact({ companyId, email: caller.email });
        await contacts.chooseOrganisation(caller, { id: companyId });
      },
    ],
  ] satisfies [string, (world: FeedWorld, caller: ContactCaller) => unknown][])(
    'sends a contact the events of its company until the contact %s',
    async (_what, happens) => {
      const { world, newcomer } = await newcomerIn(createFeedWorld());
      const caller = await world.admitContact(newcomer.companyId);
      const [busy, quiet] = [await world.watchCompany(caller), await world.watchCompany(caller)];
      const all = await world.happen(newcomer);
      await world.eventFeed.poll();
      for (const events of [busy, quiet]) expect(idsOf(await takeFrom(events)(2))).toEqual(all);
      await happens(world, caller);
      await world.eventFeed.checkKeys();
      await expectRefusal(quiet.next(), 'invalid_api_key');
      await world.happen(newcomer);
      await world.eventFeed.poll();
      await expectRefusal(busy.next(), 'invalid_api_key');
    },
  );

  test('sends a contact the events of its investor until the contact is removed', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const caller = await world.admitInvestorContact(newcomer.caller.investorId);
    const [busy, quiet] = [await world.watch(caller), await world.watch(caller)];
    const all = await world.happen(newcomer);
    await world.eventFeed.poll();
    for (const events of [busy, quiet]) expect(idsOf(await takeFrom(events)(2))).toEqual(all);
    await world.operator.removeContact({ id: caller.contactId, lastAdmin: true });
    await world.eventFeed.checkKeys();
    await expectRefusal(quiet.next(), 'invalid_api_key');
    await world.happen(newcomer);
    await world.eventFeed.poll();
    await expectRefusal(busy.next(), 'invalid_api_key');
  });

  test('ends before it sends an event to a contact that was removed', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const caller = await world.admitContact(newcomer.companyId);
    const events = await world.watchCompany(caller);
    await world.happen(newcomer);
    await world.operator.removeContact({ id: caller.contactId, lastAdmin: true });
    await world.eventFeed.poll();
    await expectRefusal(events.next(), 'invalid_api_key');
  });

  test('refuses to resume after an event that is unknown, too old or another reader’s', async () => {
    const world = createFeedWorld();
    const [newcomer, stranger] = [await world.newcomer(), await world.newcomer()];
    const [old] = await world.happen(newcomer);
    const [foreign] = await world.happen(stranger);
    const { watch } = world;
    for (const after of ['evt_none', 'nonsense', foreign])
      await expectRefusal(watch(newcomer.caller, { after }), 'event_expired');
    world.clock.set(later(91 * day));
    await expectRefusal(watch(newcomer.caller, { after: old }), 'event_expired');
    await expectRefusal(() => watch(newcomer.caller, { limit: 1 } as object), 'invalid_parameter');
    expect(world.eventFeed.size).toBe(0);
  });
});
