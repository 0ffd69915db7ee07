import { describe, expect, test } from 'vitest';
import { AccessError, isRequestEvent, type Ports, type SigningIdentity } from '#core';
import { confirm, payloadOf, verifyChain } from '../../../support/receipt-chain.ts';
import { day, expectRefusal, later, start } from '../../world.ts';
import {
  keysOf,
  listed,
  worldWithRequest,
  worldWithRequestAndKey,
} from '../consent/receipt-steps.ts';

describe('without a signing key', () => {
  const withSigner =
    (current: Ports['signer']['current']) =>
    ({ signer }: Ports): Partial<Ports> => ({ signer: { ...signer, current } });

  test('changes of consent succeed, and their receipts are signed later in the original order', async () => {
    const { world, id, company, caller, key } = await worldWithRequestAndKey(true);
    key.isThere = false;
    await world.companies.approveRequest(company, { id });
    key.isThere = true;
    await world.companies.revokeRequest(company, { id });
    const before = await world.callers.readReceipts(caller, { id });
    expect(before.items.map((item) => payloadOf(item).status)).toEqual(['pending']);
    expect(before).toMatchObject({ nextCursor: null, awaitsSignature: true });
    const page = await world.callers.readReceipts(caller, { id, limit: 1 });
    expect(page).toEqual(before);

    expect(await world.operator.signMissingReceipts({ confirm })).toBe(1);
    expect(await world.operator.signMissingReceipts({ confirm })).toBe(0);
    const { items, awaitsSignature } = await world.callers.readReceipts(caller, { id });
    expect(awaitsSignature).toBe(false);
    const payloads = await verifyChain(items, await keysOf(world));
    expect(payloads.map(({ status, signed_at }) => [status, signed_at])).toEqual([
      ['pending', undefined],
      ['approved', start.toISOString()],
      ['revoked', undefined],
    ]);
    expect(items[0]).toEqual(before.items[0]);
  });

  test('events have receipts without a signature until the receipts are signed', async () => {
    const { world, id, key } = await worldWithRequestAndKey(false);
    const receiptOfEvent = async () =>
      (await world.operator.listAccessEvents({})).events.map(
        (event) => isRequestEvent(event) && event.receipt,
      );
    expect(await receiptOfEvent()).toMatchObject([{ signature: null }]);
    key.isThere = true;
    await world.operator.signMissingReceipts({ confirm });
    expect(await receiptOfEvent()).toMatchObject([
      { signature: { bytes: expect.any(Uint8Array) } },
    ]);
    expect(await listed(world, id)).toHaveLength(1);
  });

  test('the signing of missing receipts is refused before the operator has to confirm', async () => {
    const { world } = await worldWithRequest(withSigner(async () => null));
    const askNobody = () => Promise.reject(new Error('was asked'));
    await expectRefusal(
      world.operator.signMissingReceipts({ confirm: askNobody }),
      'signing_key_missing',
      'no signing key',
    );
  });

  test('no receipt is signed if the signing key disappears while the operator confirms', async () => {
    const { world, key } = await worldWithRequestAndKey(false);
    key.isThere = true;
    const signing = world.operator.signMissingReceipts({
      async confirm() {
        key.isThere = false;
        return true;
      },
    });
    await expectRefusal(signing, 'signing_key_missing');
    key.isThere = true;
    expect(await world.operator.signMissingReceipts({ confirm })).toBe(1);
  });

  test('a company can revoke a grant even if the key file is broken', async () => {
    const broken = withSigner(() => Promise.reject(new Error('the file is broken')));
    const { world, id, company } = await worldWithRequest(broken);
    await world.companies.approveRequest(company, { id });
    expect((await world.companies.revokeRequest(company, { id })).accessRequest.status).toBe(
      'revoked',
    );
    await expect(world.operator.signMissingReceipts({ confirm })).rejects.toThrow(
      'the file is broken',
    );
  });

  test('changes of consent are refused while the database is down, instead of being stored without a signature', async () => {
    const away = new AccessError('service_unavailable');
    await expectRefusal(
      worldWithRequest(withSigner(() => Promise.reject(away))),
      'service_unavailable',
    );
  });

  test('each batch of missing receipts is signed only after the operator confirms it', async () => {
    const { world, id, key, company } = await worldWithRequestAndKey(false);
    await world.operator.approveAccessRequest({ id });
    for (let days = 400; days < 650; days += 1) {
      await world.operator.extendAccessRequest({ id, expiresAt: later(days * day) });
    }
    key.isThere = true;
    const asked: number[] = [];
    const confirmOnce = async (receipts: readonly unknown[]) => asked.push(receipts.length) === 1;
    expect(await world.operator.signMissingReceipts({ confirm: confirmOnce })).toBe(200);
    expect(asked).toEqual([200, 52]);
    expect(await world.operator.signMissingReceipts({ confirm })).toBe(52);
    const receipts = await listed(world, id);
    expect(await verifyChain(receipts, await keysOf(world))).toHaveLength(252);
    const chain = await world.companies.readReceivedChain(company, { id });
    expect(chain).toMatchObject({ items: receipts, nextCursor: null, awaitsSignature: false });
  });

  test('receipts of an access request that differs from its history stay unsigned and are reported', async () => {
    const { world, id, key } = await worldWithRequestAndKey(false);
    const other = await world.newcomer();
    const sound = await world.request(other.key, other.companyId);
    const { accessRequests } = world.ports;
    await accessRequests.transact(null, async (transaction) => {
      const request = await transaction.lock(id);
      if (request !== null) await transaction.save({ ...request, status: 'revoked' });
    });
    key.isThere = true;
    const refused: unknown[] = [];
    const onRefused = (problem: unknown) => refused.push(problem);
    expect(await world.operator.signMissingReceipts({ confirm, onRefused })).toBe(1);
    expect(refused).toMatchObject([{ subject: id, problem: expect.stringMatching(/: status$/) }]);
    expect(await listed(world, id)).toEqual([]);
    expect(await listed(world, sound.id)).toHaveLength(1);
    const askNobody = () => Promise.reject(new Error('was asked'));
    expect(await world.operator.signMissingReceipts({ confirm: askNobody })).toBe(0);
  });
});

