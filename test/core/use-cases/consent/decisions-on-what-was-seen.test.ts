import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AccessError, type CompanyCaller } from '#core';
import { propertyRuns } from '../../../support/property-runs.ts';
import {
  createWorld,
  day,
  expectRefusal,
  expectRefusalSaying,
  later,
  type Newcomer,
  type World,
} from '../../world.ts';
import { pendingIn } from './decide-steps.ts';

interface Seen extends Newcomer {
  readonly id: string;
  /** The version that a person at the company has read. */
  readonly version: string;
  readonly self: CompanyCaller;
  readonly world: World;
}

const read = async ({ companies }: World, self: CompanyCaller, id: string) =>
  (await companies.readReceivedRequest(self, { id })).accessRequest.version;

/** A request for metrics and sources that the company has read. */
async function seenRequest(world = createWorld()): Promise<Seen> {
  const pending = await pendingIn(world);
  const self = await world.admitCompany(pending.companyId);
  return { ...pending, world, self, version: await read(world, self, pending.id) };
}

/** A grant of metrics and sources that the company has read. */
async function seenGrant(world: World): Promise<Seen> {
  const made = await seenRequest(world);
  await world.companies.approveRequest(made.self, { id: made.id, expiresAt: later(10 * day) });
  return { ...made, version: await read(world, made.self, made.id) };
}

describe('a decision of a company', () => {
  test('is made if it has the current version of the request', async () => {
    const world = createWorld();
    const { companies } = world;
    const first = await seenRequest(world);
    await companies.approveRequest(first.self, {
      id: first.id,
      version: first.version,
      expiresAt: later(day),
    });
    const granted = await read(world, first.self, first.id);
    await companies.extendRequest(first.self, {
      id: first.id,
      version: granted,
      expiresAt: later(2 * day),
    });
    await companies.revokeRequest(first.self, { id: first.id });
    expect((await world.stored(first.id)).status).toBe('revoked');
    const second = await seenRequest(world);
    await companies.declineRequest(second.self, { id: second.id, version: second.version });
    expect((await world.stored(second.id)).status).toBe('declined');
  });

  test.each<[string, (world: World, seen: Seen) => Promise<unknown>]>([
    [
      'the investor requests more scopes',
      ({ callers }, { caller, id }) =>
        callers.amendAccessRequest(caller, { id, scopes: ['accounts:read'] }),
    ],
    [
      'the investor withdraws the request',
      ({ callers }, { caller, id }) => callers.withdrawAccessRequest(caller, { id }),
    ],
    [
      'a colleague approves some of the scopes',
      ({ companies }, { self, id }) =>
        companies.approveRequest(self, { id, scopes: ['metrics:read'] }),
    ],
    [
      'a colleague declines the request',
      ({ companies }, { self, id }) => companies.declineRequest(self, { id }),
    ],
    ['the request expires', async ({ clock }) => clock.set(later(31 * day))],
  ])(
    'is refused and changes nothing if %s after the company has read the request',
    async (_, happen) => {
      const world = createWorld();
      const request = await seenRequest(world);
      await happen(world, request);
      const before = await world.stored(request.id);
      const { self, id, version } = request;
      const attempt = world.companies.approveRequest(self, {
        id,
        version,
        expiresAt: later(90 * day),
      });
      await expectRefusal(attempt, 'request_changed');
      expect(await world.stored(id)).toEqual(before);
    },
  );

  test.each<[string, (world: World, seen: Seen) => Promise<unknown>]>([
    [
      'the investor requests more scopes',
      ({ callers }, { caller, id }) =>
        callers.amendAccessRequest(caller, { id, scopes: ['accounts:read'] }),
    ],
    [
      'a colleague extends the grant',
      ({ companies }, { self, id }) =>
        companies.extendRequest(self, { id, expiresAt: later(20 * day) }),
    ],
    [
      'a colleague revokes the grant',
      ({ companies }, { self, id }) => companies.revokeRequest(self, { id, reason: 'Sold.' }),
    ],
    ['the grant ends', async ({ clock }) => clock.set(later(10 * day))],
  ])('is refused if %s after the company has read the grant', async (_, happen) => {
    const world = createWorld();
    const grant = await seenGrant(world);
    await happen(world, grant);
    const { self, id, version } = grant;
    const { companies } = world;
    const attempt = companies.extendRequest(self, { id, version, expiresAt: later(30 * day) });
    await expectRefusal(attempt, 'request_changed');
  });

  test('is refused if it has no version and the investor has changed the request', async () => {
    const { world, caller, self, id } = await seenRequest();
    await world.callers.amendAccessRequest(caller, { id, scopes: ['accounts:read'] });
    const before = await world.stored(id);
    const attempt = world.companies.approveRequest(self, { id });
    await expectRefusalSaying(attempt, 'request_changed', 'name the version');
    expect(await world.stored(id)).toEqual(before);
  });

  test('is refused if it has an old version, with the current status of the request in the message', async () => {
    const { world, self, id, version } = await seenRequest();
    await world.companies.approveRequest(self, { id });
    await expectRefusalSaying(
      world.companies.declineRequest(self, { id, version }),
      'request_changed',
      'it is approved now',
    );
  });

  test('returns the request if the same decision was already made with the same version', async () => {
    const { world, self, id, version } = await seenRequest();
    const decide = () =>
      world.companies.approveRequest(self, { id, version, scopes: ['metrics:read'] });
    const first = await decide();
    expect(await decide()).toEqual(first);
    expect(await world.eventTypes()).toEqual(['created', 'approved']);
  });

  test('is refused if the version is malformed', async () => {
    const { world, self, id } = await seenRequest();
    for (const version of [5, 'x'.repeat(101), 'a\u0000b']) {
      const input = { id, version } as never;
      await expectRefusal(
        async () => world.companies.declineRequest(self, input),
        'invalid_parameter',
      );
    }
    await world.companies.declineRequest(self, { id, version: null });
  });
});

