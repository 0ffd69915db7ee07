import { describe, expect, test } from 'vitest';
import { createWorld, day, expectRefusal, inTransactions, later, start } from '../../world.ts';
import { aRequest, everybody } from './decide-steps.ts';

describe.each(everybody)('a decision by %s', (who) => {
  test('approves all scopes for 365 days by default and logs the actor', async () => {
    const { world, id, investor, decider } = await aRequest(who);
    const created = await world.stored(id);
    world.clock.advance(1000);
    const decided = await decider.decide('approve', { id });
    const { accessRequest: approved } = decided;
    expect(decided.investor).toEqual({ id: investor.id, name: investor.name });
    expect(approved).toMatchObject({
      status: 'approved',
      approvedScopes: ['metrics:read', 'sources:read'],
      decidedAt: later(1000),
      expiresAt: later(365 * day + 1000),
      deadlineAt: later(365 * day + 1000),
    });
    expect(await world.stored(id)).toEqual(approved);
    const { history } = await decider.read({ id });
    expect(history).toMatchObject([
      {
        type: 'access_request.created',
        createdAt: start,
        actor: { type: 'investor', id: investor.id },
        reason: null,
        accessRequest: created,
      },
      {
        type: 'access_request.approved',
        createdAt: later(1000),
        actor: decider.actor,
        accessRequest: approved,
      },
    ]);
    expect(new Set(history.map((event) => event.id)).size).toBe(2);
  });

  test('approves some scopes until an end that is given as a Date or as a string', async () => {
    for (const expiresAt of [later(day), later(day).toISOString()]) {
      const { decide } = await aRequest(who);
      expect(await decide('approve', { scopes: ['sources:read'], expiresAt })).toMatchObject({
        approvedScopes: ['sources:read'],
        expiresAt: later(day),
      });
    }
  });

  test('approves for the configured number of days', async () => {
    const world = createWorld(({ settings }) => ({
      settings: { ...settings, pendingTtlDays: 2, grantTtlDays: 7 },
    }));
    const { id, decide } = await aRequest(who, world);
    expect((await world.stored(id)).deadlineAt).toEqual(later(2 * day));
    expect((await decide('approve')).expiresAt).toEqual(later(7 * day));
  });

  test('treats null as a missing field', async () => {
    const { decide } = await aRequest(who);
    const nothing = { scopes: null, expiresAt: null, version: null };
    expect((await decide('approve', nothing)).approvedScopes).toHaveLength(2);
  });

  test.each([
    ['with a reason', 'not this quarter'],
    ['with a long reason', 'r'.repeat(1000)],
    ['with null as the reason', null],
    ['without a reason', undefined],
  ])('declines and revokes %s and keeps the reason in the history', async (_how, reason) => {
    const one = await aRequest(who);
    const expected = { reason: reason ?? null, decidedAt: start };
    expect(await one.decide('decline', { reason })).toMatchObject({
      ...expected,
      status: 'declined',
    });
    expect(await one.world.eventTypes()).toEqual(['created', 'declined']);
    const other = await aRequest(who);
    await other.decide('approve');
    const revoked = await other.decide('revoke', { reason });
    expect(revoked).toMatchObject({ ...expected, status: 'revoked' });
    expect(await other.world.stored(other.id)).toEqual(revoked);
    const { history } = await other.decider.read({ id: other.id });
    expect(history.map((event) => event.reason)).toEqual([null, null, reason ?? null]);
    await expectRefusal(
      other.world.callers.readLatestMetrics(other.caller, other),
      'access_revoked',
    );
  });

  test('changes nothing if its event can’t be written', async () => {
    const broken = new Error('the disk is full');
    let isBroken = false;
    const breaking = () => (isBroken ? { addEvent: () => Promise.reject(broken) } : {});
    const world = createWorld(inTransactions(breaking));
    const { id, decide } = await aRequest(who, world);
    isBroken = true;
    await expect(decide('approve')).rejects.toBe(broken);
    expect((await world.stored(id)).status).toBe('pending');
  });
});
