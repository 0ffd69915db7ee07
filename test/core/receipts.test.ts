import { describe, expect, test } from 'vitest';
import { AccessError, type Ports, type SigningIdentity } from '#core';
import { jwksOf, payloadOf, verifyChain } from '../support/receipt-chain.ts';
import {
  createWorld,
  day,
  expectOperatorError,
  expectRefusal,
  later,
  type Newcomer,
  start,
  type World,
} from './world.ts';

const ask = async ({ callers }: World, { caller, companyId }: Newcomer) =>
  (await callers.requestAccess(caller, { companyId, scopes: ['metrics:read'], purpose: 'Why.' }))
    .accessRequest;

async function asking(replace?: Parameters<typeof createWorld>[0]) {
  const world = createWorld(replace);
  const newcomer = await world.newcomer();
  const { id } = await ask(world, newcomer);
  const company = await world.admitCompany(newcomer.companyId);
  return { world, newcomer, id, company, caller: newcomer.caller };
}

const listed = async ({ operator }: World, id: string) => (await operator.listReceipts(id)).items;

const keysOf = async ({ ports }: World) => jwksOf(await ports.signingKeys.list());

describe('a receipt', () => {
  test('says who asked whom for what and why, and what was decided until when, in this order', async () => {
    const { world, newcomer, id, company, caller } = await asking();
    const expiresAt = later(30 * day);
    await world.companies.approveRequest(company, { id, expiresAt });
    const { items } = await world.callers.readReceipts(caller, { id });
    const history = await world.callers.readAccessRequestHistory(caller, { id });
    const parties = {
      data_subject: { id: newcomer.companyId, name: newcomer.company.name },
      data_recipient: { id: newcomer.investor.id, name: newcomer.investor.name },
      purpose: 'Why.',
      requested_scopes: ['metrics:read'],
    };
    const common = { issued_at: start.toISOString(), environment: 'live', access_request_id: id };
    expect(items.map((item) => JSON.stringify(payloadOf(item)))).toEqual([
      JSON.stringify({
        v: 1,
        receipt_id: items[0]?.id,
        previous_receipt_id: null,
        event_id: history[0]?.id,
        event_type: 'access_request.created',
        ...common,
        ...parties,
        approved_scopes: [],
        valid_until: null,
        status: 'pending',
        actor: { type: 'investor', id: newcomer.investor.id },
        reason: null,
      }),
      JSON.stringify({
        v: 1,
        receipt_id: items[1]?.id,
        previous_receipt_id: items[0]?.id,
        event_id: history[1]?.id,
        event_type: 'access_request.approved',
        ...common,
        ...parties,
        approved_scopes: ['metrics:read'],
        valid_until: expiresAt.toISOString(),
        status: 'approved',
        actor: { type: 'company_key', id: company.keyId },
        reason: null,
      }),
    ]);
    expect(await verifyChain(items, await keysOf(world))).toHaveLength(2);
  });

  test('has the header that the format tells', async () => {
    const { world, id, caller } = await asking();
    const { items } = await world.callers.readReceipts(caller, { id });
    const [header = ''] = items[0]?.jws.split('.') ?? [];
    const [key] = await world.ports.signingKeys.list();
    expect(Buffer.from(header, 'base64url').toString()).toBe(
      `{"alg":"EdDSA","kid":"${key?.kid}","typ":"consent-receipt+jws"}`,
    );
  });

  test('of an addition to a grant says what is asked, and why, though nothing of it is granted', async () => {
    const { world, id, company, caller } = await asking();
    await world.companies.approveRequest(company, { id });
    const addition = { id, scopes: ['sources:read' as const], purpose: 'The audit.' };
    await world.callers.amendAccessRequest(caller, addition);
    await world.companies.declineRequest(company, { id, reason: 'No audit.' });
    const { items } = await world.callers.readReceipts(caller, { id });
    expect(items.slice(2).map(payloadOf)).toMatchObject([
      {
        purpose: 'The audit.',
        requested_scopes: ['metrics:read', 'sources:read'],
        approved_scopes: ['metrics:read'],
        status: 'approved',
      },
      {
        event_type: 'access_request.amendment_declined',
        purpose: 'Why.',
        requested_scopes: ['metrics:read'],
        reason: 'No audit.',
      },
    ]);
  });

  test('keeps the names of its time', async () => {
    const { world, newcomer, id, company, caller } = await asking();
    const session = await world.ports.imports.begin('imp_1', start);
    const renamed = { id: newcomer.companyId, name: 'Renamed', environment: 'live' as const };
    await session.stage([{ line: 1, record: { type: 'company', company: renamed } }]);
    await session.apply();
    await session.close();
    await world.companies.approveRequest(company, { id });
    const { items } = await world.callers.readReceipts(caller, { id });
    const names = items.map((item) => payloadOf(item).data_subject.name);
    expect(names).toEqual([newcomer.company.name, 'Renamed']);
    expect(await verifyChain(items, await keysOf(world))).toHaveLength(2);
  });

  test('is made by what the clock, the sandbox and a renewal do too', async () => {
    const world = createWorld();
    const newcomer = await world.newcomer();
    const { id } = await ask(world, newcomer);
    const { id: noticed } = await ask(world, await world.newcomer());
    await world.operator.approveAccessRequest(noticed, { expiresAt: later(60 * day) });
    world.clock.set(later(55 * day));
    await world.operator.announceExpiringGrants();
    await world.operator.expireAccessRequests();
    const renewed = await ask(world, newcomer);
    const typesOf = async (requestId: string) =>
      (await verifyChain(await listed(world, requestId), await keysOf(world))).map(
        ({ event_type, actor }) => [event_type.replace('access_request.', ''), actor.type],
      );
    expect(await typesOf(id)).toEqual([
      ['created', 'investor'],
      ['expired', 'clock'],
    ]);
    expect(await typesOf(noticed)).toEqual([
      ['created', 'investor'],
      ['approved', 'operator'],
      ['expiring', 'clock'],
    ]);
    expect(await typesOf(renewed.id)).toEqual([['created', 'investor']]);

    const investor = await world.operator.createInvestor({ name: 'Tester', environment: 'test' });
    const { key } = await world.key(investor);
    const caller = await world.admit(key);
    const asked = { companyId: 'co_test_approves', scopes: ['metrics:read' as const] };
    const { accessRequest } = await world.callers.requestAccess(caller, asked);
    await world.operator.answerSandboxRequests();
    expect((await typesOf(accessRequest.id)).map(([, actor]) => actor)).toEqual([
      'investor',
      'sandbox',
    ]);
  });
});

