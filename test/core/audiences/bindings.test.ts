import { describe, expect, test } from 'vitest';
import { aNewcomer, createWorld, expectRefusal } from '../world.ts';

const url = 'https://hooks.example/consents';

describe('a change that requires the admin role', () => {
  test('is open to a company’s admins and API keys, but not to its viewers', async () => {
    const world = createWorld();
    const { id: companyId } = await world.company();
    const admin = await world.admitContact(companyId, 'admin@harbor.example');
    const viewer = await world.admitContact(companyId, 'viewer@harbor.example', 'viewer');
    const act = (caller: Parameters<typeof world.companies.createOwnKey>[0]) => async () =>
      world.companies.createOwnKey(caller);
    await expectRefusal(act(viewer), 'insufficient_role');
    for (const caller of [admin, await world.admitCompany(companyId)]) {
      expect(await act(caller)()).toMatchObject({ key: { companyId } });
    }
  });

  test('is open to an investor’s admins and to API keys with the required scope', async () => {
    const { world, investor, caller } = await aNewcomer();
    const admin = await world.admitInvestorContact(investor.id, 'admin@northwind.example');
    const viewer = await world.admitInvestorContact(investor.id, 'b@northwind.example', 'viewer');
    const act = (acting: Parameters<typeof world.callers.createWebhookEndpoint>[0]) => async () =>
      world.callers.createWebhookEndpoint(acting, { url });
    await expectRefusal(act(viewer), 'insufficient_role');
    await expectRefusal(act({ ...caller, scopes: ['metrics:read'] }), 'insufficient_scope');
    for (const acting of [admin, { ...caller, scopes: ['webhooks:manage'] as const }]) {
      expect(await act(acting)()).toMatchObject({ endpoint: { url } });
    }
  });
});
