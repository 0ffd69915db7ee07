import { describe, expect, test } from 'vitest';
import type { CompanyCaller } from '#core';
import {
  createWorld,
  day,
  expectRefusal,
  expectRefusalSaying,
  later,
  type Newcomer,
  start,
  type World,
} from '../../world.ts';

interface Asked extends Newcomer {
  readonly id: string;
  readonly self: CompanyCaller;
}

/** A company with a key, and an investor that asks it for metrics and sources. */
async function asked(world: World): Promise<Asked> {
  const newcomer = await world.newcomer();
  const { id } = await world.request(newcomer.key, newcomer.companyId, [
    'metrics:read',
    'sources:read',
  ]);
  return { ...newcomer, id, self: await world.admitCompany(newcomer.companyId) };
}

const historyOf = async ({ companies }: World, { self, id }: Asked) =>
  (await companies.readReceivedRequest(self, { id })).history;

describe('a company', () => {
  test('approves all, for the default time, and is told as the one who did', async () => {
    const world = createWorld();
    const request = await asked(world);
    const { accessRequest: approved, investor } = await world.companies.approveRequest(
      request.self,
      { id: request.id },
    );
    expect(investor).toEqual({ id: request.investor.id, name: request.investor.name });
    expect(approved).toMatchObject({
      status: 'approved',
      approvedScopes: ['metrics:read', 'sources:read'],
      decidedAt: start,
      expiresAt: later(365 * day),
    });
    expect(await world.stored(request.id)).toEqual(approved);
    expect(await historyOf(world, request)).toMatchObject([
      {
        type: 'access_request.created',
        actor: { type: 'investor', id: request.investor.id },
        reason: null,
      },
      {
        type: 'access_request.approved',
        actor: { type: 'company_key', id: request.self.keyId },
        accessRequest: approved,
      },
    ]);
  });

  test('approves a part until an instant, given as a date or as text', async () => {
    const world = createWorld();
    for (const expiresAt of [later(day), later(day).toISOString()]) {
      const { self, id } = await asked(world);
      const input = { id, scopes: ['sources:read'], expiresAt };
      const { accessRequest } = await world.companies.approveRequest(self, input);
      expect(accessRequest).toMatchObject({
        approvedScopes: ['sources:read'],
        expiresAt: later(day),
      });
    }
  });

  test('takes null for what it leaves out', async () => {
    const world = createWorld();
    const { self, id } = await asked(world);
    const input = { id, scopes: null, expiresAt: null };
    const { accessRequest: approved } = await world.companies.approveRequest(self, input);
    expect(approved.approvedScopes).toEqual(['metrics:read', 'sources:read']);
    const { accessRequest: revoked } = await world.companies.revokeRequest(self, {
      id,
      reason: null,
    });
    expect(revoked).toMatchObject({ status: 'revoked', reason: null });
  });

  test('declines and revokes with a reason, which the history keeps', async () => {
    const world = createWorld();
    const { companies } = world;
    const first = await asked(world);
    const reason = 'r'.repeat(1000);
    const { accessRequest: declined } = await companies.declineRequest(first.self, {
      id: first.id,
      reason,
    });
    expect(declined).toMatchObject({ status: 'declined', reason });
    const second = await asked(world);
    await companies.approveRequest(second.self, { id: second.id });
    await companies.revokeRequest(second.self, { id: second.id, reason: 'Sold.' });
    expect((await historyOf(world, second)).map((event) => event.reason)).toEqual([
      null,
      null,
      'Sold.',
    ]);
    await expectRefusal(world.callers.readLatestMetrics(second.caller, second), 'access_revoked');
  });

  test('extends a grant, and only further', async () => {
    const world = createWorld();
    const { self, id } = await asked(world);
    const extendTo = (expiresAt: Date) => world.companies.extendRequest(self, { id, expiresAt });
    await expectRefusalSaying(extendTo(later(day)), 'illegal_transition', 'it is pending');
    await world.companies.approveRequest(self, { id, expiresAt: later(2 * day) });
    await expectRefusal(extendTo(later(day)), 'invalid_decision');
    expect((await extendTo(later(3 * day))).accessRequest.expiresAt).toEqual(later(3 * day));
    world.clock.set(later(3 * day));
    await expectRefusalSaying(extendTo(later(4 * day)), 'illegal_transition', 'it is expired');
  });

  test('approves an addition until the end that the grant has, unless it names another', async () => {
    const world = createWorld();
    const { self, id, caller } = await asked(world);
    await world.companies.approveRequest(self, { id, expiresAt: later(20 * day) });
    await world.callers.amendAccessRequest(caller, { id, scopes: ['accounts:read'] });
    world.clock.advance(day);
    const { version } = await world.stored(id);
    const { accessRequest: approved } = await world.companies.approveRequest(self, { id, version });
    expect(approved.approvedScopes).toContain('accounts:read');
    expect(approved.expiresAt).toEqual(later(20 * day));
  });
});

