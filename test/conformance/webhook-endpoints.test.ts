import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryWebhookPlatform } from '../memory/webhook-sender.ts';
import { memory } from '../support/backends.ts';
import { expectRefusal } from '../support/expectations.ts';
import type { TestService } from '../support/service.ts';
import { conformance } from './conformance.ts';

/** Tests of the database and of the worker check the sending. These tests check only the form of answers. */
const webhooks = createMemoryWebhookPlatform();
const url = 'https://hooks.example.com/endpoint';

interface Made {
  /** The field of a webhook endpoint with its owner's ID. */
  readonly owner: object;
  readonly key: string;
}

/** The endpoints of companies and of investors differ in these points. */
interface Side {
  readonly name: string;
  readonly path: string;
  make(service: TestService): Promise<Made>;
  causeEvent(service: TestService, key: string): Promise<unknown>;
  keyOfOtherSide(service: TestService): Promise<string>;
}

const ofCompany: Side = {
  name: 'a company',
  path: '/company/v1/webhook-endpoints',
  async make({ fixtures }) {
    const { id } = await fixtures.company();
    return { owner: { company_id: id }, key: (await fixtures.companyKey(id)).key };
  },
  async causeEvent({ fixtures, operator, get }, key) {
    const { company_id } = (await get(this.path, key)).body.data[0];
    const investor = await fixtures.investor();
    await operator.addToPortfolio({ investorId: investor.id, companyId: company_id });
    await fixtures.request((await fixtures.key(investor)).key, company_id);
  },
  keyOfOtherSide: async ({ fixtures }) => (await fixtures.portfolio()).key,
};

const ofInvestor: Side = {
  name: 'an investor',
  path: '/v1/webhook-endpoints',
  async make({ fixtures }) {
    const investor = await fixtures.investor();
    const scopes = ['webhooks:manage'] as const;
    return {
      owner: { investor_id: investor.id },
      key: (await fixtures.key(investor, { scopes })).key,
    };
  },
  async causeEvent({ fixtures, operator, get }, key) {
    const { investor_id } = (await get(this.path, key)).body.data[0];
    const { id: companyId } = await fixtures.company();
    await operator.addToPortfolio({ investorId: investor_id, companyId });
    await fixtures.request(key, companyId);
  },
  async keyOfOtherSide({ fixtures }) {
    return (await fixtures.companyKey((await fixtures.company()).id)).key;
  },
};