describe('a request’s receipts', () => {
  test('are the same for both sides and the operator, page by page', async () => {
    const { world, id, company, caller } = await asking();
    await world.companies.approveRequest(company, { id });
    for (let days = 400; days < 410; days += 1) {
      await world.companies.extendRequest(company, { id, expiresAt: later(days * day) });
    }
    const { items, nextCursor } = await world.callers.readReceipts(caller, { id });
    expect(items).toHaveLength(12);
    expect(nextCursor).toBeNull();
    expect(await world.companies.readReceivedReceipts(company, { id })).toEqual({
      items,
      nextCursor,
      awaitsSignature: false,
    });
    expect(await listed(world, id)).toEqual(items);
    const paged = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof world.callers.readReceipts>> =
        await world.callers.readReceipts(caller, { id, cursor, limit: 5 });
      paged.push(page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged.map(({ length }) => length)).toEqual([5, 5, 2]);
    expect(paged.flat()).toEqual(items);
  });

  test('are all listed for an operator, however many there are', async () => {
    const { world, id } = await asking();
    await world.operator.approveAccessRequest(id);
    for (let days = 400; days < 610; days += 1) {
      await world.operator.extendAccessRequest(id, later(days * day));
    }
    const receipts = await listed(world, id);
    expect(await verifyChain(receipts, await keysOf(world))).toHaveLength(212);
  });

  test('are not there for another investor, another company, and of no request', async () => {
    const { world, id, caller } = await asking();
    const other = await world.newcomer();
    const otherCompany = await world.admitCompany(other.companyId);
    await expectRefusal(
      world.callers.readReceipts(other.caller, { id }),
      'access_request_not_found',
    );
    await expectRefusal(
      world.companies.readReceivedReceipts(otherCompany, { id }),
      'access_request_not_found',
    );
    for (const unknown of ['ar_none', 'nonsense']) {
      await expectRefusal(
        world.callers.readReceipts(caller, { id: unknown }),
        'access_request_not_found',
      );
      await expectOperatorError(world.operator.listReceipts(unknown), 'not_found', unknown);
    }
  });

  test('are there for the investor while the company is in its portfolio, for the company always', async () => {
    const { world, newcomer, id, company, caller } = await asking();
    const membership = { investorId: newcomer.investor.id, companyId: newcomer.companyId };
    await world.operator.removeFromPortfolio(membership);
    await expectRefusal(world.callers.readReceipts(caller, { id }), 'company_not_found');
    const { items } = await world.companies.readReceivedReceipts(company, { id });
    expect(items).toHaveLength(1);
    await world.operator.addToPortfolio(membership);
    expect(await world.callers.readReceipts(caller, { id })).toMatchObject({ items });
  });

  test.each(['rcpt_none', 'rcpt_', 'nonsense', ''])('are not listed after %j', async (cursor) => {
    const { world, id, caller } = await asking();
    await expectRefusal(world.callers.readReceipts(caller, { id, cursor }), 'invalid_parameter');
  });

  test.each([0, 201, 1.5])('are not listed by %j', async (limit) => {
    const { world, id, caller } = await asking();
    await expectRefusal(world.callers.readReceipts(caller, { id, limit }), 'invalid_parameter');
  });
});

