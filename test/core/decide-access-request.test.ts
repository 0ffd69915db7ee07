import { describe, expect, test } from 'vitest';
import type { CompanyUseCases } from '#core';
import {
  createWorld,
  day,
  expectRefusal,
  expectRefusalSaying,
  later,
  type Newcomer,
  start,
  type World,
} from './world.ts';

/** An investor that asks a company for metrics and sources. */
async function pendingIn(world: World): Promise<Newcomer & { id: string }> {
  const newcomer = await world.newcomer();
  const { id } = await world.request(newcomer.key, newcomer.companyId, [
    'metrics:read',
    'sources:read',
  ]);
  return { ...newcomer, id };
}

type Verb = 'approve' | 'decline' | 'revoke' | 'extend';
type Input = Parameters<CompanyUseCases['approveRequest']>[1];

/** Whoever decides on the requests to a company. */
async function deciderIn({ operator, companies, ...world }: World, who: Who, companyId: string) {
  if (who === 'an operator') {
    return {
      actor: { type: 'operator', id: null },
      notFound: (id: string) => `there is no access request ${id}`,
      decide: (verb: Verb, input: object) => operator[`${verb}AccessRequest`](input as never),
      read: (input: Pick<Input, 'id'>) => operator.showAccessRequest(input),
    };
  }
  const self = await world.admitCompany(companyId);
  return {
    actor: { type: 'company_key', id: self.keyId },
    notFound: () => 'No such access request to this company.',
    decide: (verb: Verb, input: object) => companies[`${verb}Request`](self, input as never),
    read: (input: Pick<Input, 'id'>) => companies.readReceivedRequest(self, input),
  };
}

const everybody = ['a company', 'an operator'] as const;
type Who = (typeof everybody)[number];

