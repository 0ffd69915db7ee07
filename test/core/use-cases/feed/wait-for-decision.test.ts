import { describe, expect, test } from 'vitest';
import { awaitsDecision } from '#core';
import { day, expectRefusal, type Newcomer } from '../../world.ts';
import { createStage, isWaiting, type Stage, settle } from './event-stream-steps.ts';

async function aRequest(stage: Stage) {
  const newcomer = await stage.newcomer();
  const { caller, companyId } = newcomer;
  const scopes = ['metrics:read' as const];
  const { accessRequest } = await stage.callers.requestAccess(caller, { companyId, scopes });
  return { ...newcomer, id: accessRequest.id };
}

/** As it stands, whatever the investor has added. */
const versionOf = async (stage: Stage, id: string) =>
  (await stage.operator.showAccessRequest({ id })).accessRequest.version;
const approve = async (stage: Stage, id: string) =>
  stage.operator.approveAccessRequest({ id, version: await versionOf(stage, id) });

describe('waiting for a decision', () => {
  const ways: readonly [
    string,
    (stage: Stage, made: Newcomer & { id: string }) => Promise<unknown>,
    string,
  ][] = [
    ['approves', (stage, { id }) => approve(stage, id), 'approved'],
    ['declines', (stage, { id }) => stage.operator.declineAccessRequest({ id }), 'declined'],
    [
      'has it withdrawn',
      (stage, { caller, id }) => stage.callers.withdrawAccessRequest(caller, { id }),
      'expired',
    ],
  ];
  test.each(ways)('ends when the company %s', async (_name, act, status) => {
    const stage = createStage();
    const made = await aRequest(stage);
    const waiting = stage.callers.waitForDecision(made.caller, { id: made.id });
    expect(await isWaiting(waiting)).toBe(true);
    await act(stage, made);
    await stage.eventFeed.poll();
    expect(await waiting).toMatchObject({ id: made.id, status });
    expect(stage.eventFeed.size).toBe(0);
  });

  test('ends at once when nothing is left to be decided, and opens no stream', async () => {
    const stage = createStage({ perOwner: 0, total: 0 });
    const { caller, id } = await aRequest(stage);
    await approve(stage, id);
    expect(await stage.callers.waitForDecision(caller, { id })).toMatchObject({
      status: 'approved',
    });
  });

  test('goes on after another request of the investor is decided, and after an event that decides nothing', async () => {
    const stage = createStage();
    const { caller, id } = await aRequest(stage);
    const other = await stage.operator.createCompany({
      name: 'Another one',
      environment: 'live',
    });
    await stage.operator.addToPortfolio({ investorId: caller.investorId, companyId: other.id });
    const { accessRequest } = await stage.callers.requestAccess(caller, {
      companyId: other.id,
      scopes: ['metrics:read'],
    });
    const waiting = stage.callers.waitForDecision(caller, { id });
    await approve(stage, accessRequest.id);
    await stage.callers.amendAccessRequest(caller, { id, scopes: ['accounts:read'] });
    await stage.eventFeed.poll();
    expect(await isWaiting(waiting)).toBe(true);
    await approve(stage, id);
    await stage.eventFeed.poll();
    expect(await waiting).toMatchObject({ id, status: 'approved' });
  });

  test('waits for the decision on an addition, under the grant', async () => {
    const stage = createStage();
    const { caller, id } = await aRequest(stage);
    await approve(stage, id);
    await stage.callers.amendAccessRequest(caller, { id, scopes: ['sources:read'] });
    const waiting = stage.callers.waitForDecision(caller, { id });
    expect(await isWaiting(waiting)).toBe(true);
    const version = await versionOf(stage, id);
    await stage.operator.declineAccessRequest({ id, version });
    await stage.eventFeed.poll();
    const decided = await waiting;
    expect(decided).toMatchObject({ status: 'approved', pendingScopes: [] });
    expect(awaitsDecision(decided)).toBe(false);
  });

  test('misses no decision that is made before its stream begins', async () => {
    const stage = createStage();
    const { caller, id } = await aRequest(stage);
    const { findLast } = stage.ports.accessEvents;
    Object.assign(stage.ports.accessEvents, {
      async findLast(reader: Parameters<typeof findLast>[0]) {
        await approve(stage, id);
        return findLast(reader);
      },
    });
    expect(await stage.callers.waitForDecision(caller, { id })).toMatchObject({
      status: 'approved',
    });
    expect(stage.eventFeed.size).toBe(0);
  });

  test('is ended by its signal, with the request as it stands', async () => {
    const stage = createStage();
    const { caller, id } = await aRequest(stage);
    const leaving = new AbortController();
    const waiting = stage.callers.waitForDecision(caller, { id }, leaving.signal);
    expect(await isWaiting(waiting)).toBe(true);
    leaving.abort();
    expect(await waiting).toMatchObject({ status: 'pending' });
    expect(stage.eventFeed.size).toBe(0);
    // Its end may come while nobody looks.
    const late = stage.callers.waitForDecision(caller, { id }, AbortSignal.abort());
    stage.clock.set(new Date(stage.clock.now().getTime() + 400 * day));
    expect(await late).toMatchObject({ status: 'expired' });
  });

  test('ends with a refusal when its key is revoked', async () => {
    const stage = createStage();
    const { caller, id, keyId } = await aRequest(stage);
    const waiting = expectRefusal(stage.callers.waitForDecision(caller, { id }), 'invalid_api_key');
    await settle();
    await stage.operator.revokeApiKey({ id: keyId });
    await stage.eventFeed.checkKeys();
    await waiting;
    expect(stage.eventFeed.size).toBe(0);
  });

  test('tells nothing of the request of another investor', async () => {
    const stage = createStage();
    const { id } = await aRequest(stage);
    const { caller } = await stage.newcomer();
    for (const asked of [id, 'ar_none'])
      await expectRefusal(
        stage.callers.waitForDecision(caller, { id: asked }),
        'access_request_not_found',
      );
    await expectRefusal(stage.callers.waitForDecision(caller, {} as never), 'invalid_parameter');
  });
});
