import { describe, expect, test } from 'vitest';
import type { SignedIn } from '#core';
import { payloadOf } from '../../../support/receipt-chain.ts';
import { createWorld, expectRefusal } from '../../world.ts';
import { createFeedWorld, isWaiting, settle } from '../feed/event-stream-steps.ts';
import { aWorldWithWebhooks, delivered, url } from '../queues/webhook-steps.ts';

describe('the name of a company or an investor', () => {
  test('appears in receipts made after a rename, and earlier receipts keep the old name', async () => {
    const { operator, callers, ...world } = createWorld();
    const { caller, companyId, investor, company } = await world.newcomer();
    const { accessRequest } = await callers.requestAccess(caller, {
      companyId,
      scopes: ['metrics:read'],
    });
    await operator.renameCompany({ id: companyId, name: 'Renamed Robotics' });
    await operator.renameInvestor({ id: investor.id, name: 'Renamed Capital' });
    await operator.approveAccessRequest({ id: accessRequest.id });
    const { items } = await operator.listReceipts({ id: accessRequest.id });
    const named = items.map((receipt) => {
      const { data_subject, data_recipient } = payloadOf(receipt);
      return [data_subject.name, data_recipient.name];
    });
    expect(named).toEqual([
      [company.name, investor.name],
      ['Renamed Robotics', 'Renamed Capital'],
    ]);
    expect(await callers.listPortfolio(caller)).toMatchObject([{ name: 'Renamed Robotics' }]);
  });

  test('isn’t logged as changed if it stays the same', async () => {
    const { operator, ...world } = createWorld();
    const { id: companyId, name } = await world.company();
    expect(await operator.renameCompany({ id: companyId, name })).toMatchObject({ name });
    const { items } = await operator.listSettingsChanges({ companyId });
    expect(items.map(({ type }) => type)).toEqual(['company.created']);
  });

  test('can’t be changed for an unknown or a sandbox company, and such a company can’t be suspended', async () => {
    const { operator } = createWorld();
    await expectRefusal(operator.renameCompany({ id: 'co_none', name: 'N' }), 'company_not_found');
    await expectRefusal(operator.suspendInvestor({ id: 'inv_none' }), 'investor_not_found');
    const sandbox = { id: 'co_test_approves' };
    for (const attempt of [
      operator.renameCompany({ ...sandbox, name: 'N' }),
      operator.suspendCompany(sandbox),
    ]) {
      await expectRefusal(attempt, 'invalid_parameter', 'sandbox companies can’t be changed');
    }
  });
});

describe('while a company or an investor is suspended', () => {
  test('a second suspension keeps the time of the first suspension', async () => {
    const { operator, clock, ...world } = createWorld();
    const { id } = await world.company();
    const { suspendedAt } = await operator.suspendCompany({ id });
    clock.advance(1_000);
    expect((await operator.suspendCompany({ id })).suspendedAt).toEqual(suspendedAt);
    expect(await operator.resumeCompany({ id })).toMatchObject({ suspendedAt: null });
    expect(await operator.resumeCompany({ id })).toMatchObject({ suspendedAt: null });
  });

  test('a grant still ends at its time, so the investor can’t use it after the company is resumed', async () => {
    const { operator, callers, clock, ...world } = createWorld();
    const { caller, companyId, key, company } = await world.newcomer();
    const expiresAt = new Date(clock.now().getTime() + 60_000);
    await world.grant({ key, company }, ['metrics:read'], expiresAt);
    const read = () => callers.readLatestMetrics(caller, { companyId });
    await read();
    await operator.suspendCompany({ id: companyId });
    await expectRefusal(read(), 'company_not_found');
    clock.advance(60_000);
    await operator.resumeCompany({ id: companyId });
    const again = await world.admit(key);
    await expectRefusal(callers.readLatestMetrics(again, { companyId }), 'access_required');
  });

  test.each(['company', 'investor'] as const)(
    'the webhooks of a suspended %s get no deliveries, even if a delivery was due before',
    async (whose) => {
      const { world, operator, webhooks, newcomer, ask, work, deliveriesOf } =
        await aWorldWithWebhooks();
      const { companyId, investor } = newcomer;
      const owner = whose === 'company' ? { companyId } : { investorId: investor.id };
      const minted = await operator.addWebhook({ ...owner, url });
      const { accessRequest } = await ask();
      await world.background.queueWebhooks();
      const id = whose === 'company' ? companyId : investor.id;
      await (whose === 'company' ? operator.suspendCompany : operator.suspendInvestor)({ id });
      await operator.approveAccessRequest({ id: accessRequest.id });
      expect(await work()).toEqual([]);
      expect(webhooks.sent).toEqual([]);
      await (whose === 'company' ? operator.resumeCompany : operator.resumeInvestor)({ id });
      await operator.revokeAccessRequest({ id: accessRequest.id });
      expect(await work()).toEqual([delivered]);
      const [last, ...before] = await deliveriesOf(minted);
      expect(last).toMatchObject({ state: 'delivered', eventType: 'access_request.revoked' });
      const withheld = { state: 'failed', lastFailure: 'withheld', attempts: 0 };
      expect(before).toMatchObject([withheld, withheld]);
    },
  );

  test('a company’s contacts can act only for other organisations until the company is resumed', async () => {
    const { operator, contacts, ...world } = createWorld();
    const email = 'cfo@both.example';
    const [one, other] = [await world.company(), await world.company()];
    for (const { id } of [one, other]) await operator.addContact({ companyId: id, email });
    const session = await world.signIn(one.id, email);
    const organisations = async () => {
      const caller = await world.admitSession(session);
      const chosen = 'companyId' in caller ? caller.companyId : null;
      const own = await contacts.listOwnOrganisations(caller as SignedIn);
      return { chosen, own: own.map(({ id }) => id).toSorted() };
    };
    const before = { chosen: one.id, own: [one.id, other.id].toSorted() };
    expect(await organisations()).toEqual(before);
    await operator.suspendCompany({ id: one.id });
    expect(await organisations()).toEqual({ chosen: null, own: [other.id] });
    const caller = (await world.admitSession(session)) as SignedIn;
    const choice = contacts.chooseOrganisation(caller, { id: one.id });
    await expectRefusal(choice, 'company_not_found');
    await operator.suspendCompany({ id: other.id });
    await expectRefusal(world.admitSession(session), 'invalid_api_key');
    await expect(world.signIn(one.id, email)).rejects.toThrow('does not work');
    await operator.resumeCompany({ id: one.id });
    await operator.resumeCompany({ id: other.id });
    expect(await organisations()).toEqual(before);
  });

  test('an open event stream withholds the events of a suspended company, and continues after the company is resumed', async () => {
    const world = createFeedWorld();
    const newcomer = await world.newcomer();
    const [first = ''] = await world.happen(newcomer);
    const events = await world.watch(newcomer.caller, { after: first });
    await events.next();
    await world.happen(newcomer);
    await world.operator.suspendCompany({ id: newcomer.companyId });
    const next = events.next();
    await world.eventFeed.poll();
    await settle();
    expect(await isWaiting(next)).toBe(true);
    await world.operator.resumeCompany({ id: newcomer.companyId });
    const later = await world.happen(newcomer);
    await world.eventFeed.poll();
    expect(later).toContain((await next).value?.id);
  });
});
