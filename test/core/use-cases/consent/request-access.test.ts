import { describe, expect, test, vi } from 'vitest';
import { pendingRequest } from '../../builders.ts';
import {
  aNewcomer,
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

test('an operator can request access for an investor, which the log shows as the actor', async () => {
  const { world, investor, companyId } = await aNewcomer();
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

describe('the first access request of an investor to a company', () => {
  test('is created as pending for 30 days without approved scopes, and the company gets an event', async () => {
    const { world, newcomer } = await aNewcomer();
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
        ...{ requestedTerms: null, approvedTerms: null, pendingTerms: null, approvals: [] },
        ...{ reviewAt: null, pausedAt: null, firstReadAt: null },
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

  test('removes duplicate scopes and keeps their order', async () => {
    const world = createWorld();
    const scopes = ['sources:read', 'metrics:read', 'sources:read'] as const;
    const { accessRequest } = await ask(world, await world.newcomer(), scopes);
    expect(accessRequest.requestedScopes).toEqual(['sources:read', 'metrics:read']);
  });

  test.each([undefined, null])('has no purpose if the purpose is %s', async (purpose) => {
    const world = createWorld();
    const { accessRequest } = await ask(world, await world.newcomer(), metrics, purpose);
    expect(accessRequest.purpose).toBeNull();
  });

  test('can be made with an API key that lacks the requested scopes', async () => {
    const { world, newcomer } = await aNewcomer({ scopes: ['companies:read'] });
    expect((await ask(world, newcomer)).outcome).toBe('created');
  });
});

describe('an access request to a company outside the portfolio', () => {
  test('gets the same refusal for an existing, an unknown and a malformed company id', async () => {
    const { world, caller } = await aNewcomer();
    const strange = await world.company();
    const messages = new Set<string>();
    for (const companyId of [strange.id, 'co_nobody', '../co', `co_${'x'.repeat(65)}`]) {
      const error = await expectRefusal(ask(world, { caller, companyId }), 'company_not_found');
      messages.add(error.message);
    }
    expect(messages.size).toBe(1);
    expect(await world.eventTypes()).toEqual([]);
  });

  test('causes no database query if the company id is malformed', async () => {
    const { world, caller } = await aNewcomer();
    const lookUp = vi.spyOn(world.ports.directory, 'isInPortfolio');
    await expectRefusal(ask(world, { caller, companyId: '../co' }), 'company_not_found');
    expect(lookUp).not.toHaveBeenCalled();
  });
});

describe('while an access request is open', () => {
  test('another request with the same content returns the existing access request unchanged', async () => {
    const { world, newcomer } = await aNewcomer();
    const first = await ask(world, newcomer, both, 'first');
    world.clock.advance(day);
    const again = await ask(world, newcomer, both, 'second');
    expect(again).toEqual({ ...first, outcome: 'existing' });
    expect(await world.eventTypes()).toEqual(['created']);
  });

  test('one of several simultaneous callers creates the access request, and all callers get it', async () => {
    const { world, newcomer } = await aNewcomer();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(world, newcomer)));
    expect(answers.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
    expect(new Set(answers.map(({ accessRequest }) => accessRequest.id)).size).toBe(1);
    expect(await world.eventTypes()).toEqual(['created']);
  });
});

describe('after an access request has ended', () => {
  test('a new request also stores the expiry of the old request, and each of the two changes has an event', async () => {
    const { world, newcomer } = await aNewcomer();
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
});

test.each([
  ['the clock of this server is behind', -5000, 1],
  ['both are made in the same millisecond', 0, 1],
  ['the clock of this server is later', 2, 2],
])(
  'a new access request is dated after the previous one, because the newest one decides: %s',
  async (_, now, created) => {
    const { world, newcomer, caller } = await aNewcomer();
    const { id } = (await ask(world, newcomer)).accessRequest;
    await world.operator.declineAccessRequest({ id });
    world.clock.set(later(now));
    const { createdAt, deadlineAt } = (await ask(world, newcomer)).accessRequest;
    expect(createdAt).toEqual(later(created));
    // The 30 days of the new request still begin at this server's time.
    expect(deadlineAt).toEqual(later(30 * day + now));
    expect((await world.callers.listPortfolio(caller))[0]?.access).toBe('pending');
  },
);

test('a new request after the expiry of the old one succeeds even if the clock is set back meanwhile', async () => {
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

describe('the transaction of an access request and its event', () => {
  const broken = new Error('the disk is full');

  /** Creates a world that can write `count` events, and in which every further write of an event fails. */
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

  test('leaves no access request if its event can’t be written', async () => {
    const { world, newcomer } = await newcomerIn(createBreakingWorld(0));
    await expect(ask(world, newcomer)).rejects.toBe(broken);
    const { items } = await world.callers.listAccessRequests(newcomer.caller);
    expect(items).toEqual([]);
  });

  test('leaves the expired old request unchanged if the last write for a new request fails', async () => {
    const { world, newcomer } = await newcomerIn(createBreakingWorld(2));
    const first = (await ask(world, newcomer)).accessRequest;
    world.clock.set(later(30 * day));
    await expect(ask(world, newcomer)).rejects.toBe(broken);
    expect(await world.stored(first.id)).toEqual(first);
    expect(await world.eventTypes()).toEqual(['created']);
  });
});

describe('two simultaneous first access requests', () => {
  /** Simulates a caller that inserts a request after our first look-up. Our second look-up returns `then`. */
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

  test('the later caller gets the existing request if it covers the scopes that the later caller requested', async () => {
    const winner = pendingRequest({ requestedScopes: both });
    const world = createRacingWorld(() => winner);
    expect(await ask(world, await world.newcomer())).toEqual({
      outcome: 'existing',
      accessRequest: winner,
      replayed: false,
    });
    expect(await world.eventTypes()).toEqual([]);
  });

  test('the later caller gets scope_conflict if the existing request doesn’t cover the requested scopes', async () => {
    const world = createRacingWorld(() => pendingRequest({ requestedScopes: ['accounts:read'] }));
    await expectRefusal(ask(world, await world.newcomer()), 'scope_conflict');
  });

  test.each([
    ['was declined', pendingRequest({ status: 'declined' })],
    ['has expired', pendingRequest({ deadlineAt: start })],
    ['no longer exists', null],
  ])('the later caller gets request_conflict if the existing request %s', async (_what, found) => {
    const world = createRacingWorld(() => found);
    const error = await expectRefusal(ask(world, await world.newcomer()), 'request_conflict');
    expect(error.type).toBe('idempotency_error');
  });

  test('the later caller looks up the request of the same investor and company again', async () => {
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