describe('without a key to sign with', () => {
  const withSigner =
    (current: Ports['signer']['current']) =>
    ({ signer }: Ports): Partial<Ports> => ({ signer: { ...signer, current } });

  test('everything goes on, and what was not signed is signed later, in its place', async () => {
    let hasKey = true;
    const { world, id, company, caller } = await asking(({ signer }) => ({
      signer: { ...signer, current: async () => (hasKey ? signer.current() : null) },
    }));
    hasKey = false;
    await world.companies.approveRequest(company, { id });
    hasKey = true;
    await world.companies.revokeRequest(company, { id });
    const before = await world.callers.readReceipts(caller, { id });
    expect(before.items.map((item) => payloadOf(item).status)).toEqual(['pending']);
    expect(before).toMatchObject({ nextCursor: null, awaitsSignature: true });
    const page = await world.callers.readReceipts(caller, { id, limit: 1 });
    expect(page).toEqual(before);

    expect(await world.operator.signMissingReceipts()).toBe(1);
    expect(await world.operator.signMissingReceipts()).toBe(0);
    const { items, awaitsSignature } = await world.callers.readReceipts(caller, { id });
    expect(awaitsSignature).toBe(false);
    const payloads = await verifyChain(items, await keysOf(world));
    expect(payloads.map(({ status }) => status)).toEqual(['pending', 'approved', 'revoked']);
    expect(items[0]).toEqual(before.items[0]);
  });

  test('the events say so, and have the receipt once it is signed', async () => {
    let hasKey = false;
    const { world, id } = await asking(({ signer }) => ({
      signer: { ...signer, current: async () => (hasKey ? signer.current() : null) },
    }));
    const receiptOfEvent = async () =>
      (await world.operator.listAccessEvents({})).events.map(({ receipt }) => receipt);
    expect(await receiptOfEvent()).toMatchObject([{ signature: null }]);
    hasKey = true;
    await world.operator.signMissingReceipts();
    expect(await receiptOfEvent()).toMatchObject([
      { signature: { bytes: expect.any(Uint8Array) } },
    ]);
    expect(await listed(world, id)).toHaveLength(1);
  });

  test('nothing can be signed later either, and that is said', async () => {
    const { world } = await asking(withSigner(async () => null));
    await expectOperatorError(world.operator.signMissingReceipts(), 'invalid', 'no signing key');
  });

  test('a key that cannot be read holds up no revocation', async () => {
    const broken = withSigner(() => Promise.reject(new Error('the file is broken')));
    const { world, id, company } = await asking(broken);
    await world.companies.approveRequest(company, { id });
    expect((await world.companies.revokeRequest(company, { id })).accessRequest.status).toBe(
      'revoked',
    );
    await expect(world.operator.signMissingReceipts()).rejects.toThrow('the file is broken');
  });

  test('while the database is away nothing is written without a signature', async () => {
    const away = new AccessError('service_unavailable');
    await expectRefusal(asking(withSigner(() => Promise.reject(away))), 'service_unavailable');
  });

  test('signing ends between two batches when it is told to', async () => {
    let hasKey = false;
    const { world, id } = await asking(({ signer }) => ({
      signer: { ...signer, current: async () => (hasKey ? signer.current() : null) },
    }));
    await world.operator.approveAccessRequest(id);
    for (let days = 400; days < 650; days += 1) {
      await world.operator.extendAccessRequest(id, later(days * day));
    }
    hasKey = true;
    let asked = 0;
    const isStopping = () => {
      asked += 1;
      return asked > 1;
    };
    expect(await world.operator.signMissingReceipts({ isStopping })).toBe(200);
    expect(await world.operator.signMissingReceipts()).toBe(52);
    const chain = await verifyChain(await listed(world, id), await keysOf(world));
    expect(chain).toHaveLength(252);
  });
});

