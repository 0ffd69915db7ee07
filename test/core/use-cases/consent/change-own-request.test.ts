import { describe, expect, test } from 'vitest';
import {
  createWorld,
  day,
  expectRefusal,
  expectRefusalSaying,
  later,
  newcomerIn,
} from '../../world.ts';

describe('amending a request', () => {
  test('adds scopes to a pending request and logs the investor as the actor', async () => {
    const { world, caller, key, companyId, investor } = await newcomerIn(createWorld());
    const { id } = await world.request(key, companyId, ['metrics:read']);
    const input = { id, scopes: ['sources:read' as const, 'sources:read' as const], purpose: 'P' };
    const amended = await world.callers.amendAccessRequest(caller, input);
    expect(amended).toMatchObject({
      status: 'pending',
      requestedScopes: ['metrics:read', 'sources:read'],
      purpose: 'P',
    });
    const history = await world.callers.readAccessRequestHistory(caller, { id });
    expect(history.map(({ type, actor, reason }) => [type, actor, reason])).toEqual([
      ['access_request.created', { type: 'investor', id: investor.id }, null],
      ['access_request.amended', { type: 'investor', id: investor.id }, null],
    ]);
  });

  test('keeps the grant and answers reads of the added scope with access_pending until the addition is approved', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const { caller, companyId } = newcomer;
    const { callers } = world;
    const { id } = await world.grant(newcomer, ['metrics:read']);
    await expectRefusal(callers.readAccounts(caller, { companyId }), 'access_required');
    const amended = await callers.amendAccessRequest(caller, { id, scopes: ['accounts:read'] });
    expect(amended).toMatchObject({ status: 'approved', pendingScopes: ['accounts:read'] });
    await callers.readLatestMetrics(caller, { companyId });
    await expectRefusal(callers.readAccounts(caller, { companyId }), 'access_pending');
    const again = { companyId, scopes: ['accounts:read' as const] };
    expect((await callers.requestAccess(caller, again)).outcome).toBe('existing');
    const self = await world.admitCompany(companyId);
    const { version } = await world.stored(id);
    await world.companies.approveRequest(self, { id, version, scopes: ['accounts:read'] });
    await callers.readAccounts(caller, { companyId });
    expect(await world.eventTypes()).toEqual(['created', 'approved', 'amended', 'approved']);
  });

  test('changes nothing and sends no event if no scope is new', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const granted = await world.grant(newcomer, ['metrics:read']);
    const input = { id: granted.id, scopes: ['metrics:read' as const], purpose: 'Other' };
    expect(await world.callers.amendAccessRequest(newcomer.caller, input)).toEqual(granted);
    expect(await world.eventTypes()).toEqual(['created', 'approved']);
  });

  test('is refused after the request has ended', async () => {
    const { world, caller, key, companyId } = await newcomerIn(createWorld());
    const { id } = await world.request(key, companyId);
    world.clock.set(later(30 * day));
    await expectRefusalSaying(
      world.callers.amendAccessRequest(caller, { id, scopes: ['metrics:read'] }),
      'illegal_transition',
      'it is expired',
    );
  });

  test('is refused after the company left the portfolio, but the investor can still withdraw its grant', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const { caller, companyId, investor } = newcomer;
    const { id } = await world.grant(newcomer, ['metrics:read']);
    await world.operator.removeFromPortfolio({ companyId, investorId: investor.id });
    await expectRefusal(
      world.callers.amendAccessRequest(caller, { id, scopes: ['sources:read'] }),
      'company_not_found',
    );
    expect((await world.callers.withdrawAccessRequest(caller, { id })).status).toBe('expired');
  });

  test.each([
    [{ scopes: [] }, 'missing_scopes'],
    [{}, 'missing_scopes'],
    [{ scopes: ['companies:read'] }, 'invalid_scope'],
    [{ scopes: 'metrics:read' }, 'invalid_parameter'],
    [{ scopes: [5] }, 'invalid_parameter'],
    [{ scopes: ['metrics:read'], purpose: 'p'.repeat(1001) }, 'invalid_parameter'],
    [{ scopes: ['metrics:read'], companyId: 'co_1' }, 'invalid_parameter'],
  ] as const)('is refused with the input %j', async (input, code) => {
    const { world, caller } = await newcomerIn(createWorld());
    const attempt = world.callers.amendAccessRequest(caller, { id: 'ar_1', ...input } as never);
    await expectRefusal(attempt, code);
  });
});

describe('withdrawing a request', () => {
  test.each(['pending', 'approved'])('ends a %s request once', async (state) => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const { caller, companyId, investor } = newcomer;
    const { id } =
      state === 'pending'
        ? await world.request(newcomer.key, companyId)
        : await world.grant(newcomer);
    const withdrawn = await world.callers.withdrawAccessRequest(caller, { id });
    expect(withdrawn.status).toBe('expired');
    expect(await world.callers.withdrawAccessRequest(caller, { id })).toEqual(withdrawn);
    await expectRefusal(world.callers.readLatestMetrics(caller, { companyId }), 'access_required');
    const history = await world.callers.readAccessRequestHistory(caller, { id });
    expect(history.at(-1)).toMatchObject({
      type: 'access_request.withdrawn',
      actor: { type: 'investor', id: investor.id },
    });
    expect((await world.eventTypes()).filter((type) => type === 'withdrawn')).toHaveLength(1);
  });

  test('is refused for a declined or revoked request', async () => {
    const { world, newcomer } = await newcomerIn(createWorld());
    const declined = await world.request(newcomer.key, newcomer.companyId);
    await world.operator.declineAccessRequest({ id: declined.id });
    const revoked = await world.grant(newcomer);
    await world.operator.revokeAccessRequest({ id: revoked.id });
    for (const { id } of [declined, revoked]) {
      const attempt = world.callers.withdrawAccessRequest(newcomer.caller, { id });
      await expectRefusal(attempt, 'illegal_transition');
    }
  });

  test('returns an expired request as expired and sends no event', async () => {
    const { world, caller, key, companyId } = await newcomerIn(createWorld());
    const { id } = await world.request(key, companyId);
    world.clock.set(later(30 * day));
    expect((await world.callers.withdrawAccessRequest(caller, { id })).status).toBe('expired');
    expect(await world.eventTypes()).toEqual(['created']);
  });

  test('allows the investor to make a new request', async () => {
    const { world, caller, key, companyId } = await newcomerIn(createWorld());
    const first = await world.request(key, companyId);
    await world.callers.withdrawAccessRequest(caller, { id: first.id });
    const second = await world.request(key, companyId);
    expect(second.id).not.toBe(first.id);
    expect(second.status).toBe('pending');
  });
});

test('a request that doesn’t exist or belongs to another investor is not found', async () => {
  const { world, caller } = await newcomerIn(createWorld());
  const other = await world.newcomer();
  const { id } = await world.request(other.key, other.companyId, ['metrics:read']);
  for (const foreign of [id, 'ar_none', 'nonsense', 'ar_\u0000', '']) {
    const attempts = [
      world.callers.amendAccessRequest(caller, { id: foreign, scopes: ['sources:read'] }),
      world.callers.withdrawAccessRequest(caller, { id: foreign }),
      world.callers.readAccessRequestHistory(caller, { id: foreign }),
    ];
    for (const attempt of attempts) await expectRefusal(attempt, 'access_request_not_found');
  }
  expect(await world.stored(id)).toMatchObject({
    status: 'pending',
    requestedScopes: ['metrics:read'],
  });
});
