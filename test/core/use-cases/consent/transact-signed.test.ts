import { describe, expect, test } from 'vitest';
import type { AccessRequestTransaction, OwnerOrOperator, Ports } from '#core';
import { createWorld, day, later, newcomerIn } from '../../world.ts';

/** Creates a world that lists the owner of each transaction and can replace parts of a transaction. */
function createWatchedWorld(
  replace: (
    transaction: AccessRequestTransaction,
  ) => Partial<AccessRequestTransaction> = () => ({}),
  others: (ports: Ports) => Partial<Ports> = () => ({}),
) {
  const owners: OwnerOrOperator[] = [];
  const world = createWorld((ports) => ({
    accessRequests: {
      ...ports.accessRequests,
      transact(credential, work) {
        owners.push(credential?.owner ?? null);
        return ports.accessRequests.transact(credential, (transaction) =>
          work({ ...transaction, ...replace(transaction) }),
        );
      },
    },
    ...others(ports),
  }));
  return { ...world, owners };
}

describe('the transaction of a change of consent', () => {
  test('can access only the investor’s requests if the investor makes the change', async () => {
    const { world, caller, companyId, investor } = await newcomerIn(createWatchedWorld());
    const { callers } = world;
    const asked = await callers.requestAccess(caller, { companyId, scopes: ['metrics:read'] });
    const { id } = asked.accessRequest;
    await callers.amendAccessRequest(caller, { id, scopes: ['sources:read'] });
    await callers.withdrawAccessRequest(caller, { id });
    expect(world.owners).toEqual(Array.from({ length: 3 }, () => ({ investorId: investor.id })));
  });

  test('can access only the company’s requests if the company makes the change', async () => {
    const { world, key, companyId } = await newcomerIn(createWatchedWorld());
    const self = await world.admitCompany(companyId);
    const { companies, owners } = world;
    const first = await world.request(key, companyId);
    owners.length = 0;
    await companies.approveRequest(self, { id: first.id, expiresAt: later(day) });
    await companies.extendRequest(self, { id: first.id, expiresAt: later(2 * day) });
    await companies.revokeRequest(self, { id: first.id });
    const second = await world.request(key, companyId);
    owners.pop();
    await companies.declineRequest(self, { id: second.id });
    expect(owners).toEqual(Array.from({ length: 4 }, () => ({ companyId })));
  });

  test('can access all requests if an operator or the expiry sweeper makes the change', async () => {
    const { world, key, companyId } = await newcomerIn(createWatchedWorld());
    const { id } = await world.request(key, companyId);
    world.owners.length = 0;
    await world.operator.approveAccessRequest({ id, expiresAt: later(day) });
    world.clock.set(later(day));
    await world.background.expireAccessRequests();
    expect(world.owners).toEqual([null, null]);
  });

  test('has the same owner if it is retried because the signing key was retired', async () => {
    let isRetired = true;
    const world = createWatchedWorld((transaction) => ({
      async addEvent(...event) {
        if (!isRetired) return transaction.addEvent(...event);
        isRetired = false;
        return false;
      },
    }));
    const { key, companyId, investor } = await world.newcomer();
    await world.request(key, companyId);
    expect(world.owners).toEqual([{ investorId: investor.id }, { investorId: investor.id }]);
    expect(await world.eventTypes()).toEqual(['created']);
  });
});

test('a change of consent without a signing key isn’t retried, and its unsigned receipt is reported', async () => {
  const reported: string[] = [];
  const { world, key, companyId } = await newcomerIn(
    createWatchedWorld(undefined, ({ signer }) => ({
      signer: { ...signer, current: async () => null },
      reportUnsignedReceipt: (id) => reported.push(id),
    })),
  );
  const { id } = await world.request(key, companyId);
  expect(world.owners).toHaveLength(1);
  expect(reported).toEqual([id]);
});

test('the sandbox answers requests one by one after the transaction for all of them failed', async () => {
  let failures = 0;
  const world = createWatchedWorld((transaction) => ({
    lockAvailable(ids) {
      if (failures++ === 0) return Promise.reject(new Error('a deadlock'));
      return transaction.lockAvailable(ids);
    },
  }));
  const investor = await world.operator.createInvestor({ name: 'Tester', environment: 'test' });
  const { key } = await world.key(investor);
  const { id } = await world.request(key, 'co_test_approves');
  expect(await world.background.answerSandboxRequests()).toBe(1);
  expect((await world.stored(id)).status).toBe('approved');
});
