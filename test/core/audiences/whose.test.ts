import { describe, expect, test } from 'vitest';
import { createWorld, expectRefusal } from '../world.ts';

const url = 'https://hooks.example/consents';

describe('what only an admin may do', () => {
  test('is refused to other people of a company, and done by its keys', async () => {
    const world = createWorld();
    const { id: companyId } = await world.company();
    await world.admitContact(companyId, 'admin@harbor.example');
    const viewer = await world.admitContact(companyId, 'viewer@harbor.example', 'viewer');
    const act = (caller: Parameters<typeof world.companies.createOwnKey>[0]) => async () =>
      world.companies.createOwnKey(caller);
    await expectRefusal(act(viewer), 'insufficient_role');
    expect(await act(await world.admitCompany(companyId))()).toMatchObject({ key: { companyId } });
  });

  test('is refused to other people of an investor, and done by its keys that have the scope', async () => {
    const world = createWorld();
    const { investor, caller } = await world.newcomer();
    await world.admitInvestorContact(investor.id, 'admin@northwind.example');
    const viewer = await world.admitInvestorContact(investor.id, 'b@northwind.example', 'viewer');
    const act = (acting: Parameters<typeof world.callers.createWebhookEndpoint>[0]) => async () =>
      world.callers.createWebhookEndpoint(acting, { url });
    await expectRefusal(act(viewer), 'insufficient_role');
    await expectRefusal(act({ ...caller, scopes: ['metrics:read'] }), 'insufficient_scope');
    const able = { ...caller, scopes: ['webhooks:manage'] as const };
    expect(await act(able)()).toMatchObject({ endpoint: { url } });
  });
});
