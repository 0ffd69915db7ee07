import { describe, expect, test } from 'vitest';
import { type CompanyCaller, type InvestorCaller, isRequestEvent, issueReceipt } from '#core';
import { payloadOf, verifyChain } from '../../../support/receipt-chain.ts';
import { pagesOf } from '../../pages.ts';
import { day, expectRefusal, later, start } from '../../world.ts';
import { keysOf, listed, worldWithRequest } from './receipt-steps.ts';

describe('a receipt', () => {
  test('contains both parties, the scopes, the purpose, the decision and the end of the grant, in this order', async () => {
    const { world, newcomer, id, company, caller } = await worldWithRequest();
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
        actor: { type: 'company_key', id: company.credentialId },
        reason: null,
      }),
    ]);
    expect(await verifyChain(items, await keysOf(world))).toHaveLength(2);
  });

  test('has the header that the format defines', async () => {
    const { world, id, caller } = await worldWithRequest();
    const { items } = await world.callers.readReceipts(caller, { id });
    const [header = ''] = items[0]?.jws.split('.') ?? [];
    const [key] = await world.ports.signingKeys.list();
    expect(Buffer.from(header, 'base64url').toString()).toBe(
      `{"alg":"EdDSA","kid":"${key?.kid}","typ":"consent-receipt+jws"}`,
    );
  });

  test('has version 2 and contains the sign-in method of the person who decided', async () => {
    const { world, newcomer, id } = await worldWithRequest();
    const contact = await world.admitContact(newcomer.companyId);
    await world.companies.approveRequest(contact, { id });
    const [, approved] = (await listed(world, id)).map(payloadOf);
    expect(approved?.v).toBe(2);
    const actor = { type: 'contact', id: contact.contactId, signed_in_by: 'link' };
    expect(approved?.actor).toEqual(actor);
  });

  test('contains the requested scopes and the purpose of an addition to a grant, even before the addition is approved', async () => {
    const { world, id, company, caller } = await worldWithRequest();
    await world.companies.approveRequest(company, { id });
    const addition = { id, scopes: ['sources:read' as const], purpose: 'The audit.' };
    const { version } = await world.callers.amendAccessRequest(caller, addition);
    await world.companies.declineRequest(company, { id, version, reason: 'No audit.' });
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
});

describe('the receipts of an access request', () => {
  test('are the same for the investor, the company and the operator, page by page', async () => {
    const { world, id, company, caller } = await worldWithRequest();
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
      head: expect.any(String),
    });
    expect(await listed(world, id)).toEqual(items);
    expect((await world.companies.readReceivedChain(company, { id })).items).toEqual(items);
    const paged = await pagesOf((cursor) =>
      world.callers.readReceipts(caller, { id, cursor, limit: 5 }),
    );
    expect(paged.map(({ length }) => length)).toEqual([5, 5, 2]);
    expect(paged.flat()).toEqual(items);
  });

  test('aren’t found by another investor or company, or for an access request that doesn’t exist', async () => {
    const { world, id, caller, company } = await worldWithRequest();
    const other = await world.newcomer();
    const otherCompany = await world.admitCompany(other.companyId);
    const readsOf = (by: InvestorCaller, of: CompanyCaller, asked: string) => [
      world.callers.readReceipts(by, { id: asked }),
      world.companies.readReceivedChain(of, { id: asked }),
      world.companies.readReceivedReceipts(of, { id: asked }),
    ];
    for (const reading of [
      ...readsOf(other.caller, otherCompany, id),
      ...readsOf(caller, company, 'ar_none'),
      ...readsOf(caller, company, 'nonsense'),
    ]) {
      await expectRefusal(reading, 'access_request_not_found');
    }
    for (const unknown of ['ar_none', 'nonsense']) {
      const listing = world.operator.listReceipts({ id: unknown });
      await expectRefusal(listing, 'access_request_not_found', unknown);
    }
  });

  test('can always be read by the company, and by the investor while the company is in its portfolio', async () => {
    const { world, newcomer, id, company, caller } = await worldWithRequest();
    const membership = { investorId: newcomer.investor.id, companyId: newcomer.companyId };
    await world.operator.removeFromPortfolio(membership);
    await expectRefusal(world.callers.readReceipts(caller, { id }), 'company_not_found');
    const { items } = await world.companies.readReceivedReceipts(company, { id });
    expect(items).toHaveLength(1);
    await world.operator.addToPortfolio(membership);
    expect(await world.callers.readReceipts(caller, { id })).toMatchObject({ items });
  });

  test.each(['rcpt_none', 'rcpt_', 'nonsense', ''])(
    'aren’t listed if the cursor is %j',
    async (cursor) => {
      const { world, id, caller } = await worldWithRequest();
      const reading = world.callers.readReceipts(caller, { id, cursor });
      expect(await expectRefusal(reading, 'invalid_parameter')).toMatchObject({
        parameter: 'cursor',
      });
    },
  );

  test('cause no database query if the cursor is malformed', async () => {
    const { world, id, caller } = await worldWithRequest(({ receipts }) => ({
      receipts: { ...receipts, list: () => Promise.reject(new Error('it was looked for')) },
    }));
    const reading = world.callers.readReceipts(caller, { id, cursor: 'rcpt_\u0000' });
    await expectRefusal(reading, 'invalid_parameter');
  });

  test('can be created from their events, and a receipt without a signature is null', async () => {
    const { world, id } = await worldWithRequest();
    const { events: all } = await world.operator.listAccessEvents({ limit: 10 });
    const events = all.filter(isRequestEvent);
    expect(events.map((event) => issueReceipt(event, event.receipt))).toEqual(
      await listed(world, id),
    );
    expect(events.map((event) => issueReceipt(event, null))).toEqual([null]);
    const unsigned = events.map(
      (event) => event.receipt && issueReceipt(event, { ...event.receipt, signature: null }),
    );
    expect(unsigned).toEqual([null]);
  });

  test.each([0, 201, 1.5])('aren’t listed if the limit is %j', async (limit) => {
    const { world, id, caller } = await worldWithRequest();
    await expectRefusal(world.callers.readReceipts(caller, { id, limit }), 'invalid_parameter');
  });
});
