import { describe, expect, test } from 'vitest';
import type { CompanyCaller } from '#core';
import { createWorld, day, expectRefusal, later, type Newcomer, type World } from '../../world.ts';
import { pendingIn } from './decide-steps.ts';

interface Seen extends Newcomer {
  readonly id: string;
  readonly version: string;
  readonly self: CompanyCaller;
  readonly world: World;
}

const read = async ({ companies }: World, self: CompanyCaller, id: string) =>
  (await companies.readReceivedRequest(self, { id })).accessRequest.version;

async function seenRequest(world = createWorld()): Promise<Seen> {
  const pending = await pendingIn(world);
  const self = await world.admitCompany(pending.companyId);
  return { ...pending, world, self, version: await read(world, self, pending.id) };
}

async function seenGrant(world: World): Promise<Seen> {
  const made = await seenRequest(world);
  await world.companies.approveRequest(made.self, { id: made.id, expiresAt: later(10 * day) });
  return { ...made, version: await read(world, made.self, made.id) };
}

describe('a company’s decision', () => {
  test('is accepted if it contains the current version of the access request', async () => {
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
    'is refused and changes nothing if %s after the company has read the access request',
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

  test('is refused if it contains no version and the investor has changed the access request', async () => {
    const { world, caller, self, id } = await seenRequest();
    await world.callers.amendAccessRequest(caller, { id, scopes: ['accounts:read'] });
    const before = await world.stored(id);
    const attempt = world.companies.approveRequest(self, { id });
    await expectRefusal(attempt, 'request_changed', 'send the version');
    expect(await world.stored(id)).toEqual(before);
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

  test('is accepted only once if the company makes several decisions on a grant at the same time', async () => {
    const world = createWorld();
    const { companies } = world;
    const { self, id, version } = await seenGrant(world);
    const events = (await world.eventTypes()).length;
    const settled = await Promise.allSettled([
      companies.extendRequest(self, { id, version, expiresAt: later(30 * day) }),
      companies.extendRequest(self, { id, version, expiresAt: later(40 * day) }),
      companies.declineRequest(self, { id, version }),
    ]);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await world.eventTypes()).toHaveLength(events + 1);
  });
});