describe('a decision that stands already', () => {
  test.each([
    ['approve', {}],
    ['approve', { scopes: ['metrics:read'], expiresAt: later(day) }],
    ['extend', { expiresAt: later(day) }],
    ['decline', { reason: 'no' }],
    ['revoke', { reason: 'no' }],
  ] as const)('%s %j, sent again, is answered alike and told to nobody', async (verb, named) => {
    const world = createWorld();
    const { self, id } = await asked(world);
    const { companies } = world;
    if (verb === 'revoke') await companies.approveRequest(self, { id });
    if (verb === 'extend') await companies.approveRequest(self, { id, expiresAt: later(1) });
    const decide = () => companies[`${verb}Request`](self, { id, ...named } as never);
    const first = await decide();
    const told = await world.eventTypes();
    world.clock.advance(1000);
    expect(await decide()).toEqual(first);
    expect(await world.eventTypes()).toEqual(told);
  });

  test('but was another, is refused and changes nothing', async () => {
    const world = createWorld();
    const { self, id } = await asked(world);
    await world.companies.declineRequest(self, { id, reason: 'no' });
    const declined = await world.stored(id);
    for (const attempt of [
      world.companies.approveRequest(self, { id }),
      world.companies.declineRequest(self, { id, reason: 'another' }),
      world.companies.revokeRequest(self, { id }),
    ]) {
      await expectRefusalSaying(attempt, 'illegal_transition', 'it is declined');
    }
    expect(await world.stored(id)).toEqual(declined);
    expect(await world.eventTypes()).toEqual(['created', 'declined']);
  });
});

describe('refused is', () => {
  test('every decision on a request to another company, or on none', async () => {
    const world = createWorld();
    const { self } = await asked(world);
    const other = await asked(world);
    const { companies } = world;
    for (const id of [other.id, 'ar_none', 'nonsense', 'ar_\u0000', '']) {
      const attempts = [
        companies.approveRequest(self, { id }),
        companies.declineRequest(self, { id }),
        companies.revokeRequest(self, { id }),
        companies.extendRequest(self, { id, expiresAt: later(day) }),
        companies.readReceivedRequest(self, { id }),
      ];
      for (const attempt of attempts) {
        await expectRefusalSaying(
          attempt,
          'access_request_not_found',
          'No such access request to this company.',
        );
      }
    }
    expect((await world.stored(other.id)).status).toBe('pending');
  });

  test.each([
    ['approve', { scopes: 'metrics:read' }],
    ['approve', { scopes: [1] }],
    ['approve', { expiresAt: 'tomorrow' }],
    ['approve', { expiresAt: '9999-12-31T23:59:59-05:00' }],
    ['approve', { reason: 'none' }],
    ['decline', { reason: 'r'.repeat(1001) }],
    ['decline', { reason: 'a\u0000b' }],
    ['revoke', { reason: 7 }],
    ['extend', {}],
    ['extend', { expiresAt: null }],
    ['extend', { expiresAt: 5 }],
  ] as const)('an input that is none: %s %j', async (verb, input) => {
    const world = createWorld();
    const { self, id } = await asked(world);
    await expectRefusal(
      async () => world.companies[`${verb}Request`](self, { id, ...input } as never),
      'invalid_parameter',
    );
  });

  test.each([
    ['approve', { scopes: ['accounts:read'] }],
    ['approve', { scopes: ['all'] }],
    ['approve', { scopes: [] }],
    ['approve', { expiresAt: start }],
  ] as const)('a decision that cannot be: %s %j', async (verb, input) => {
    const world = createWorld();
    const { self, id } = await asked(world);
    await expectRefusal(
      world.companies[`${verb}Request`](self, { id, ...input } as never),
      'invalid_decision',
    );
    expect((await world.stored(id)).status).toBe('pending');
  });
});
