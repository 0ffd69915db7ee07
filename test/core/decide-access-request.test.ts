import { describe, expect, test } from 'vitest';
import {
  createWorld,
  day,
  expectRefusalSaying,
  later,
  type Newcomer,
  start,
  type World,
} from './world.ts';

async function pendingIn(world: World): Promise<Newcomer & { id: string }> {
  const newcomer = await world.newcomer();
  const { id } = await world.request(newcomer.key, newcomer.companyId, [
    'metrics:read',
    'sources:read',
  ]);
  return { ...newcomer, id };
}

async function approvedIn(world: World): Promise<Newcomer & { id: string }> {
  const pending = await pendingIn(world);
  await world.operator.approveAccessRequest({ id: pending.id });
  return pending;
}

describe('a company approves', () => {
  test('everything, for 365 days, when it says no more', async () => {
    const world = createWorld();
    const { id } = await pendingIn(world);
    world.clock.advance(1000);
    const { accessRequest: approved } = await world.operator.approveAccessRequest({ id });
    expect(approved).toMatchObject({
      status: 'approved',
      approvedScopes: ['metrics:read', 'sources:read'],
      decidedAt: later(1000),
      expiresAt: later(365 * day + 1000),
      deadlineAt: later(365 * day + 1000),
    });
    expect(await world.stored(id)).toEqual(approved);
  });

  test('a part, until the date that it chooses', async () => {
    const world = createWorld();
    const { id } = await pendingIn(world);
    const answer = { scopes: ['sources:read'], expiresAt: later(day) };
    expect(
      (await world.operator.approveAccessRequest({ id, ...answer })).accessRequest,
    ).toMatchObject({
      approvedScopes: ['sources:read'],
      expiresAt: later(day),
    });
  });

  test('as many days as the operator has configured', async () => {
    const world = createWorld(({ settings }) => ({
      settings: { ...settings, pendingTtlDays: 2, grantTtlDays: 7 },
    }));
    const { id } = await pendingIn(world);
    expect((await world.stored(id)).deadlineAt).toEqual(later(2 * day));
    expect((await world.operator.approveAccessRequest({ id })).accessRequest.expiresAt).toEqual(
      later(7 * day),
    );
  });
});

describe('a company declines or revokes', () => {
  test.each([
    ['with a reason', 'not this quarter'],
    ['with a long one', 'r'.repeat(1000)],
    ['without one', null],
  ])('%s', async (_how, reason) => {
    const world = createWorld();
    const pending = await pendingIn(world);
    const { accessRequest: declined } = await world.operator.declineAccessRequest({
      id: pending.id,
      reason,
    });
    expect(declined).toMatchObject({ status: 'declined', reason, decidedAt: start });
    const approved = await approvedIn(world);
    const { accessRequest: revoked } = await world.operator.revokeAccessRequest({
      id: approved.id,
      reason,
    });
    expect(revoked).toMatchObject({ status: 'revoked', reason, decidedAt: start });
    expect(await world.stored(revoked.id)).toEqual(revoked);
  });

  test('without a reason when it gives none', async () => {
    const world = createWorld();
    const pending = await pendingIn(world);
    expect(
      (await world.operator.declineAccessRequest({ id: pending.id })).accessRequest.reason,
    ).toBeNull();
    const approved = await approvedIn(world);
    expect(
      (await world.operator.revokeAccessRequest({ id: approved.id })).accessRequest.reason,
    ).toBeNull();
  });
});

describe('each answer is told once, with the request as it then was', () => {
  test('created, approved, revoked', async () => {
    const world = createWorld();
    const { id } = await pendingIn(world);
    const created = await world.stored(id);
    world.clock.advance(1);
    const { accessRequest: approved } = await world.operator.approveAccessRequest({ id });
    world.clock.advance(1);
    const { accessRequest: revoked } = await world.operator.revokeAccessRequest({ id });
    const { events } = await world.operator.listAccessEvents();
    expect(
      events.map(({ type, createdAt, accessRequest }) => ({ type, createdAt, accessRequest })),
    ).toEqual([
      { type: 'access_request.created', createdAt: start, accessRequest: created },
      { type: 'access_request.approved', createdAt: later(1), accessRequest: approved },
      { type: 'access_request.revoked', createdAt: later(2), accessRequest: revoked },
    ]);
    expect(new Set(events.map((event) => event.id)).size).toBe(3);
  });

  test('created, declined', async () => {
    const world = createWorld();
    const { id } = await pendingIn(world);
    await world.operator.declineAccessRequest({ id, reason: 'no' });
    expect(await world.eventTypes()).toEqual(['created', 'declined']);
  });
});

