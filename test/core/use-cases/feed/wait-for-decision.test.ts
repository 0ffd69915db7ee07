import { describe, expect, test } from 'vitest';
import { awaitsDecision } from '#core';
import { day, expectRefusal, type Newcomer } from '../../world.ts';
import {
  createFeedWorld,
  type FeedWorld,
  isWaiting,
  replace,
  settle,
} from './event-stream-steps.ts';

async function aRequest(world = createFeedWorld()) {
  const newcomer = await world.newcomer();
  const { id } = await world.request(newcomer.key, newcomer.companyId, ['metrics:read']);
  return { ...newcomer, id, world };
}

/** The current version of the request, which changes when the investor adds scopes. */
const versionOf = async (world: FeedWorld, id: string) =>
  (await world.operator.showAccessRequest({ id })).accessRequest.version;
const approve = async (world: FeedWorld, id: string) =>
  world.operator.approveAccessRequest({ id, version: await versionOf(world, id) });

describe('an investor’s wait for a decision', () => {
  const ways: readonly [
    string,
    (world: FeedWorld, made: Newcomer & { id: string }) => Promise<unknown>,
    string,
  ][] = [
    ['the company approves', (world, { id }) => approve(world, id), 'approved'],
    [
      'the company declines',
      (world, { id }) => world.operator.declineAccessRequest({ id }),
      'declined',
    ],
    [
      'the investor withdraws the request',
      (world, { caller, id }) => world.callers.withdrawAccessRequest(caller, { id }),
      'expired',
    ],
  ];
  test.each(ways)('ends when %s', async (_name, act, status) => {
    const { world, ...made } = await aRequest();
    const waiting = world.callers.waitForDecision(made.caller, { id: made.id });
    expect(await isWaiting(waiting)).toBe(true);
    await act(world, made);
    await world.eventFeed.poll();
    expect(await waiting).toMatchObject({ id: made.id, status });
    expect(world.eventFeed.size).toBe(0);
  });

  test('ends at once, without a stream, if the company has no decision to make', async () => {
    const { world, caller, id } = await aRequest(createFeedWorld({ perOwner: 0, total: 0 }));
    await approve(world, id);
    expect(await world.callers.waitForDecision(caller, { id })).toMatchObject({
      status: 'approved',
    });
  });

  test('continues after a decision on another request, and after an event without a decision', async () => {
    const { world, caller, id, key, investor } = await aRequest();
    const other = await world.request(key, (await world.companyOf(investor)).id);
    const waiting = world.callers.waitForDecision(caller, { id });
    expect(await isWaiting(waiting)).toBe(true);
    await approve(world, other.id);
    let reads = 0;
    replace(world.ports.accessRequests, 'find', (find) => (asked) => {
      reads += 1;
      return find(asked);
    });
    await world.eventFeed.poll();
    expect(await isWaiting(waiting)).toBe(true);
    expect(reads).toBe(0);
    await world.callers.amendAccessRequest(caller, { id, scopes: ['accounts:read'] });
    await world.eventFeed.poll();
    expect(await isWaiting(waiting)).toBe(true);
    await approve(world, id);
    await world.eventFeed.poll();
    expect(await waiting).toMatchObject({ id, status: 'approved' });
  });

  test('includes the decision on an addition to a grant', async () => {
    const { world, caller, id } = await aRequest();
    await approve(world, id);
    await world.callers.amendAccessRequest(caller, { id, scopes: ['sources:read'] });
    const waiting = world.callers.waitForDecision(caller, { id });
    expect(await isWaiting(waiting)).toBe(true);
    const version = await versionOf(world, id);
    await world.operator.declineAccessRequest({ id, version });
    await world.eventFeed.poll();
    const decided = await waiting;
    expect(decided).toMatchObject({ status: 'approved', pendingScopes: [] });
    expect(awaitsDecision(decided)).toBe(false);
  });

  test('ends at once if the company decides while the wait begins', async () => {
    const { world, caller, id } = await aRequest();
    replace(world.ports.accessEvents, 'findLast', (findLast) => async (...question) => {
      await approve(world, id);
      return findLast(...question);
    });
    expect(await world.callers.waitForDecision(caller, { id })).toMatchObject({
      status: 'approved',
    });
    expect(world.eventFeed.size).toBe(0);
  });

  test('ends when it is aborted, and returns the current access request', async () => {
    const { world, caller, id } = await aRequest();
    const leaving = new AbortController();
    const waiting = world.callers.waitForDecision(caller, { id }, leaving.signal);
    expect(await isWaiting(waiting)).toBe(true);
    leaving.abort();
    expect(await waiting).toMatchObject({ status: 'pending' });
    expect(world.eventFeed.size).toBe(0);
    const late = world.callers.waitForDecision(caller, { id }, AbortSignal.abort());
    world.clock.set(new Date(world.clock.now().getTime() + 400 * day));
    expect(await late).toMatchObject({ status: 'expired' });
  });

  test('ends with an error when the API key is revoked', async () => {
    const { world, caller, id, keyId } = await aRequest();
    const waiting = expectRefusal(world.callers.waitForDecision(caller, { id }), 'invalid_api_key');
    await settle();
    await world.operator.revokeApiKey({ id: keyId });
    await world.eventFeed.checkKeys();
    await waiting;
    expect(world.eventFeed.size).toBe(0);
  });

  test('is refused for an unknown access request or another investor’s access request', async () => {
    const { world, id } = await aRequest();
    const { caller } = await world.newcomer();
    for (const asked of [id, 'ar_none'])
      await expectRefusal(
        world.callers.waitForDecision(caller, { id: asked }),
        'access_request_not_found',
      );
    await expectRefusal(world.callers.waitForDecision(caller, {} as never), 'invalid_parameter');
  });
});
