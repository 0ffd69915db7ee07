import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isRequestEvent } from '#core';
import { drain } from '../../gateway/shutdown.ts';
import { postgres } from '../support/backends.ts';
import { type OpenedStream, openStream } from '../support/event-stream.ts';
import type { Portfolio } from '../support/fixtures.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { startService, type TestService } from '../support/service.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const query = 'subscription { accessRequestChanged { id } }';

const ways: Record<string, (service: TestService, key: string) => Promise<OpenedStream>> = {
  REST: ({ url }, key) => openStream(`${url}/v1/events`, { key }),
  GraphQL: ({ url }, key) => openStream(`${url}/graphql`, { method: 'POST', key, body: { query } }),
  tRPC: ({ url }, key) => openStream(`${url}/trpc/accessRequests.onChange`, { key }),
};

const ofOneProcess: typeof ways = {
  ...ways,
  'GraphQL in parts': ({ url }, key) => {
    const accept = 'multipart/mixed;subscriptionSpec=1.0,application/json';
    return openStream(`${url}/graphql`, {
      method: 'POST',
      key,
      headers: { accept },
      body: { query },
    });
  },
};

describe('event streams', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService({ storage: { memory: true } });
  });
  afterAll(() => service?.close());

  it.each(Object.entries(ofOneProcess))(
    'don’t count toward their caller’s limit of concurrent calls (%s)',
    async (_way, open) => {
      const { key } = await service.fixtures.portfolio();
      const streams = [];
      for (let count = 0; count < 40; count += 1) streams.push(await open(service, key));
      expect((await service.get('/v1/companies', key)).status).toBe(200);
      const asked = { key, body: { query: '{ viewer { environment } }' } };
      const answered = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(asked.body),
      });
      expect(answered.status).toBe(200);
      for (const stream of streams) stream.leave();
      await expect.poll(() => service.eventFeed.size).toBe(0);
    },
  );

  it.each(Object.entries(ofOneProcess))(
    'end at once, without a last message, when the service stops (%s)',
    async (_way, open) => {
      const own = await startService({ storage: { memory: true } });
      try {
        const { key } = await own.fixtures.portfolio();
        const stream = await open(own, key);
        const warn = vi.fn();
        await drain(own.app, { warn }, 60_000);
        await stream.ended;
        expect(stream.response.complete).toBe(true);
        expect(stream.text()).not.toMatch(/complete|return|error/);
        await expect.poll(() => own.eventFeed.size).toBe(0);
        expect(warn).not.toHaveBeenCalled();
      } finally {
        await own.close();
      }
    },
  );

  it('lose no event if the client stops reading for a while', async () => {
    const made = await service.fixtures.portfolio({ rateLimit: 1_000_000 });
    const stream = await openStream(`${service.url}/v1/events`, { key: made.key });
    stream.response.pause();
    for (let round = 0; round < 700; round += 1) {
      const { id } = await service.fixtures.request(made.key, made.company.id);
      await service.operator.declineAccessRequest({ id, reason: 'x'.repeat(1_000) });
    }
    await service.eventFeed.poll();
    stream.response.resume();
    await expect.poll(() => stream.events.length).toBe(1_400);
    expect(new Set(stream.events.map(({ id }) => id)).size).toBe(1_400);
    stream.leave();
  });

  it('leave no subscription behind if the client disconnects while a stream opens', async () => {
    const { key } = await service.fixtures.portfolio();
    await expect.poll(() => service.eventFeed.size).toBe(0);
    for (let count = 0; count < 20; count += 1) {
      const sent = http.get(`${service.url}/v1/events`, {
        headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
      });
      sent.on('error', () => undefined);
      sent.on('socket', (socket) => socket.on('connect', () => sent.destroy()));
    }
    expect((await service.get('/v1/companies', key)).status).toBe(200);
    await expect.poll(() => service.eventFeed.size).toBe(0);
  });
});

describe.skipIf(postgres.isUnreachable)(`event streams (${postgres.name})`, () => {
  let service: TestService;
  let proxy: TcpProxy;
  let side: OperatorSide;
  let made: Portfolio;
  let release: () => Promise<void>;

  beforeAll(async () => {
    const opened = await postgres.open();
    release = opened.release;
    const databaseUrl = 'databaseUrl' in opened.storage ? opened.storage.databaseUrl : '';
    const url = new URL(databaseUrl);
    proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${proxy.port}`;
    service = await startService({ storage: { databaseUrl: url.href } });
    side = await openOperatorSide({ DATABASE_URL: databaseUrl });
    made = await service.fixtures.portfolio();
  });
  afterAll(async () => {
    proxy?.open();
    await side?.close();
    await service?.close();
    await proxy?.close();
    await release?.();
  });

  it.each(Object.entries(ways))(
    'report changes of other processes, even after an outage of their database (%s)',
    async (_way, open) => {
      const stream = await open(service, made.key);
      const { id } = await side.fixtures.request(made.key, made.company.id);
      const events = async () =>
        (await side.operator.listAccessEvents({ investorId: made.investor.id, limit: 1000 })).events
          .filter((event) => isRequestEvent(event) && event.accessRequest.id === id)
          .map((event) => event.id);
      const isTold = (ids: string[]) =>
        Promise.all(ids.map((told) => stream.find(({ data }) => data.includes(told))));
      await isTold(await events());
      proxy.cut();
      await side.operator.approveAccessRequest({ id });
      await side.operator.revokeAccessRequest({ id });
      await expect(service.eventFeed.poll()).rejects.toThrow();
      proxy.open();
      const all = await events();
      await isTold(all);
      const told = all.map((one) => stream.text().split(one).length - 1);
      expect(new Set(told).size).toBe(1);
      stream.leave();
      await expect.poll(() => service.eventFeed.size).toBe(0);
    },
  );
});
