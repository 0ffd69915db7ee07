import { describe, expect, test } from 'vitest';
import { pendingRequest } from '../../builders.ts';
import {
  createWorld,
  day,
  expectRefusal,
  inTransactions,
  later,
  type Newcomer,
  newcomerIn,
  start,
  type World,
} from '../../world.ts';

const metrics = ['metrics:read'] as const;
const both = ['metrics:read', 'sources:read'] as const;

function ask(
  world: World,
  { caller, companyId }: Pick<Newcomer, 'caller' | 'companyId'>,
  scopes: readonly ('metrics:read' | 'accounts:read' | 'sources:read')[] = metrics,
  purpose?: string | null,
) {
  return world.callers.requestAccess(caller, { companyId, scopes: [...scopes], purpose });
}

test('an operator asks for an investor, which is told as the asker', async () => {
  const { world, investor, companyId } = await newcomerIn(createWorld());
  const asked = { companyId, scopes: [...metrics] };
  const { operator } = world;
  const { accessRequest } = await operator.requestAccess({ ...asked, investorId: investor.id });
  expect(accessRequest).toMatchObject({ investorId: investor.id, companyId, status: 'pending' });
  const { events } = await operator.listAccessEvents();
  expect(events).toMatchObject([{ actor: { type: 'investor', id: investor.id } }]);
  await expectRefusal(
    operator.requestAccess({ ...asked, investorId: 'inv_none' }),
    'investor_not_found',
  );
});

describe('a first request', () => {
  test('is created, pending, with nothing approved and 30 days for an answer, and told to the company', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const answer = await ask(world, newcomer, both, 'Quarterly reporting');
    expect(answer).toEqual({
      outcome: 'created',
      replayed: false,
      accessRequest: {
        id: expect.stringMatching(/^ar_/),
        investorId: newcomer.investor.id,
        companyId: newcomer.companyId,
        requestedScopes: both,
        approvedScopes: [],
        pendingScopes: [],
        previousScopes: [],
        additionDeclined: false,
        pendingPurpose: null,
        status: 'pending',
        version: expect.stringMatching(/./),
        amendments: 0,
        purpose: 'Quarterly reporting',
        reason: null,
        createdAt: start,
        decidedAt: null,
        expiresAt: null,
        deadlineAt: later(30 * day),
        expiringAt: null,
        lastEventType: 'access_request.created',
      },
    });
    const { accessRequest } = answer;
    expect(await world.stored(accessRequest.id)).toEqual(accessRequest);
    const { events } = await world.operator.listAccessEvents();
    const id = expect.stringMatching(/^evt_/);
    const type = 'access_request.created';
    expect(events).toMatchObject([{ id, type, createdAt: start, accessRequest }]);
  });

  test('folds duplicate scopes and keeps their order', async () => {
    const world = createWorld();
    const scopes = ['sources:read', 'metrics:read', 'sources:read'] as const;
    const { accessRequest } = await ask(world, await world.newcomer(), scopes);
    expect(accessRequest.requestedScopes).toEqual(['sources:read', 'metrics:read']);
  });

  test.each([undefined, null])('has no purpose when it is given as %s', async (purpose) => {
    const world = createWorld();
    const { accessRequest } = await ask(world, await world.newcomer(), metrics, purpose);
    expect(accessRequest.purpose).toBeNull();
  });

  test('needs no scope of the key', async () => {
    const { world, newcomer } = await newcomerIn(createWorld(), { scopes: ['companies:read'] });
    expect((await ask(world, newcomer)).outcome).toBe('created');
  });
});

describe('a company that the caller cannot name', () => {
  test('outside the portfolio, of nobody, or of impossible form: the same refusal', async () => {
    const { world, caller } = await newcomerIn(createWorld());
    const strange = await world.company();
    const messages = new Set<string>();
    for (const companyId of [strange.id, 'co_nobody', '../co', `co_${'x'.repeat(65)}`]) {
      const error = await expectRefusal(ask(world, { caller, companyId }), 'company_not_found');
      messages.add(error.message);
    }
    expect(messages.size).toBe(1);
    expect(await world.eventTypes()).toEqual([]);
  });

  test('of impossible form is not even looked up', async () => {
    const { world, caller } = await newcomerIn(
      createWorld(({ directory }) => ({
        directory: { ...directory, isInPortfolio: () => Promise.reject(new Error('looked up')) },
      })),
    );
    await expectRefusal(ask(world, { caller, companyId: '../co' }), 'company_not_found');
  });
});

