import { describe, expect, it } from 'vitest';
import { writeWebhook } from '#rest-adapter';
import { conformance } from '../conformance/conformance.ts';
import { expectRefusal } from '../support/expectations.ts';
import type { Json } from '../support/http-client.ts';
import { payloadOf, verifyChain } from '../support/receipt-chain.ts';
import { decide, requestsPath, soon } from './company.ts';

conformance('the receipts of an access request', (service) => {
  const { get, fixtures, operator } = service;

  async function asking() {
    const made = await service.fixtures.asking(['metrics:read']);
    await decide(service, made, 'approve', { expires_at: soon(1) });
    for (const days of [2, 3, 4]) await decide(service, made, 'extend', { expires_at: soon(days) });
    await decide(service, made, 'revoke', { reason: 'The round is “closed”.' });
    const own = `/v1/access-requests/${made.requestId}/receipts`;
    return { ...made, own, received: `${requestsPath}/${made.requestId}/receipts` };
  }

  const keysOf = async () => (await service.get('/.well-known/jwks.json')).body;

  it('are the same for the investor and the company, and can be verified with the published keys', async () => {
    const { own, received, key, companyKey, requestId, company, investor } = await asking();
    const shown = await get(own, key);
    expect(shown.body).toEqual({
      object: 'list',
      data: Array.from({ length: 6 }, () => ({
        id: expect.stringMatching(/^rcpt_[0-9a-z_]+$/),
        object: 'consent_receipt',
        jws: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/),
      })),
      has_more: false,
      url: own,
      next_cursor: null,
      head: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/),
    });
    const { body } = await get(received, companyKey);
    expect(body).toEqual({ ...shown.body, url: received, head: expect.any(String) });
    const payloads = await verifyChain(body.data, await keysOf());
    expect(payloads.at(-1)).toMatchObject({
      event_type: 'access_request.revoked',
      access_request_id: requestId,
      data_subject: { id: company.id, name: company.name },
      data_recipient: { id: investor.id, name: investor.name },
      status: 'revoked',
      actor: { type: 'company_key' },
      reason: 'The round is “closed”.',
    });
  });

  it('have the same signed head (count and last receipt) in every protocol', async () => {
    const { own, key, requestId: id } = await asking();
    const { body } = await service.get(own, key);
    const saidBy = (head: string) => ({ ...payloadOf({ jws: head }), issued_at: null });
    const said = saidBy(body.head);
    expect(said).toMatchObject({
      access_request_id: id,
      receipts: 6,
      last_receipt_id: body.data[5].id,
    });
    const graphql = await service.call('POST', '/graphql', {
      key,
      body: {
        query: 'query ($id: ID!) { accessRequest(id: $id) { receipts { id } receiptsHead } }',
        variables: { id },
      },
    });
    expect(saidBy(graphql.body.data.accessRequest.receiptsHead)).toEqual(said);
    const input = encodeURIComponent(JSON.stringify({ id }));
    const trpc = await service.get(`/trpc/accessRequests.receiptsHead?input=${input}`, key);
    expect(saidBy(trpc.body.result.data.head)).toEqual(said);
  });

  it('can be read page by page, by the investor and by the company', async () => {
    const { own, received, key, companyKey } = await asking();
    for (const [path, credential] of [
      [own, key],
      [received, companyKey],
    ] as const) {
      const whole = (await get(path, credential)).body.data;
      const first = (await get(`${path}?limit=4`, credential)).body;
      expect(first).toMatchObject({ has_more: true, next_cursor: whole[3].id, url: path });
      expect(first).not.toHaveProperty('head');
      const next = await get(`${path}?limit=4&cursor=${first.next_cursor}`, credential);
      expect(next.body).toMatchObject({ has_more: false, next_cursor: null });
      expect(payloadOf({ jws: next.body.head })).toMatchObject({ receipts: 6 });
      expect([...first.data, ...next.body.data]).toEqual(whole);
      const after = await get(`${path}?cursor=${whole[5].id}`, credential);
      expect(after.body.data).toEqual([]);
    }
  });

  describe('a read of receipts', () => {
    it.each(['?limit=0', '?limit=201', '?cursor=rcpt_none', '?cursor=x'])(
      'is refused with the query %s',
      async (query) => {
        const { own, received, key, companyKey } = await asking();
        expectRefusal(await get(own + query, key), 'invalid_parameter');
        expectRefusal(await get(received + query, companyKey), 'invalid_parameter');
      },
    );

    it('is refused for another investor and another company, as if the request didn’t exist', async () => {
      const { own, received } = await asking();
      const other = await fixtures.asking();
      expectRefusal(await get(own, other.key), 'access_request_not_found');
      expectRefusal(await get(received, other.companyKey), 'access_request_not_found');
    });
  });

  it('are in the events and webhooks of the investor and the company', async () => {
    const { own, key, companyKey, company, investor } = await asking();
    const receipts = (await get(own, key)).body.data;
    for (const [path, credential] of [
      ['/v1/events', key],
      ['/company/v1/events', companyKey],
    ] as const) {
      const { body } = await get(path, credential);
      expect(body.data.map(({ data }: Json) => data.receipt)).toEqual(receipts);
    }
    const { events } = await operator.listAccessEvents({ companyId: company.id });
    for (const owner of [{ companyId: company.id }, { investorId: investor.id }]) {
      const sent = events.map((event) => JSON.parse(writeWebhook(event, owner)).data.receipt);
      expect(sent).toEqual(receipts);
    }
  });
});
