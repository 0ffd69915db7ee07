import { expect, test } from 'vitest';
import {
  type AccessEvent,
  type AccessRequest,
  createAccessEvent,
  issueReceipt,
  operator,
  type ReceiptOfEvent,
  type ReceiptQuery,
  receiptIdOf,
  type SigningIdentity,
  signReceipt,
} from '#core';
import { createMemorySigner } from '../memory/signer.ts';
import { jwksOf, verifyChain } from '../support/receipt-chain.ts';
import { addPair, addRequests, anAccessRequest, approved, at, freshId, must } from './builders.ts';
import { contract } from './contract.ts';

export const receiptsContract = contract('receipts', (repositories) => {
  async function current(): Promise<SigningIdentity> {
    const signer = createMemorySigner(repositories.signingKeys, { now: at });
    const identity = await signer.current();
    if (identity === null) throw new Error('there is no key');
    return identity;
  }

  const anEvent = (request: AccessRequest, createdAt = at()) =>
    createAccessEvent(freshId('evt'), request, operator, createdAt, 'Because “ünïcode” 📈');

  async function addRequest() {
    const pair = await addPair(repositories);
    const request = anAccessRequest(pair);
    await addRequests(repositories, request);
    return { ...pair, request };
  }

  async function happen(
    request: AccessRequest,
    identity: SigningIdentity | null,
    createdAt = at(),
  ): Promise<AccessEvent> {
    const event = anEvent(request, createdAt);
    await repositories.accessRequests.transact(null, (transaction) =>
      transaction.addEvent(event, identity),
    );
    return event;
  }

  const isSignedAtOnce = (request: AccessRequest, identity: SigningIdentity | null) =>
    repositories.accessRequests.transact(null, (transaction) =>
      transaction.addEvent(anEvent(request), identity),
    );

  const list = ({ id }: AccessRequest, query: Partial<ReceiptQuery> = {}) =>
    repositories.receipts.list({ accessRequestId: id, after: null, limit: 1000, ...query });

  const issued = (chain: readonly ReceiptOfEvent[]) =>
    chain.flatMap(({ event, receipt }) => issueReceipt(event, receipt) ?? []);

  async function unsignedOf(...requests: AccessRequest[]) {
    const ids = requests.map(({ id }) => id);
    const all = await repositories.receipts.listUnsigned(1_000_000);
    return all.filter(({ event }) => ids.includes(event.accessRequest.id));
  }

  const verified = async (chain: readonly ReceiptOfEvent[]) =>
    verifyChain(issued(chain), jwksOf(await repositories.signingKeys.list()));

  test('an event has a receipt with the names of both parties and a link to the previous receipt', async () => {
    const { request, company, investor } = await addRequest();
    const identity = await current();
    const events = [await happen(request, identity), await happen(approved(request), identity)];
    const chain = await list(request);
    expect(chain?.map(({ event }) => event)).toEqual(events);
    expect(chain?.map(({ receipt }) => receipt)).toEqual(
      events.map((event, index) => ({
        id: receiptIdOf(event.id),
        previousId: index === 0 ? null : receiptIdOf(events[0]?.id ?? ''),
        issuedAt: event.createdAt,
        signedAt: null,
        environment: company.environment,
        companyName: company.name,
        investorName: investor.name,
        signature: {
          keyNumber: identity.keyNumber,
          kid: identity.kid,
          bytes: expect.any(Uint8Array),
        },
      })),
    );
  });

  test('the signed content of a receipt is read back byte by byte', async () => {
    const { request, company } = await addRequest();
    const identity = await current();
    await happen({ ...request, purpose: 'a"b\\c/d\u2028\u007f “é” é 📈 <script>' }, identity);
    await happen({ ...approved(request), expiresAt: at(123) }, identity);
    const payloads = await verified((await list(request)) ?? []);
    expect(payloads).toHaveLength(2);
    expect(payloads[0]).toMatchObject({ purpose: 'a"b\\c/d\u2028\u007f “é” é 📈 <script>' });
    expect(payloads[1]).toMatchObject({ data_subject: { id: company.id } });
  });

  test('an access request that is added and changed in one transaction has a complete chain of receipts', async () => {
    const pair = await addPair(repositories);
    const request = anAccessRequest(pair);
    const identity = await current();
    await repositories.accessRequests.transact(null, async (transaction) => {
      await transaction.add(request);
      await transaction.addEvent(anEvent(request), identity);
      await transaction.save(approved(request));
      await transaction.addEvent(anEvent(approved(request)), identity);
    });
    expect(await verified((await list(request)) ?? [])).toHaveLength(2);
  });

  test('each way to lock an access request also returns the request’s last receipt', async () => {
    const { request, investor, company } = await addRequest();
    const identity = await current();
    const { accessRequests } = repositories;
    const ways: Parameters<typeof accessRequests.transact>[1][] = [
      (transaction) => transaction.lock(request.id),
      (transaction) => transaction.lockAvailable([request.id]),
      (transaction) => transaction.lockNewest(investor.id, company.id),
    ];
    for (const way of ways) {
      await accessRequests.transact(null, async (transaction) => {
        await way(transaction);
        await transaction.addEvent(anEvent(request), identity);
      });
    }
    expect(await verified((await list(request)) ?? [])).toHaveLength(3);
  });

  test('simultaneous events of one access request form one chain of receipts', async () => {
    const { request } = await addRequest();
    const identity = await current();
    const events = await Promise.all(
      Array.from({ length: 20 }, () =>
        repositories.accessRequests.transact(null, async (transaction) => {
          await transaction.lock(request.id);
          const event = anEvent(request);
          await transaction.addEvent(event, identity);
          return event.id;
        }),
      ),
    );
    const payloads = await verified((await list(request)) ?? []);
    expect(payloads.map(({ event_id }) => event_id).toSorted()).toEqual(events.toSorted());
  });

  test('a failed transaction leaves no receipt and no gap in the chain of receipts', async () => {
    const { request } = await addRequest();
    const identity = await current();
    const kept = [await happen(request, identity)];
    const failing = repositories.accessRequests.transact(null, async (transaction) => {
      await transaction.addEvent(anEvent(request), identity);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    kept.push(await happen(request, identity));
    const payloads = await verified((await list(request)) ?? []);
    expect(payloads.map(({ event_id }) => event_id)).toEqual(kept.map(({ id }) => id));
  });

  test('an event of an unknown access request isn’t written', async () => {
    const missing = anAccessRequest(await addPair(repositories));
    await expect(happen(missing, null)).rejects.toThrow();
    expect(await repositories.accessEvents.history(missing.id)).toEqual([]);
  });

  test('a read of receipts can begin after any receipt of the same access request, but of no other', async () => {
    const { request } = await addRequest();
    const { request: foreign } = await addRequest();
    const ids = [];
    // The clock may stand still or be set back between two receipts.
    for (const minute of [3, 1, 2, 2]) {
      ids.push(receiptIdOf((await happen(request, null, at(minute))).id));
    }
    const { id: foreignId } = await happen(foreign, null);
    const idsOf = async (query: Partial<ReceiptQuery>) =>
      (await list(request, query))?.map(({ receipt }) => receipt.id) ?? null;
    expect(await idsOf({})).toEqual(ids);
    expect(await idsOf({ limit: 2 })).toEqual(ids.slice(0, 2));
    for (const [index, after] of ids.entries()) {
      expect(await idsOf({ after, limit: 2 })).toEqual(ids.slice(index + 1, index + 3));
    }
    expect(await idsOf({ after: receiptIdOf(foreignId) })).toBeNull();
    expect(await idsOf({ after: freshId('rcpt') })).toBeNull();
  });

  test('simultaneous reads of several chains of receipts each return the right chain', async () => {
    const requests = [await addRequest(), await addRequest(), await addRequest()];
    const identity = await current();
    const ids = new Map<string, string[]>();
    for (const { request } of requests.slice(0, 2)) {
      const events = [await happen(request, identity), await happen(request, identity)];
      ids.set(
        request.id,
        events.map((event) => event.id),
      );
    }
    const asked = [...requests, ...requests].map(({ request }) => request);
    const [chains, unknown] = await Promise.all([
      Promise.all(asked.map((request) => list(request))),
      list(anAccessRequest(await addPair(repositories))),
    ]);
    expect(chains.map((chain) => chain?.map(({ event }) => event.id))).toEqual(
      asked.map(({ id }) => ids.get(id) ?? []),
    );
    expect(unknown).toEqual([]);
  });

  test('unsigned receipts are listed oldest first, and each can be signed only once', async () => {
    const { request } = await addRequest();
    const { request: other } = await addRequest();
    const identity = await current();
    const late = await happen(other, null, at(-5_000));
    const early = await happen(request, null, at(-10_000));
    await happen(request, identity, at(-20_000));
    const unsigned = await unsignedOf(request, other);
    expect(unsigned.map(({ event }) => event.id)).toEqual([early.id, late.id]);
    const [first] = await repositories.receipts.listUnsigned(1);
    expect(first?.receipt.signature).toBeNull();

    // PostgreSQL accepts a late signature only with its own current time.
    const signedAt = new Date();
    const signatures = unsigned.map(({ event, receipt }) => ({
      event,
      receipt,
      signature: signReceipt(event, { ...receipt, signedAt }, identity),
      signedAt,
    }));
    const { sign } = repositories.receipts;
    const counts = await Promise.all([sign(signatures), sign(signatures), sign([])]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(2);
    expect(await unsignedOf(request, other)).toEqual([]);
    const [signed, ...others] = await verified((await list(request)) ?? []);
    expect(signed).toMatchObject({ signed_at: signedAt.toISOString() });
    expect(others).toEqual([expect.not.objectContaining({ signed_at: expect.anything() })]);
  });

  test('an existing signature of a receipt isn’t replaced', async () => {
    const { request } = await addRequest();
    const identity = await current();
    await happen(request, identity);
    const [before] = (await list(request)) ?? [];
    const signature = { ...identity, bytes: new Uint8Array(64) };
    const { receipts } = repositories;
    const late = { ...must(before ?? null), signature, signedAt: new Date() };
    expect(await receipts.sign([late])).toBe(0);
    expect(await list(request)).toEqual([before]);
  });

  test('a receipt isn’t signed if one of its texts has changed since it was read', async () => {
    const { request } = await addRequest();
    const identity = await current();
    await happen({ ...request, purpose: 'Purpose', pendingPurpose: 'Addition' }, null);
    await happen({ ...request, purpose: 'Purpose' }, null);
    const [addition, first] = await unsignedOf(request);
    const { event, receipt } = must(addition ?? null);
    const { event: firstEvent, receipt: firstReceipt } = must(first ?? null);
    const former = [
      { event, receipt: { ...receipt, companyName: 'Former' } },
      { event, receipt: { ...receipt, investorName: 'Former' } },
      { event: { ...event, reason: 'Former' }, receipt },
      { event: { ...event, reason: null }, receipt },
      {
        event: { ...event, accessRequest: { ...event.accessRequest, pendingPurpose: 'Former' } },
        receipt,
      },
      {
        event: { ...firstEvent, accessRequest: { ...firstEvent.accessRequest, purpose: 'Former' } },
        receipt: firstReceipt,
      },
    ];
    const signedAt = new Date();
    const sign = (read: readonly ReceiptOfEvent[]) =>
      repositories.receipts.sign(
        read.map((each) => ({
          ...each,
          signature: signReceipt(each.event, { ...each.receipt, signedAt }, identity),
          signedAt,
        })),
      );
    for (const each of former) expect(await sign([each])).toBe(0);
    expect(await sign(await unsignedOf(request))).toBe(2);
    expect(await verified((await list(request)) ?? [])).toHaveLength(2);
  });

  test('a signing key can’t be retired while a receipt is signed with the key', async () => {
    const { request } = await addRequest();
    const identity = await current();
    await happen(request, identity);
    expect(await repositories.signingKeys.retire(identity.kid, at())).toBe('in_use');
    expect(await verified((await list(request)) ?? [])).toHaveLength(1);
  });

  test('writing an event returns whether its receipt is signed', async () => {
    const { request } = await addRequest();
    expect(await isSignedAtOnce(request, await current())).toBe(true);
    expect(await isSignedAtOnce(request, null)).toBe(false);
    const key = await repositories.signingKeys.register({ kid: freshId('kid'), x: 'x' }, at());
    await repositories.signingKeys.retire(key.kid, at());
    const { kid, number: keyNumber } = key;
    const retired = { kid, keyNumber, sign: () => new Uint8Array(64) };
    expect(await isSignedAtOnce(request, retired)).toBe(false);
  });

  test('a receipt signed by a retired key is stored without the signature', async () => {
    const { request } = await addRequest();
    const signer = createMemorySigner(repositories.signingKeys, { now: at });
    await signer.rotate({ atOnce: true });
    const retired = await signer.current();
    await repositories.signingKeys.retire(retired?.kid ?? '', at());
    const event = await happen(request, retired);
    expect(await list(request)).toMatchObject([
      { event: { id: event.id }, receipt: { signature: null } },
    ]);
  });
});
