import { describe, expect, test } from 'vitest';
import { aNewcomer, expectRefusal } from '../../world.ts';

describe('amending a request', () => {
  test('adds scopes to a pending request and logs the investor as the actor', async () => {
    const { world, caller, key, companyId, investor } = await aNewcomer();
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

  test('keeps the grant, and refuses reads of the added scope with access_pending until its approval', async () => {
    const { world, newcomer, caller, companyId } = await aNewcomer();
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

  test('is refused after the company left the portfolio, but the grant can still be withdrawn', async () => {
    const { world, newcomer, caller, companyId, investor } = await aNewcomer();
    const { id } = await world.grant(newcomer, ['metrics:read']);
    await world.leave({ investor, companyId });
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
    const { world, caller } = await aNewcomer();
    const attempt = world.callers.amendAccessRequest(caller, { id: 'ar_1', ...input } as never);
    await expectRefusal(attempt, code);
  });
});

describe('withdrawing a request', () => {
  test.each(['pending', 'approved'])('ends a request once if its status is %s', async (state) => {
    const { world, newcomer, caller, companyId, investor } = await aNewcomer();
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
});

test('a request that doesn’t exist or belongs to another investor isn’t found', async () => {
  const { world, caller } = await aNewcomer();
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
