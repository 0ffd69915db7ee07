import { describe, expect, test, vi } from 'vitest';
import { withoutKey } from '../../builders.ts';
import {
  aNewcomer,
  createWorld,
  day,
  inTransactions,
  later,
  newcomerIn,
  type World,
} from '../../world.ts';

function watchOwners({ ports }: World) {
  const transact = vi.spyOn(ports.accessRequests, 'transact');
  return () => transact.mock.calls.splice(0).map(([credential]) => credential?.owner ?? null);
}

describe('the transaction of a change of consent', () => {
  test('can access only the investor’s requests if the investor makes the change', async () => {
    const { world, caller, companyId, investor } = await aNewcomer();
    const owners = watchOwners(world);
    const { callers } = world;
    const asked = await callers.requestAccess(caller, { companyId, scopes: ['metrics:read'] });
    const { id } = asked.accessRequest;
    await callers.amendAccessRequest(caller, { id, scopes: ['sources:read'] });
    await callers.withdrawAccessRequest(caller, { id });
    expect(owners()).toEqual(Array.from({ length: 3 }, () => ({ investorId: investor.id })));
  });

  test('can access only the company’s requests if the company makes the change', async () => {
    const { world, key, companyId } = await aNewcomer();
    const self = await world.admitCompany(companyId);
    const { companies } = world;
    const { id } = await world.request(key, companyId);
    const owners = watchOwners(world);
    await companies.approveRequest(self, { id, expiresAt: later(day) });
    await companies.extendRequest(self, { id, expiresAt: later(2 * day) });
    await companies.revokeRequest(self, { id });
    expect(owners()).toEqual(Array.from({ length: 3 }, () => ({ companyId })));
    const second = await world.request(key, companyId);
    owners();
    await companies.declineRequest(self, { id: second.id });
    expect(owners()).toEqual([{ companyId }]);
  });

  test('can access all requests if an operator or the expiry sweeper makes the change', async () => {
    const { world, key, companyId } = await aNewcomer();
    const { id } = await world.request(key, companyId);
    const owners = watchOwners(world);
    await world.operator.approveAccessRequest({ id, expiresAt: later(day) });
    world.clock.set(later(day));
    await world.background.expireAccessRequests();
    expect(owners()).toEqual([null, null]);
  });

  test('keeps its owner if it is retried after the signing key was retired', async () => {
    let isRetired = true;
    const world = createWorld(
      inTransactions((transaction) => ({
        async addEvent(...event) {
          if (!isRetired) return transaction.addEvent(...event);
          isRetired = false;
          return false;
        },
      })),
    );
    const { key, companyId, investor } = await world.newcomer();
    const owners = watchOwners(world);
    await world.request(key, companyId);
    expect(owners()).toEqual([{ investorId: investor.id }, { investorId: investor.id }]);
    expect(await world.eventTypes()).toEqual(['created']);
  });
});

test('a change of consent without a signing key isn’t retried, and its unsigned receipt is reported', async () => {
  const reportUnsignedReceipt = vi.fn<(id: string) => void>();
  const replaced = () => ({ ...withoutKey(), reportUnsignedReceipt });
  const { world, key, companyId } = await newcomerIn(createWorld(replaced));
  const owners = watchOwners(world);
  const { id } = await world.request(key, companyId);
  expect(owners()).toHaveLength(1);
  expect(reportUnsignedReceipt.mock.calls).toEqual([[id]]);
});

test('the sandbox answers access requests one by one if the transaction for all of them failed', async () => {
  let failures = 0;
  const world = createWorld(
    inTransactions((transaction) => ({
      lockAvailable(ids) {
        if (failures++ === 0) return Promise.reject(new Error('a deadlock'));
        return transaction.lockAvailable(ids);
      },
    })),
  );
  const investor = await world.operator.createInvestor({ name: 'Tester', environment: 'test' });
  const { key } = await world.key(investor);
  const { id } = await world.request(key, 'co_test_approves');
  expect(await world.background.answerSandboxRequests()).toBe(1);
  expect((await world.stored(id)).status).toBe('approved');
});