describe.each([ofCompany, ofInvestor])('$name', (side) =>
  conformance(
    `the webhook endpoints of ${side.name}`,
    (service) => {
      const { background } = service;

      const { path } = side;
      let owner: object;
      let key: string;

      const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', below = '', body?: unknown) =>
        service.call(method, `${path}${below}`, { key, ...(body !== undefined && { body }) });
      const create = async () => (await call('POST', '', { url })).body;

      async function deliver() {
        await side.causeEvent(service, key);
        while ((await background.queueWebhooks()) > 0);
        const never = new AbortController().signal;
        for (const claim of await background.claimWebhookEndpoints(100)) {
          const turn = { stopSignal: never, abortSignal: never, onOutcome: () => undefined };
          await background.deliverWebhooks(claim, turn);
        }
      }

      beforeEach(async () => {
        webhooks.answer({ status: 204, retryAfterSeconds: null });
        ({ owner, key } = await side.make(service));
      });

      it('are created with a secret that only the first response contains, and can be listed and read', async () => {
        const types = ['access_request.created'];
        const created = await call('POST', '', { url, types });
        expect(created.status).toBe(201);
        const { secret, ...endpoint } = created.body;
        expect(secret).toMatch(/^whsec_/);
        expect(endpoint).toMatchObject({
          object: 'webhook_endpoint',
          ...owner,
          url,
          types,
          disabled_at: null,
        });
        expect((await call('GET')).body).toEqual({
          object: 'list',
          data: [endpoint],
          has_more: false,
          url: path,
          next_cursor: null,
        });
        expect((await call('GET', `/${endpoint.id}`)).body).toEqual(endpoint);
      });

      it.each([
        ['url', {}],
        ['url', { url: 'not a url' }],
        ['url', { url: 7 }],
        ['types', { url: 'https://example.com', types: ['unknown'] }],
        ['secret', { url: 'https://example.com', secret: 'whsec_' }],
      ])('are refused if %s is invalid: %j', async (name, body) => {
        const answer = await call('POST', '', body);
        expectRefusal(answer, 'invalid_parameter');
        expect(answer.body.error.message).toContain(name);
      });

      it('are listed page by page, newest first', async () => {
        const ids: string[] = [];
        for (let count = 0; count < 3; count += 1) ids.unshift((await create()).id);
        const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
        const whole = (await call('GET')).body;
        expect(idsOf(whole)).toEqual(ids);
        const first = (await call('GET', '?limit=2')).body;
        expect(first).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
        const second = (await call('GET', `?limit=2&cursor=${first.next_cursor}`)).body;
        expect(second).toMatchObject({ has_more: false, next_cursor: null });
        expect([...idsOf(first), ...idsOf(second)]).toEqual(idsOf(whole));
      });

      it('can be removed, and are then not found', async () => {
        const { id } = await create();
        const removed = await call('DELETE', `/${id}`);
        expect(removed.status).toBe(204);
        expect(removed.body).toBeUndefined();
        expectRefusal(await call('DELETE', `/${id}`), 'webhook_endpoint_not_found');
        expectRefusal(await call('GET', `/${id}`), 'webhook_endpoint_not_found');
      });

      it('aren’t found by another owner', async () => {
        const { id } = await create();
        ({ key } = await side.make(service));
        expect((await call('GET')).body.data).toEqual([]);
        for (const [method, below] of [
          ['GET', ''],
          ['PATCH', ''],
          ['DELETE', ''],
          ['POST', '/rotate-secret'],
          ['POST', '/enable'],
          ['POST', '/test'],
          ['GET', '/deliveries'],
          ['POST', '/deliveries/evt_1/replay'],
        ] as const) {
          expectRefusal(await call(method, `/${id}${below}`), 'webhook_endpoint_not_found');
        }
      });

      it('can get another URL or other event types, and keep all other fields', async () => {
        const { secret: _, ...endpoint } = await create();
        const types = ['access_request.approved'];
        const changed = await call('PATCH', `/${endpoint.id}`, { types });
        expect([changed.status, changed.body]).toEqual([200, { ...endpoint, types }]);
        const moved = `${url}/moved`;
        await call('PATCH', `/${endpoint.id}`, { url: moved });
        const both = await call('GET', `/${endpoint.id}`);
        expect(both.body).toEqual({ ...endpoint, url: moved, types });
        for (const [name, body] of [
          ['url', { url: 'not a url' }],
          ['types', { types: ['unknown'] }],
          ['secret', { secret: 'whsec_' }],
        ] as const) {
          const refused = await call('PATCH', `/${endpoint.id}`, body);
          expectRefusal(refused, 'invalid_parameter');
          expect(refused.body.error.param).toContain(name);
        }
      });

      it('get a new secret when their secret is rotated', async () => {
        const { id, secret, ...endpoint } = await create();
        const rotated = await call('POST', `/${id}/rotate-secret`);
        expect(rotated.status).toBe(200);
        expect(rotated.body).toMatchObject({ id, ...endpoint });
        expect(rotated.body.secret).not.toBe(secret);
      });

      it('can be enabled again after they were disabled', async () => {
        webhooks.answer({ status: 410, retryAfterSeconds: null });
        const { secret: _, ...endpoint } = await create();
        await deliver();
        const { data } = (await call('GET', `/${endpoint.id}/deliveries`)).body;
        const replay = `/${endpoint.id}/deliveries/${data[0].event_id}/replay`;
        expectRefusal(await call('POST', replay), 'webhook_endpoint_disabled');
        expect((await call('GET', `/${endpoint.id}`)).body).toMatchObject({
          disabled_at: expect.any(String),
          disabled_reason: 'gone',
        });
        for (let count = 0; count < 2; count += 1) {
          const enabled = await call('POST', `/${endpoint.id}/enable`);
          expect([enabled.status, enabled.body]).toEqual([200, endpoint]);
        }
        expect((await call('GET', `/${endpoint.id}`)).body).toEqual(endpoint);
      });

      it('can send a delivery again', async () => {
        const { id } = await create();
        await deliver();
        const [delivery] = (await call('GET', `/${id}/deliveries`)).body.data;
        expect(delivery).toMatchObject({ state: 'delivered', attempts: 1 });
        const replay = `/${id}/deliveries/${delivery.event_id}/replay`;
        const replayed = await call('POST', replay);
        expect([replayed.status, replayed.body]).toEqual([
          200,
          {
            ...delivery,
            state: 'pending',
            attempts: 0,
            next_attempt_at: expect.any(String),
          },
        ]);
        expectRefusal(await call('POST', replay), 'webhook_delivery_not_found');
      });

      it('list their deliveries page by page', async () => {
        const { id } = await create();
        expect((await call('GET', `/${id}/deliveries?state=failed&limit=1`)).body).toEqual({
          object: 'list',
          data: [],
          has_more: false,
          url: `${path}/${id}/deliveries`,
          next_cursor: null,
        });
        expectRefusal(await call('GET', `/${id}/deliveries?state=lost`), 'invalid_parameter');
        expectRefusal(await call('GET', `/${id}/deliveries?cursor=x`), 'invalid_parameter');
      });

      it('can be tested, and the response contains the outcome', async () => {
        const { id } = await create();
        expect((await call('POST', `/${id}/test`)).body).toMatchObject({
          object: 'webhook_test',
          delivered: true,
          status: expect.any(Number),
          failure: null,
        });
      });

      it('can’t be managed with a key of the API for the other side', async () => {
        key = await side.keyOfOtherSide(service);
        expectRefusal(await call('GET'), 'invalid_api_key');
      });
    },
    { replace: () => ({ webhooks }) },
    [memory],
  ),
);
