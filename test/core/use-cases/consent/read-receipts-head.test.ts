import { describe, expect, test } from 'vitest';
import { verifyReceipts } from '../../../../verify/index.ts';
import { payloadOf } from '../../../support/receipt-chain.ts';
import { day, later } from '../../world.ts';
import { keysOf, worldWithRequest, worldWithRequestAndKey } from './receipt-steps.ts';

async function withReceipts(count: number) {
  const made = await worldWithRequest();
  const { world, company, id } = made;
  await world.companies.approveRequest(company, { id });
  for (let index = 2; index < count; index += 1) {
    await world.companies.extendRequest(company, { id, expiresAt: later((400 + index) * day) });
  }
  return made;
}

const headOf = (page: { head: string | null }) => {
  if (page.head === null) throw new Error('there is no head');
  return payloadOf({ jws: page.head });
};

describe('the head of an access request’s receipts, which shows their count and the last receipt', () => {
  test('contains the number of receipts, the last receipt and the time', async () => {
    const { world, caller, company, id } = await withReceipts(3);
    const page = await world.callers.readReceipts(caller, { id });
    expect(Object.entries(headOf(page))).toEqual([
      ['v', 1],
      ['environment', 'live'],
      ['access_request_id', id],
      ['receipts', 3],
      ['last_receipt_id', page.items[2]?.id],
      ['issued_at', world.clock.now().toISOString()],
    ]);
    const jwks = await keysOf(world);
    const verified = await verifyReceipts(page.items, { jwks, head: page.head });
    expect(verified).toMatchObject({ valid: true, complete: { state: 'complete' } });
    expect((await world.companies.readReceivedReceipts(company, { id })).head).toBe(page.head);
    expect((await world.operator.listReceipts({ id })).head).toBe(page.head);
    expect(await world.callers.readReceiptsHead(caller, { id })).toBe(page.head);
  });

  test('is returned only with the last page, and counts the receipts of all pages', async () => {
    const { world, caller, id } = await withReceipts(5);
    const [whole, first] = await Promise.all([
      world.callers.readReceipts(caller, { id }),
      world.callers.readReceipts(caller, { id, limit: 3 }),
    ]);
    expect(first.head).toBeNull();
    const next = await world.callers.readReceipts(caller, {
      id,
      limit: 3,
      cursor: first.nextCursor,
    });
    expect(next.head).toBe(whole.head);
    const cursor = whole.items[4]?.id ?? '';
    const empty = await world.callers.readReceipts(caller, { id, cursor });
    expect(empty).toMatchObject({ items: [], head: whole.head });
  });

  test('has the time when the read began, so a receipt added during the read doesn’t seem missing', async () => {
    const { world, id } = await withReceipts(2);
    const { list } = world.ports.receipts;
    const before = world.clock.now().toISOString();
    world.ports.receipts.list = async (query) => {
      const found = await list(query);
      world.clock.advance(60_000);
      return found;
    };
    expect(headOf(await world.operator.listReceipts({ id })).issued_at).toBe(before);
  });

  test('counts signed receipts only, and reports an unsigned receipt', async () => {
    const { world, id, company, caller, key } = await worldWithRequestAndKey(true);
    key.isThere = false;
    await world.companies.approveRequest(company, { id });
    expect((await world.callers.readReceipts(caller, { id })).head).toBeNull();
    key.isThere = true;
    const page = await world.callers.readReceipts(caller, { id });
    expect(headOf(page)).toMatchObject({ receipts: 1, awaits_signature: true });
    const jwks = await keysOf(world);
    const verified = await verifyReceipts(page.items, { jwks, head: page.head });
    expect(verified).toMatchObject({ valid: true, complete: { state: 'awaits_signature' } });
  });

  test('has no last receipt if no receipt is signed yet', async () => {
    const { world, id, caller, key } = await worldWithRequestAndKey(false);
    key.isThere = true;
    expect(headOf(await world.callers.readReceipts(caller, { id }))).toMatchObject({
      receipts: 0,
      last_receipt_id: null,
      awaits_signature: true,
    });
  });

  test('is null if the access request has no receipts', async () => {
    const { world, id } = await withReceipts(2);
    world.ports.receipts.list = async () => [];
    expect(await world.operator.listReceipts({ id })).toMatchObject({ items: [], head: null });
  });

  test('is null if the caller doesn’t request it', async () => {
    const { world, caller, id } = await withReceipts(2);
    const page = await world.callers.readReceipts(caller, { id }, { head: false });
    expect(page).toMatchObject({ items: [{}, {}], head: null });
  });
});