describe('while a request is live', () => {
  test('asking again for the same is answered with the existing record, unchanged', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const first = await ask(world, newcomer, both, 'first');
    world.clock.advance(day);
    const again = await ask(world, newcomer, both, 'second');
    expect(again).toEqual({ ...first, outcome: 'existing' });
    expect(await world.eventTypes()).toEqual(['created']);
  });

  test('asking for a part of it is covered, whatever the order', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const first = await ask(world, newcomer, both);
    const part = await ask(world, newcomer, ['sources:read']);
    expect(part.accessRequest.id).toBe(first.accessRequest.id);
  });

  test('an identical repeat is covered even when the company approved only a part', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const { accessRequest } = await ask(world, newcomer, both);
    await world.operator.approveAccessRequest({ id: accessRequest.id, scopes: ['sources:read'] });
    const again = await ask(world, newcomer, both);
    expect(again.outcome).toBe('existing');
    expect(again.accessRequest).toMatchObject({
      id: accessRequest.id,
      status: 'approved',
      approvedScopes: ['sources:read'],
    });
  });

  test.each(['pending', 'approved'])('asking for more is a conflict: %s', async (status) => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const { accessRequest } = await ask(world, newcomer);
    if (status === 'approved') await world.operator.approveAccessRequest({ id: accessRequest.id });
    await expectRefusal(ask(world, newcomer, both), 'scope_conflict');
    expect((await world.stored(accessRequest.id)).requestedScopes).toEqual(metrics);
  });

  test('of any number of callers at once, one creates and the others find', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(world, newcomer)));
    expect(answers.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
    expect(new Set(answers.map(({ accessRequest }) => accessRequest.id)).size).toBe(1);
    expect(await world.eventTypes()).toEqual(['created']);
  });
});

describe('after a request has ended', () => {
  test.each(['declined', 'revoked'])('a new one may be made: %s', async (status) => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const { id } = (await ask(world, newcomer)).accessRequest;
    if (status === 'declined') await world.operator.declineAccessRequest({ id });
    else {
      await world.operator.approveAccessRequest({ id });
      await world.operator.revokeAccessRequest({ id });
    }
    const before = await world.stored(id);
    const again = await ask(world, newcomer, both);
    expect(again.outcome).toBe('created');
    expect(again.accessRequest.id).not.toBe(id);
    expect(await world.stored(id)).toEqual(before);
  });

  test('an unanswered one expires after 30 days: it covers until then, and no more at that instant', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    await ask(world, newcomer);
    world.clock.set(later(30 * day - 1));
    expect((await ask(world, newcomer)).outcome).toBe('existing');
    world.clock.set(later(30 * day));
    expect((await ask(world, newcomer)).outcome).toBe('created');
  });

  test('the dead one is moved to expired in the same step, with its own event', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const first = (await ask(world, newcomer)).accessRequest;
    await world.operator.approveAccessRequest({ id: first.id, expiresAt: later(day) });
    world.clock.set(later(day));
    const second = (await ask(world, newcomer, both)).accessRequest;
    expect(await world.stored(first.id)).toMatchObject({ status: 'expired' });
    expect(second).toMatchObject({ status: 'pending', createdAt: later(day) });
    const { events } = await world.operator.listAccessEvents();
    const dated = { id: expect.stringMatching(/^evt_/), createdAt: later(day) };
    expect(events.slice(2)).toMatchObject([
      { ...dated, type: 'access_request.expired', accessRequest: await world.stored(first.id) },
      { ...dated, type: 'access_request.created', accessRequest: second },
    ]);
  });

  test('one that the sweeper has moved to expired already gets no second event', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    await ask(world, newcomer);
    world.clock.set(later(30 * day));
    await world.background.expireAccessRequests();
    await ask(world, newcomer);
    expect(await world.eventTypes()).toEqual(['created', 'expired', 'created']);
  });
});