type Decision =
  | {
      readonly verb: 'approve';
      readonly scopes: readonly string[] | null;
      readonly days: number | null;
    }
  | { readonly verb: 'decline' | 'revoke'; readonly reason: string | null }
  | { readonly verb: 'extend'; readonly days: number };

const days = fc.integer({ min: 1, max: 30 });
const reasons = fc.constantFrom('no', 'later', null);
const decisions: fc.Arbitrary<Decision> = fc.oneof(
  fc.record({
    verb: fc.constant('approve' as const),
    scopes: fc.constantFrom(null, ['metrics:read'], ['sources:read'], ['accounts:read']),
    days: fc.option(days),
  }),
  fc.record({ verb: fc.constantFrom('decline' as const, 'revoke' as const), reason: reasons }),
  fc.record({ verb: fc.constant('extend' as const), days }),
);

function decide({ companies }: World, { self, id, version }: Seen, decision: Decision) {
  const on = { id, version };
  switch (decision.verb) {
    case 'approve': {
      const { scopes, days: lasts } = decision;
      const expiresAt = lasts === null ? null : later(lasts * day);
      return companies.approveRequest(self, { ...on, scopes: scopes && [...scopes], expiresAt });
    }
    case 'extend':
      return companies.extendRequest(self, { ...on, expiresAt: later(decision.days * day) });
    default:
      return companies[`${decision.verb}Request`](self, { ...on, reason: decision.reason });
  }
}

type State = 'pending' | 'granted' | 'amended';

async function make(world: World, state: State): Promise<Seen> {
  if (state === 'pending') return seenRequest(world);
  const grant = await seenGrant(world);
  const { id, self, caller } = grant;
  if (state === 'amended') {
    await world.callers.amendAccessRequest(caller, { id, scopes: ['accounts:read'] });
  }
  return { ...grant, version: await read(world, self, id) };
}

/**
 * Makes the decision in a new world without simultaneous decisions. Returns whether the request has changed, or the
 * code of the refusal.
 */
async function alone(state: State, decision: Decision): Promise<'changes' | 'stands' | string> {
  const world = createWorld();
  const request = await make(world, state);
  const before = await world.stored(request.id);
  try {
    const { accessRequest } = await decide(world, request, decision);
    return accessRequest.version === before.version ? 'stands' : 'changes';
  } catch (error) {
    return (error as AccessError).code;
  }
}

test('only one of several simultaneous decisions on a request is made, and the others are refused', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<State>('pending', 'granted', 'amended'),
      fc.array(decisions, { minLength: 2, maxLength: 6 }),
      async (state, made) => {
        const world = createWorld();
        const request = await make(world, state);
        const told = (await world.eventTypes()).length;
        const before = await world.stored(request.id);
        const outcomes = await Promise.allSettled(
          made.map((decision) => decide(world, request, decision)),
        );
        const after = await world.stored(request.id);
        const byItself = await Promise.all(made.map((decision) => alone(state, decision)));
        const changes = (await world.eventTypes()).length - told;
        expect(changes).toBe(byItself.includes('changes') ? 1 : 0);
        expect(after.version === before.version).toBe(changes === 0);
        for (const [index, outcome] of outcomes.entries()) {
          if (outcome.status === 'fulfilled') {
            const { accessRequest } = outcome.value;
            expect([before.version, after.version]).toContain(accessRequest.version);
            continue;
          }
          const error: unknown = outcome.reason;
          expect(error).toBeInstanceOf(AccessError);
          expect(['request_changed', byItself[index]]).toContain((error as AccessError).code);
        }
      },
    ),
    { numRuns: propertyRuns(400) },
  );
});
