import { describe, expect, test } from 'vitest';
import type { ContactCaller } from '#core';
import { day, expectRefusal, later } from '../../world.ts';
import { createStage, idsOf, isWaiting, type Stage, takeFrom } from './event-stream-steps.ts';

describe('nobody is told what may not be seen now', () => {
  test('the events of a company that has left the portfolio are withheld, others are not', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const events = await stage.watch(newcomer.caller);
    const stays = await stage.companyOf(newcomer.investor);
    await stage.happen(newcomer);
    await stage.eventFeed.poll();
    await stage.operator.removeFromPortfolio({
      investorId: newcomer.investor.id,
      companyId: newcomer.companyId,
    });
    const seen = await stage.happen({ ...newcomer, companyId: stays.id });
    await stage.eventFeed.poll();
    expect(idsOf(await takeFrom(events)(2))).toEqual(seen);
  });

  test('a key that is revoked gets nothing more: the stream ends with the reason', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const events = await stage.watch(newcomer.caller);
    await stage.happen(newcomer);
    await stage.eventFeed.poll();
    await stage.operator.revokeApiKey({ id: newcomer.keyId });
    await expectRefusal(events.next(), 'invalid_api_key');
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(stage.eventFeed.size).toBe(0);
  });

  test('a key that expires ends its stream although nothing happens', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer({ expiresAt: later(day) });
    const events = await stage.watch(newcomer.caller);
    const next = events.next();
    stage.clock.set(later(day - 1));
    await stage.eventFeed.checkKeys();
    expect(await isWaiting(next)).toBe(true);
    stage.clock.set(later(day));
    await stage.eventFeed.checkKeys();
    await expectRefusal(next, 'invalid_api_key');
  });

  test('a key that is not there any more ends its stream', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const gone = { ...newcomer.caller, credentialId: 'key_gone' };
    const next = (await stage.watch(gone)).next();
    await stage.eventFeed.checkKeys();
    await expectRefusal(next, 'invalid_api_key');
    const other = await stage.watch(gone);
    await stage.happen(newcomer);
    await stage.eventFeed.poll();
    await expectRefusal(other.next(), 'invalid_api_key');
  });

  test('a company sees what its own key may, until that is revoked', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const { caller, keyId } = await stage.companyCaller(newcomer.companyId);
    const stranger = await stage.newcomer();
    const events = await stage.watchCompany(caller);
    await stage.happen(stranger);
    const all = await stage.happen(newcomer);
    await stage.eventFeed.poll();
    expect(idsOf(await takeFrom(events)(2))).toEqual(all);
    await stage.happen(newcomer);
    await stage.operator.revokeCompanyKey({ id: keyId });
    await stage.eventFeed.poll();
    await expectRefusal(events.next(), 'invalid_api_key');
    const second = await stage.companyCaller(newcomer.companyId);
    const quiet = await stage.watchCompany(second.caller);
    await stage.operator.revokeCompanyKey({ id: second.keyId });
    await stage.eventFeed.checkKeys();
    await expectRefusal(quiet.next(), 'invalid_api_key');
  });

  test.each([
    ['signs out', async ({ contacts }, caller) => contacts.signOut(caller)],
    [
      'is removed',
      async ({ operator }, caller) =>
        operator.removeContact({ id: caller.contactId, lastAdmin: true }),
    ],
    ['has been idle', async ({ clock }) => clock.advance(3_600_000)],
    [
      'acts for another company',
      async ({ operator, contacts, company }, caller) => {
        const { id: companyId } = await company();
        await operator.addContact({ companyId, email: caller.email });
        await contacts.chooseOrganisation(caller, { id: companyId });
      },
    ],
  ] satisfies [string, (stage: Stage, caller: ContactCaller) => unknown][])(
    'a contact sees what its company may, until it %s',
    async (_what, happens) => {
      const stage = createStage();
      const newcomer = await stage.newcomer();
      const caller = await stage.admitContact(newcomer.companyId);
      const [busy, quiet] = [await stage.watchCompany(caller), await stage.watchCompany(caller)];
      const all = await stage.happen(newcomer);
      await stage.eventFeed.poll();
      for (const events of [busy, quiet]) expect(idsOf(await takeFrom(events)(2))).toEqual(all);
      await happens(stage, caller);
      await stage.eventFeed.checkKeys();
      await expectRefusal(quiet.next(), 'invalid_api_key');
      await stage.happen(newcomer);
      await stage.eventFeed.poll();
      await expectRefusal(busy.next(), 'invalid_api_key');
    },
  );

  test('a contact of an investor sees what its keys may, until it is removed', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const caller = await stage.admitInvestorContact(newcomer.caller.investorId);
    const [busy, quiet] = [await stage.watch(caller), await stage.watch(caller)];
    const all = await stage.happen(newcomer);
    await stage.eventFeed.poll();
    for (const events of [busy, quiet]) expect(idsOf(await takeFrom(events)(2))).toEqual(all);
    await stage.operator.removeContact({ id: caller.contactId, lastAdmin: true });
    await stage.eventFeed.checkKeys();
    await expectRefusal(quiet.next(), 'invalid_api_key');
    await stage.happen(newcomer);
    await stage.eventFeed.poll();
    await expectRefusal(busy.next(), 'invalid_api_key');
  });

  test('an event is not handed to a contact that was removed before it', async () => {
    const stage = createStage();
    const newcomer = await stage.newcomer();
    const caller = await stage.admitContact(newcomer.companyId);
    const events = await stage.watchCompany(caller);
    await stage.happen(newcomer);
    await stage.operator.removeContact({ id: caller.contactId, lastAdmin: true });
    await stage.eventFeed.poll();
    await expectRefusal(events.next(), 'invalid_api_key');
  });

  test('an event that is unknown, too old or another’s is refused before anything is sent', async () => {
    const stage = createStage();
    const [newcomer, stranger] = [await stage.newcomer(), await stage.newcomer()];
    const [old] = await stage.happen(newcomer);
    const [foreign] = await stage.happen(stranger);
    const { watch } = stage;
    for (const after of ['evt_none', 'nonsense', foreign])
      await expectRefusal(watch(newcomer.caller, { after }), 'event_expired');
    stage.clock.set(later(91 * day));
    await expectRefusal(watch(newcomer.caller, { after: old }), 'event_expired');
    await expectRefusal(() => watch(newcomer.caller, { limit: 1 } as object), 'invalid_parameter');
    expect(stage.eventFeed.size).toBe(0);
  });
});