describe('when the signing key is retired during a change of consent', () => {
  /** A world whose signer first returns the retired keys in `stale`, and then the current key. */
  async function aWorld() {
    const reported: string[] = [];
    const stale: SigningIdentity[] = [];
    const made = await worldWithRequest(({ signer }) => ({
      signer: { ...signer, current: async () => stale.shift() ?? signer.current() },
      reportUnsignedReceipt: (id) => void reported.push(id),
    }));
    async function retiredKey(kid = 'retired'): Promise<SigningIdentity> {
      const { signingKeys } = made.world.ports;
      const key = { kid, x: 'x' };
      const { number } = await signingKeys.register(key, start);
      await signingKeys.retire(key.kid, start);
      return { kid: key.kid, keyNumber: number, sign: () => new Uint8Array(64) };
    }
    const eventTypes = async () => {
      const history = await made.world.callers.readAccessRequestHistory(made.caller, {
        id: made.id,
      });
      return history.map(({ type }) => type.replace('access_request.', ''));
    };
    return { ...made, reported, stale, retiredKey, eventTypes };
  }

  test('the change is made once and its receipt is signed with the next key', async () => {
    const { world, id, company, reported, stale, retiredKey, eventTypes } = await aWorld();
    stale.push(await retiredKey());
    await world.companies.approveRequest(company, { id });
    expect(await verifyChain(await listed(world, id), await keysOf(world))).toHaveLength(2);
    expect(await eventTypes()).toEqual(['created', 'approved']);
    expect(reported).toEqual([]);
  });

  test('several expiries in one transaction are stored once and signed with the next key', async () => {
    const { world, id, reported, stale, retiredKey, eventTypes } = await aWorld();
    world.clock.set(later(31 * day));
    stale.push(await retiredKey());
    await world.background.expireAccessRequests();
    expect(await verifyChain(await listed(world, id), await keysOf(world))).toHaveLength(2);
    expect(await eventTypes()).toEqual(['created', 'expired']);
    expect(reported).toEqual([]);
  });

  test('the change is made once and its unsigned receipt is reported if no other key can sign', async () => {
    const { world, id, company, caller, reported, stale, retiredKey, eventTypes } = await aWorld();
    stale.push(await retiredKey('one'), await retiredKey('other'));
    const { accessRequest } = await world.companies.approveRequest(company, { id });
    expect(accessRequest.status).toBe('approved');
    expect(await eventTypes()).toEqual(['created', 'approved']);
    expect(reported).toEqual([id]);
    expect(await world.callers.readReceipts(caller, { id })).toMatchObject({
      items: [{}],
      awaitsSignature: true,
    });
  });
});

describe('after a rotation of the signing key', () => {
  test('new receipts use the new key, earlier receipts still verify, and the chain of receipts continues', async () => {
    const { world, id, company, caller } = await worldWithRequest();
    await world.operator.rotateSigningKey({ atOnce: true });
    await world.companies.approveRequest(company, { id });
    const { items } = await world.callers.readReceipts(caller, { id });
    const kids = items.map(({ jws }) => jws.split('.')[0]);
    expect(new Set(kids).size).toBe(2);
    expect(await verifyChain(items, await keysOf(world))).toHaveLength(2);
    const [old] = await world.ports.signingKeys.list();
    await expectRefusal(
      world.operator.retireSigningKey(old?.kid ?? ''),
      'signing_key_conflict',
      'depend',
    );
  });
});
