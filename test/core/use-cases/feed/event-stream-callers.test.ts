import { describe, expect, test } from 'vitest';
import type { ContactCaller, Events } from '#core';
import { day, expectRefusal, later, type Newcomer, newcomerIn } from '../../world.ts';
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
    await world.leave(newcomer);
    const seen = await world.happen({ ...newcomer, companyId: stays.id });
    await world.eventFeed.poll();
    expect(idsOf(await takeFrom(events)(2))).toEqual(seen);
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

  test('ends when its company or investor is suspended', async () => {
    const { world, newcomer } = await newcomerIn(createFeedWorld());
    const { investor, companyId } = newcomer;
    const ofInvestor = await world.watch(await world.admitInvestorContact(investor.id));
    const ofCompany = await world.watchCompany(await world.admitContact(companyId));
    const waiting = [ofInvestor.next(), ofCompany.next()];
    await world.operator.suspendInvestor({ id: investor.id });
    await world.operator.suspendCompany({ id: companyId });
    await world.eventFeed.checkKeys();
    for (const next of waiting) await expectRefusal(next, 'invalid_api_key');
  });

  type Watch = () => Promise<Events['events']>;
  type Opened = readonly [watch: Watch, end: () => unknown];

  const ofKey =
    (end: (world: FeedWorld, id: string) => unknown) =>
    async (world: FeedWorld, { investor }: Newcomer): Promise<Opened> => {
      const { key, keyId } = await world.key(investor, { expiresAt: later(day) });
      const caller = await world.admit(key);
      return [() => world.watch(caller), () => end(world, keyId)];
    };
  const ofContact =
    (end: (world: FeedWorld, caller: ContactCaller) => unknown) =>
    async (world: FeedWorld, { companyId }: Newcomer): Promise<Opened> => {
      const caller = await world.admitContact(companyId);
      return [() => world.watchCompany(caller), () => end(world, caller)];
    };

  test.each<[string, (world: FeedWorld, newcomer: Newcomer) => Promise<Opened>]>([
    ['an API key is revoked', ofKey(({ operator }, id) => operator.revokeApiKey({ id }))],
    ['an API key expires', ofKey(({ clock }) => clock.set(later(day)))],
    [
      'a company key is revoked',
      async (world, { companyId }) => {
        const { caller, keyId } = await world.companyCaller(companyId);
        return [
          () => world.watchCompany(caller),
          () => world.operator.revokeCompanyKey({ id: keyId }),
        ];
      },
    ],
    ['a contact signs out', ofContact(({ contacts }, caller) => contacts.signOut(caller))],
    [
      'a contact is removed',
      ofContact(({ operator }, { contactId: id }) =>
        operator.removeContact({ id, lastAdmin: true }),
      ),
    ],
    ['a contact was idle for an hour', ofContact(({ clock }) => clock.advance(3_600_000))],
    [
      'a contact chooses another company',
      ofContact(async ({ operator, contacts, company }, caller) => {
        const { id: companyId } = await company();
        await operator.addContact({ companyId, email: caller.email });
        await contacts.chooseOrganisation(caller, { id: companyId });
      }),
    ],
    [
      'an investor’s contact is removed',
      async (world, { investor }) => {
        const caller = await world.admitInvestorContact(investor.id);
        const { contactId: id } = caller;
        return [
          () => world.watch(caller),
          () => world.operator.removeContact({ id, lastAdmin: true }),
        ];
      },
    ],
  ])('sends events until %s', async (_what, open) => {
    for (const isBusy of [true, false]) {
      const { world, newcomer } = await newcomerIn(createFeedWorld());
      const [watch, end] = await open(world, newcomer);
      const events = await watch();
      await world.happen(await world.newcomer());
      const all = await world.happen(newcomer);
      await world.eventFeed.poll();
      expect(idsOf(await takeFrom(events)(2))).toEqual(all);
      const next = events.next();
      await world.eventFeed.checkKeys();
      expect(await isWaiting(next)).toBe(true);
      await end();
      // The stream ends at its next event, or at the latest when the feed checks all keys.
      if (isBusy) {
        await world.happen(newcomer);
        await world.eventFeed.poll();
      } else await world.eventFeed.checkKeys();
      await expectRefusal(next, 'invalid_api_key');
      expect(await events.next()).toEqual({ done: true, value: undefined });
      expect(world.eventFeed.size).toBe(0);
    }
  });

  test('can’t be resumed after an event that is unknown, too old or invisible to the caller', async () => {
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