test.each([
  ['when the clock of this machine is behind that of the last', -5000, 1],
  ['within one millisecond', 0, 1],
  ['and otherwise as old as it is', 2, 2],
])(
  'the newest request decides, so a new one is newer than the last: %s',
  async (_, now, created) => {
    const { world, newcomer, caller } = await newcomerIn(createWorld());
    const { id } = (await ask(world, newcomer)).accessRequest;
    await world.operator.declineAccessRequest({ id });
    world.clock.set(later(now));
    const { createdAt, deadlineAt } = (await ask(world, newcomer)).accessRequest;
    expect(createdAt).toEqual(later(created));
    // Its time to be answered begins now all the same.
    expect(deadlineAt).toEqual(later(30 * day + now));
    expect((await world.callers.listPortfolio(caller))[0]?.access).toBe('pending');
  },
);

test('a clock that is set back in the middle of a renewal does not break it', async () => {
  const instants = [later(30 * day), later(30 * day), later(30 * day - 1)];
  const { world, newcomer } = await newcomerIn(
    createWorld(({ clock }) => ({
      clock: {
        now: () => (clock.now() < later(day) ? clock.now() : (instants.shift() ?? clock.now())),
      },
    })),
  );
  await ask(world, newcomer);
  world.clock.set(later(30 * day - 1));
  expect((await ask(world, newcomer)).outcome).toBe('created');
});

describe('a transition and its event stand or fall together', () => {
  const broken = new Error('the disk is full');

  /** Lets `count` writes of events pass and then fails. */
  function createBreakingWorld(count: number) {
    let left = count;
    return createWorld(
      inTransactions((transaction) => ({
        addEvent: (...written) => {
          left -= 1;
          return left < 0 ? Promise.reject(broken) : transaction.addEvent(...written);
        },
      })),
    );
  }

  test('a request whose event cannot be written does not exist', async () => {
    const { world, newcomer } = await newcomerIn(createBreakingWorld(0));
    await expect(ask(world, newcomer)).rejects.toBe(broken);
    const { items } = await world.callers.listAccessRequests(newcomer.caller);
    expect(items).toEqual([]);
  });

  test('a renewal that fails at its last step leaves the dead one as it was', async () => {
    const { world, newcomer } = await newcomerIn(createBreakingWorld(2));
    const first = (await ask(world, newcomer)).accessRequest;
    world.clock.set(later(30 * day));
    await expect(ask(world, newcomer)).rejects.toBe(broken);
    expect(await world.stored(first.id)).toEqual(first);
    expect(await world.eventTypes()).toEqual(['created']);
  });
});

describe('the race of two first requests, which only the database can decide', () => {
  /** The other one’s insert comes between the look-up and ours; `then` is what the second look-up finds. */
  function createRacingWorld(
    then: (pair: [string, string]) => ReturnType<typeof pendingRequest> | null,
  ) {
    return createWorld(
      inTransactions(() => {
        let looks = 0;
        return {
          lockNewest: async (...pair) => {
            looks += 1;
            return looks === 1 ? null : then(pair);
          },
          add: async () => false,
        };
      }),
    );
  }

  test('the other one covers what is asked: it is the answer', async () => {
    const winner = pendingRequest({ requestedScopes: both });
    const world = createRacingWorld(() => winner);
    expect(await ask(world, await world.newcomer())).toEqual({
      outcome: 'existing',
      accessRequest: winner,
      replayed: false,
    });
    expect(await world.eventTypes()).toEqual([]);
  });

  test('the other one does not cover it: a conflict of scopes', async () => {
    const world = createRacingWorld(() => pendingRequest({ requestedScopes: ['accounts:read'] }));
    await expectRefusal(ask(world, await world.newcomer()), 'scope_conflict');
  });

  test.each([
    ['was declined', pendingRequest({ status: 'declined' })],
    ['has expired', pendingRequest({ deadlineAt: start })],
    ['is gone', null],
  ])('the other one %s already: request_conflict, try again', async (_what, found) => {
    const world = createRacingWorld(() => found);
    const error = await expectRefusal(ask(world, await world.newcomer()), 'request_conflict');
    expect(error.type).toBe('idempotency_error');
  });

  test('the second look-up is for the same investor and company', async () => {
    const pairs: [string, string][] = [];
    const world = createRacingWorld((pair) => {
      pairs.push(pair);
      return pendingRequest();
    });
    const newcomer = await world.newcomer();
    await ask(world, newcomer);
    expect(pairs).toEqual([[newcomer.investor.id, newcomer.companyId]]);
  });
});
