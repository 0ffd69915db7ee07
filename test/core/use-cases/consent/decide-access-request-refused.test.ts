import { describe, expect, test } from 'vitest';
import { createWorld, day, expectRefusal, later, start, type World } from '../../world.ts';
import {
  aRequest,
  type Decider,
  deciderIn,
  everybody,
  pendingIn,
  type Verb,
  type Who,
} from './decide-steps.ts';

async function expectNotFound(decider: Decider, id: string): Promise<void> {
  for (const attempt of [
    decider.decide('approve', { id }),
    decider.decide('decline', { id }),
    decider.decide('revoke', { id }),
    decider.decide('extend', { id, expiresAt: later(day) }),
    decider.read({ id }),
  ]) {
    await expectRefusal(attempt, 'access_request_not_found', decider.notFound(id));
  }
}

describe.each(everybody)('a refused decision by %s', (who) => {
  async function expectNothingHappens(
    { world, id }: { world: World; id: string },
    attempt: () => Promise<unknown>,
    code: 'invalid_parameter' | 'illegal_transition' | 'invalid_decision',
    message: string,
  ): Promise<void> {
    const before = await world.stored(id);
    const told = await world.eventTypes();
    await expectRefusal(attempt, code, message);
    expect(await world.stored(id)).toEqual(before);
    expect(await world.eventTypes()).toEqual(told);
  }

  test.each([
    ['a scope that was not requested', { scopes: ['accounts:read'] }, 'not requested'],
    ['a grant that would end now', { expiresAt: start }, 'must be later than now'],
  ])('changes nothing and sends no event if it approves %s', async (_what, answer, message) => {
    const asked = await aRequest(who);
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
    ['approve', { why: 'none' }, 'why is unknown'],
    ['decline', { reason: 'r'.repeat(1001) }, 'reason has a value'],
    ['decline', { reason: 'a\u0000b' }, 'contains a control character'],
    ['decline', { reason: 'a\u202eb' }, 'changes the text direction'],
    ['revoke', { reason: 'a\u001bb' }, 'contains a control character'],
    ['revoke', { reason: 7 }, 'reason must be a string, not a number'],
    ['extend', {}, 'expiresAt'],
    ['extend', { expiresAt: null }, 'expiresAt'],
    ['extend', { expiresAt: 5 }, 'expiresAt'],
  ] as const)(
    'changes nothing and sends no event if its input is invalid: %s %j',
    async (verb, input, message) => {
      const asked = await aRequest(who);
      const attempt = async () => asked.decide(verb, input);
      await expectNothingHappens(asked, attempt, 'invalid_parameter', message);
    },
  );

  test('changes nothing and sends no event if it revokes a pending request', async () => {
    const asked = await aRequest(who);
    const attempt = () => asked.decide('revoke');
    await expectNothingHappens(asked, attempt, 'illegal_transition', 'it is pending');
  });

  test('changes nothing and sends no event if it is the second of two simultaneous decisions', async () => {
    const { world, decide } = await aRequest(who);
    const [approved, declined] = await Promise.allSettled([decide('approve'), decide('decline')]);
    expect(approved.status).toBe('fulfilled');
    expect(declined).toMatchObject({
      status: 'rejected',
      reason: { code: 'illegal_transition' },
    });
    expect(await world.eventTypes()).toEqual(['created', 'approved']);
  });

  test.each(['ar_none', 'nonsense', 'ar_\u0000', ''])(
    'changes nothing and sends no event if the request %j doesn’t exist',
    async (id) => {
      const { decider } = await aRequest(who);
      await expectNotFound(decider, id);
    },
  );
});

test('a company can’t see a request to another company, but an operator can', async () => {
  const world = createWorld();
  const [one, other] = [await pendingIn(world), await pendingIn(world)];
  const company = await deciderIn(world, 'a company', one.companyId);
  const operator = await deciderIn(world, 'an operator', one.companyId);
  const { id } = other;
  await expectNotFound(company, id);
  expect((await world.stored(id)).status).toBe('pending');
  expect((await operator.decide('approve', { id })).accessRequest.status).toBe('approved');
});

describe('a repeated decision', () => {
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
    '%s %j returns the same request to a company and sends no event',
    async (...of) => {
      const { world, first, told, again } = await decided('a company', ...of);
      expect(await again()).toEqual(first);
      expect(await world.eventTypes()).toEqual(told);
    },
  );

  test.each(decisions)('%s %j is refused for an operator who sends no version', async (...of) => {
    const { world, told, again } = await decided('an operator', ...of);
    const [verb] = of;
    await expectRefusal(again(), verb === 'extend' ? 'invalid_decision' : 'illegal_transition');
    expect(await world.eventTypes()).toEqual(told);
  });

  test('returns the same request to an operator who sends the same version again', async () => {
    const { world, id, decide } = await aRequest('an operator');
    const { version } = await world.stored(id);
    const approved = await decide('approve', { version });
    expect(await decide('approve', { version })).toEqual(approved);
    const refuse = (attempt: Promise<unknown>, now: string) =>
      expectRefusal(attempt, 'request_changed', `it is ${now} now`);
    await refuse(decide('decline', { version }), 'approved');
    await refuse(decide('approve', { version: 'ver_none' }), 'approved');
    await decide('revoke');
    await refuse(decide('approve', { version }), 'revoked');
  });
});