describe('when the key that signs is retired in the moment of a change', () => {
  /** A signer whose next keys are those that are retired, before it tells the one that signs. */
  async function aWorld() {
    const reported: string[] = [];
    const stale: SigningIdentity[] = [];
    const made = await asking(({ signer }) => ({
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

  test('the change is made once, and its receipt signed with the next key', async () => {
    const { world, id, company, reported, stale, retiredKey, eventTypes } = await aWorld();
    stale.push(await retiredKey());
    await world.companies.approveRequest(company, { id });
    expect(await verifyChain(await listed(world, id), await keysOf(world))).toHaveLength(2);
    expect(await eventTypes()).toEqual(['created', 'approved']);
    expect(reported).toEqual([]);
  });

  test('so are the changes that the clock makes together', async () => {
    const { world, id, reported, stale, retiredKey, eventTypes } = await aWorld();
    world.clock.set(later(31 * day));
    stale.push(await retiredKey());
    await world.operator.expireAccessRequests();
    expect(await verifyChain(await listed(world, id), await keysOf(world))).toHaveLength(2);
    expect(await eventTypes()).toEqual(['created', 'expired']);
    expect(reported).toEqual([]);
  });

  test('and no other can sign, the change is made once all the same, and reported', async () => {
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

describe('after a rotation', () => {
  test('new receipts have the new key, old ones verify, and the chain goes on', async () => {
    const { world, id, company, caller } = await asking();
    await world.operator.rotateSigningKey();
    await world.companies.approveRequest(company, { id });
    const { items } = await world.callers.readReceipts(caller, { id });
    const kids = items.map(({ jws }) => jws.split('.')[0]);
    expect(new Set(kids).size).toBe(2);
    expect(await verifyChain(items, await keysOf(world))).toHaveLength(2);
    const [old] = await world.ports.signingKeys.list();
    await expectOperatorError(
      world.operator.retireSigningKey(old?.kid ?? ''),
      'conflict',
      'depend',
    );
  });
});
