import { createTRPCClient, httpSubscriptionLink } from '@trpc/client';
import { EventSource } from 'eventsource';
import { describe, expect, it } from 'vitest';
import type { AppRouter } from '../../client/index.ts';
import { closedAfterAll } from '../support/closed.ts';
import { openStream } from '../support/event-stream.ts';
import { startService } from '../support/service.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));
const made = await service.fixtures.portfolio();

const path = () => `${service.url}/trpc/accessRequests.onChange`;

describe('the subscription accessRequests.onChange', () => {
  it('reports changes as they happen, with the link from tRPC’s own library', async () => {
    const client = createTRPCClient<AppRouter>({
      links: [
        httpSubscriptionLink({
          url: `${service.url}/trpc`,
          EventSource,
          eventSourceOptions: () => ({
            fetch: (input, init) =>
              fetch(input, {
                ...init,
                headers: { ...init.headers, authorization: `Bearer ${made.key}` },
              }),
          }),
        }),
      ],
    });
    const seen: unknown[] = [];
    const receipts: unknown[] = [];
    const { promise: all, resolve, reject } = Promise.withResolvers<void>();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const subscription = client.accessRequests.onChange.subscribe(undefined, {
      onStarted: () => start(),
      onError: reject,
      onData({ id, data }) {
        if (data.type === 'stream.started') return;
        seen.push([id === data.id, data]);
        receipts.push(data.receipt);
        if (seen.length === 3) resolve();
      },
    });
    await started;
    const { id } = await service.fixtures.revoked(made);
    await all;
    expect(seen).toMatchObject([
      [true, { type: 'access_request.created', accessRequest: { id, status: 'pending' } }],
      [true, { type: 'access_request.approved', actor: { type: 'operator', id: null } }],
      [true, { type: 'access_request.revoked', reason: 'Enough.' }],
    ]);
    expect(receipts).toEqual((await service.operator.listReceipts({ id })).items);
    subscription.unsubscribe();
    await expect.poll(() => service.eventFeed.size).toBe(0);
  });

  it.each([
    ['in a header', (id: string) => ({ headers: { 'last-event-id': id } })],
    [
      'in the body of a POST',
      (id: string) => ({ method: 'POST' as const, body: { lastEventId: id } }),
    ],
  ])('begins after the client’s last event, %s', async (_name, ask) => {
    const own = await service.fixtures.portfolio();
    const first = await openStream(path(), { key: own.key });
    await first.find(({ event }) => event === 'connected');
    await service.fixtures.revoked(own);
    const created = await first.find(({ data }) => data.includes('access_request.created'));
    first.leave();
    const second = await openStream(path(), { key: own.key, ...ask(created.id ?? '') });
    await second.find(({ data }) => data.includes('access_request.revoked'));
    const told = second.events.filter(({ id }) => id !== undefined).slice(1);
    expect(told.map(({ data }) => JSON.parse(data).type)).toEqual([
      'access_request.approved',
      'access_request.revoked',
    ]);
    second.leave();
  });

  it('sends a tRPC error if the event is unknown or the input is wrong', async () => {
    for (const [input, code] of [
      [{ lastEventId: 'evt_none' }, 'event_expired'],
      [{ lastEventId: 7 }, 'invalid_parameter'],
      [{ limit: 7 }, 'invalid_parameter'],
    ]) {
      const stream = await openStream(path(), { key: made.key, method: 'POST', body: input });
      const refusal = await stream.find(({ event }) => event === 'serialized-error');
      expect(JSON.parse(refusal.data).data.code).toBe(code);
      await stream.ended;
    }
    expect(service.eventFeed.size).toBe(0);
  });

  it('ends with the reason when its key is revoked', async () => {
    const own = await service.fixtures.portfolio();
    const stream = await openStream(path(), { key: own.key });
    await stream.find(({ event }) => event === 'connected');
    await expect.poll(() => service.eventFeed.size).toBe(1);
    await service.operator.revokeApiKey({ id: own.keyId });
    await service.eventFeed.checkKeys();
    const refusal = await stream.find(({ event }) => event === 'serialized-error');
    expect(JSON.parse(refusal.data).data.code).toBe('invalid_api_key');
    await stream.ended;
    expect(service.eventFeed.size).toBe(0);
  });

  it('is refused in a batch of several calls and in a HEAD request', async () => {
    const both = '/trpc/companies.list,accessRequests.onChange?batch=1';
    const [list, refused] = (await service.get(both, made.key)).body;
    expect(list.result.data).toHaveLength(1);
    expect(refused.error.data.code).toBe('invalid_parameter');
    const head = await service.call('HEAD', '/trpc/accessRequests.onChange', { key: made.key });
    expect(head.status).toBe(405);
    const streamed = await openStream(`${service.url}${both}`, {
      key: made.key,
      headers: { 'trpc-accept': 'application/jsonl' },
    });
    await streamed.ended;
    expect(streamed.text()).toContain('invalid_parameter');
    expect(service.eventFeed.size).toBe(0);
  });
});