describe('an answer that cannot be given changes nothing and is told to nobody', () => {
  async function expectNothingHappens(
    world: World,
    id: string,
    attempt: () => Promise<unknown>,
    code: 'invalid_parameter' | 'illegal_transition' | 'invalid_decision',
    message: string,
  ): Promise<void> {
    const before = await world.stored(id);
    const told = await world.eventTypes();
    await expectRefusalSaying(attempt, code, message);
    expect(await world.stored(id)).toEqual(before);
    expect(await world.eventTypes()).toEqual(told);
  }

  test.each([
    ['what was not requested', { scopes: ['accounts:read'] }, 'not requested: accounts:read'],
    ['nothing', { scopes: [] }, 'at least one'],
    ['for no time at all', { expiresAt: start }, 'must lie in the future'],
  ])('approving %s: the request stays pending', async (_what, answer, message) => {
    const world = createWorld();
    const { id } = await pendingIn(world);
    const attempt = () => world.operator.approveAccessRequest({ id, ...answer });
    await expectNothingHappens(world, id, attempt, 'invalid_decision', message);
    expect((await world.stored(id)).status).toBe('pending');
  });

  test.each([
    ['past what a date can express', new Date('+010000-01-01T00:00:00Z')],
    ['that is no instant', new Date(Number.NaN)],
  ])('an end %s', async (_what, expiresAt) => {
    const world = createWorld();
    const { id } = await pendingIn(world);
    const attempt = () => world.operator.approveAccessRequest({ id, expiresAt });
    await expectNothingHappens(world, id, attempt, 'invalid_parameter', 'parameter expiresAt');
  });

  test.each([
    ['of 1,001 characters', 'r'.repeat(1001), 'The parameter reason has a value'],
    ['with a control character', 'a\u001bb', 'holds a control character'],
    ['that turns the direction of text', 'a\u202eb', 'turns the direction of text'],
  ])('a reason %s', async (_what, reason, message) => {
    const world = createWorld();
    const pending = await pendingIn(world);
    const decline = () => world.operator.declineAccessRequest({ id: pending.id, reason });
    await expectNothingHappens(world, pending.id, decline, 'invalid_parameter', message);
    const approved = await approvedIn(world);
    const revoke = () => world.operator.revokeAccessRequest({ id: approved.id, reason });
    await expectNothingHappens(world, approved.id, revoke, 'invalid_parameter', message);
  });

  test.each(['approve', 'decline', 'revoke'] as const)('%s what was declined', async (verb) => {
    const world = createWorld();
    const { id } = await pendingIn(world);
    await world.operator.declineAccessRequest({ id });
    const attempt = () => world.operator[`${verb}AccessRequest`]({ id });
    const message = `cannot ${verb} the access request ${id}: it is declined`;
    await expectNothingHappens(world, id, attempt, 'illegal_transition', message);
  });

  test('revoking what is only pending', async () => {
    const world = createWorld();
    const { id } = await pendingIn(world);
    const attempt = () => world.operator.revokeAccessRequest({ id });
    await expectNothingHappens(world, id, attempt, 'illegal_transition', 'it is pending');
  });

  test('approving after the deadline, at that very instant, although no sweeper has run', async () => {
    const world = createWorld();
    const { id } = await pendingIn(world);
    world.clock.set(later(30 * day));
    const attempt = () => world.operator.approveAccessRequest({ id });
    await expectNothingHappens(world, id, attempt, 'illegal_transition', 'it is expired');
  });

  test('the second of two answers at once', async () => {
    const world = createWorld();
    const { id } = await pendingIn(world);
    const [approved, declined] = await Promise.allSettled([
      world.operator.approveAccessRequest({ id }),
      world.operator.declineAccessRequest({ id }),
    ]);
    expect(approved.status).toBe('fulfilled');
    expect(declined).toMatchObject({
      status: 'rejected',
      reason: { code: 'illegal_transition' },
    });
    expect(await world.eventTypes()).toEqual(['created', 'approved']);
  });
});

test('a request that nobody made cannot be answered', async () => {
  const { operator } = createWorld();
  const answers = [
    operator.approveAccessRequest({ id: 'ar_none' }),
    operator.declineAccessRequest({ id: 'ar_none' }),
    operator.revokeAccessRequest({ id: 'ar_none' }),
  ];
  for (const answer of answers) {
    await expectRefusalSaying(
      answer,
      'access_request_not_found',
      'there is no access request ar_none',
    );
  }
});

test('an answer whose event cannot be written is not given', async () => {
  const broken = new Error('the disk is full');
  let isBroken = false;
  const world = createWorld(({ accessRequests }) => ({
    accessRequests: {
      ...accessRequests,
      transact: (work) =>
        accessRequests.transact((transaction) =>
          work(isBroken ? { ...transaction, addEvent: () => Promise.reject(broken) } : transaction),
        ),
    },
  }));
  const { id } = await pendingIn(world);
  isBroken = true;
  await expect(world.operator.approveAccessRequest({ id })).rejects.toBe(broken);
  expect((await world.stored(id)).status).toBe('pending');
});