describe.each(everybody)('%s', (who) => {
  async function aRequest(world = createWorld()) {
    const pending = await pendingIn(world);
    const decider = await deciderIn(world, who, pending.companyId);
    const decide = async (verb: Verb, input: object = {}) =>
      (await decider.decide(verb, { id: pending.id, ...input })).accessRequest;
    return { world, ...pending, decider, decide };
  }

  test('approves all, for 365 days, when it says no more, and is told as the one who did', async () => {
    const { world, id, investor, decider } = await aRequest();
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

  test('approves a part until an instant, given as a date or as text', async () => {
    for (const expiresAt of [later(day), later(day).toISOString()]) {
      const { decide } = await aRequest();
      expect(await decide('approve', { scopes: ['sources:read'], expiresAt })).toMatchObject({
        approvedScopes: ['sources:read'],
        expiresAt: later(day),
      });
    }
  });

  test('approves for as many days as are configured', async () => {
    const world = createWorld(({ settings }) => ({
      settings: { ...settings, pendingTtlDays: 2, grantTtlDays: 7 },
    }));
    const { id, decide } = await aRequest(world);
    expect((await world.stored(id)).deadlineAt).toEqual(later(2 * day));
    expect((await decide('approve')).expiresAt).toEqual(later(7 * day));
  });

  test('takes null for what it leaves out', async () => {
    const { decide } = await aRequest();
    const nothing = { scopes: null, expiresAt: null, version: null };
    expect((await decide('approve', nothing)).approvedScopes).toHaveLength(2);
  });

  test.each([
    ['with a reason', 'not this quarter'],
    ['with a long one', 'r'.repeat(1000)],
    ['with null', null],
    ['without one', undefined],
  ])('declines and revokes %s, which the history keeps', async (_how, reason) => {
    const one = await aRequest();
    const expected = { reason: reason ?? null, decidedAt: start };
    expect(await one.decide('decline', { reason })).toMatchObject({
      ...expected,
      status: 'declined',
    });
    expect(await one.world.eventTypes()).toEqual(['created', 'declined']);
    const other = await aRequest();
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

  test('extends a grant, and only further', async () => {
    const { world, decide } = await aRequest();
    const extendTo = (expiresAt: Date) => decide('extend', { expiresAt });
    await expectRefusalSaying(extendTo(later(day)), 'illegal_transition', 'it is pending');
    await decide('approve', { expiresAt: later(2 * day) });
    await expectRefusal(extendTo(later(day)), 'invalid_decision');
    expect((await extendTo(later(3 * day))).expiresAt).toEqual(later(3 * day));
    expect(await world.eventTypes()).toEqual(['created', 'approved', 'extended']);
    world.clock.set(later(3 * day));
    await expectRefusalSaying(extendTo(later(4 * day)), 'illegal_transition', 'it is expired');
  });

  test('approves an addition until the end that the grant has, unless it names another', async () => {
    const { world, id, caller, decide } = await aRequest();
    await decide('approve', { expiresAt: later(20 * day) });
    await world.callers.amendAccessRequest(caller, { id, scopes: ['accounts:read'] });
    world.clock.advance(day);
    const { version } = await world.stored(id);
    const approved = await decide('approve', { version });
    expect(approved.approvedScopes).toContain('accounts:read');
    expect(approved.expiresAt).toEqual(later(20 * day));
  });

  describe('is refused, which changes nothing and is told to nobody,', () => {
    async function expectNothingHappens(
      { world, id }: { world: World; id: string },
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
      ['what is no scope', { scopes: ['all'] }, 'not requested: all'],
      ['nothing', { scopes: [] }, 'at least one'],
      ['for no time at all', { expiresAt: start }, 'must lie in the future'],
    ])('approving %s', async (_what, answer, message) => {
      const asked = await aRequest();
      const attempt = () => asked.decide('approve', answer);
      await expectNothingHappens(asked, attempt, 'invalid_decision', message);
      expect((await asked.world.stored(asked.id)).status).toBe('pending');
    });

    test.each([
      ['approve', { scopes: 'metrics:read' }, 'scopes'],
      ['approve', { scopes: [1] }, 'scopes'],
      ['approve', { expiresAt: 'tomorrow' }, 'expiresAt'],
      ['approve', { expiresAt: '9999-12-31T23:59:59-05:00' }, 'expiresAt'],
      ['approve', { expiresAt: new Date('+010000-01-01T00:00:00Z') }, 'expiresAt'],
      ['approve', { expiresAt: new Date(Number.NaN) }, 'expiresAt'],
      ['approve', { reason: 'none' }, 'reason is unknown'],
      ['decline', { reason: 'r'.repeat(1001) }, 'reason has a value'],
      ['decline', { reason: 'a\u0000b' }, 'holds a control character'],
      ['decline', { reason: 'a\u202eb' }, 'turns the direction of text'],
      ['revoke', { reason: 'a\u001bb' }, 'holds a control character'],
      ['revoke', { reason: 7 }, 'reason has a value'],
      ['extend', {}, 'expiresAt'],
      ['extend', { expiresAt: null }, 'expiresAt'],
      ['extend', { expiresAt: 5 }, 'expiresAt'],
    ] as const)('an input that is none: %s %j', async (verb, input, message) => {
      const asked = await aRequest();
      const attempt = async () => asked.decide(verb, input);
      await expectNothingHappens(asked, attempt, 'invalid_parameter', message);
    });

    test.each(['approve', 'decline', 'revoke'] as const)(
      'to %s what was declined',
      async (verb) => {
        const asked = await aRequest();
        await asked.decide('decline', { reason: 'no' });
        const attempt = () =>
          asked.decide(verb, { ...(verb === 'decline' && { reason: 'another' }) });
        const message = `cannot ${verb} the access request ${asked.id}: it is declined`;
        await expectNothingHappens(asked, attempt, 'illegal_transition', message);
      },
    );

    test('to revoke what is only pending', async () => {
      const asked = await aRequest();
      const attempt = () => asked.decide('revoke');
      await expectNothingHappens(asked, attempt, 'illegal_transition', 'it is pending');
    });

    test('to approve after the deadline, at that very instant, although no sweeper has run', async () => {
      const asked = await aRequest();
      asked.world.clock.set(later(30 * day));
      const attempt = () => asked.decide('approve');
      await expectNothingHappens(asked, attempt, 'illegal_transition', 'it is expired');
    });

    test('the second of two answers at once', async () => {
      const { world, decide } = await aRequest();
      const [approved, declined] = await Promise.allSettled([decide('approve'), decide('decline')]);
      expect(approved.status).toBe('fulfilled');
      expect(declined).toMatchObject({
        status: 'rejected',
        reason: { code: 'illegal_transition' },
      });
      expect(await world.eventTypes()).toEqual(['created', 'approved']);
    });

    test.each(['ar_none', 'nonsense', 'ar_\u0000', ''])(
      'to answer %j, which nobody asked',
      async (id) => {
        const { decider } = await aRequest();
        const attempts = [
          decider.decide('approve', { id }),
          decider.decide('decline', { id }),
          decider.decide('revoke', { id }),
          decider.decide('extend', { id, expiresAt: later(day) }),
          decider.read({ id }),
        ];
        for (const attempt of attempts) {
          await expectRefusalSaying(attempt, 'access_request_not_found', decider.notFound(id));
        }
      },
    );
  });

  test('decides nothing whose event cannot be written', async () => {
    const broken = new Error('the disk is full');
    let isBroken = false;
    const world = createWorld(({ accessRequests }) => ({
      accessRequests: {
        ...accessRequests,
        transact: (work) =>
          accessRequests.transact((transaction) =>
            work(
              isBroken ? { ...transaction, addEvent: () => Promise.reject(broken) } : transaction,
            ),
          ),
      },
    }));
    const { id, decide } = await aRequest(world);
    isBroken = true;
    await expect(decide('approve')).rejects.toBe(broken);
    expect((await world.stored(id)).status).toBe('pending');
  });
});

test('a request to another company does not exist for a company, and does for an operator', async () => {
  const world = createWorld();
  const [one, other] = [await pendingIn(world), await pendingIn(world)];
  const company = await deciderIn(world, 'a company', one.companyId);
  const operator = await deciderIn(world, 'an operator', one.companyId);
  const { id } = other;
  const attempts = [
    () => company.decide('approve', { id }),
    () => company.decide('decline', { id }),
    () => company.decide('revoke', { id }),
    () => company.decide('extend', { id, expiresAt: later(day) }),
    () => company.read({ id }),
  ];
  for (const attempt of attempts) {
    await expectRefusalSaying(
      attempt,
      'access_request_not_found',
      'No such access request to this',
    );
  }
  expect((await world.stored(id)).status).toBe('pending');
  expect((await operator.decide('approve', { id })).accessRequest.status).toBe('approved');
});

describe('a decision that stands already', () => {
  const decisions = [
    ['approve', {}],
    ['approve', { scopes: ['metrics:read'], expiresAt: later(day) }],
    ['extend', { expiresAt: later(day) }],
    ['decline', { reason: 'no' }],
    ['revoke', { reason: 'no' }],
  ] as const;

  async function decided(who: Who, verb: Verb, named: object) {
    const world = createWorld();
    const { id, companyId } = await pendingIn(world);
    const { decide } = await deciderIn(world, who, companyId);
    if (verb === 'revoke') await decide('approve', { id });
    if (verb === 'extend') await decide('approve', { id, expiresAt: later(1) });
    const again = () => decide(verb, { id, ...named });
    const first = await again();
    const told = await world.eventTypes();
    world.clock.advance(1000);
    return { world, first, told, again };
  }

  test.each(decisions)(
    '%s %j is answered to a company alike, and told to nobody',
    async (...of) => {
      const { world, first, told, again } = await decided('a company', ...of);
      expect(await again()).toEqual(first);
      expect(await world.eventTypes()).toEqual(told);
    },
  );

  test.each(decisions)('%s %j is refused to an operator that names no version', async (...of) => {
    const { world, told, again } = await decided('an operator', ...of);
    const [verb] = of;
    await expectRefusal(again(), verb === 'extend' ? 'invalid_decision' : 'illegal_transition');
    expect(await world.eventTypes()).toEqual(told);
  });
});
