// @module-tag full
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { createTRPCClient, httpSubscriptionLink } from '@trpc/client';
import { Client, fetchExchange } from '@urql/core';
import { EventSource } from 'eventsource';
import { describe, expect, it } from 'vitest';
import { type AppRouter, createPortfolioAccessClient } from '../../client/index.ts';
import { closedAfterAll } from '../support/closed.ts';
import { openStream } from '../support/event-stream.ts';
import type { Json } from '../support/http-client.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { startService } from '../support/service.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));
const { hostname: host, port } = new URL(service.url);
const proxy = await closedAfterAll(startTcpProxy({ host, port: Number(port) }));
const { url } = service;

interface Message {
  readonly position?: string;
  readonly change?: string;
}

interface Watch {
  /** The subscription begins after this event. */
  readonly after: string | undefined;
  readonly onMessage: (message: Message) => void;
}

type Subscribe = (key: string, watch: Watch) => Promise<() => void>;

const query = 'subscription Changes($after: ID) { accessRequestChanged(after: $after) { id } }';

const toMessage = ({ data, extensions }: Json): Message =>
  data?.accessRequestChanged === null
    ? { position: extensions?.position }
    : { change: data?.accessRequestChanged.id };

const toTyped = ({ id, data }: { id: string; data: { type: string } }): Message =>
  data.type === 'stream.started' ? { position: id } : { change: id };

const withKey = (key: string): typeof fetch => {
  return (input, init) =>
    fetch(input, { ...init, headers: { ...init?.headers, authorization: `Bearer ${key}` } });
};

function trpc(key: string, url = service.url) {
  return createTRPCClient<AppRouter>({
    links: [
      httpSubscriptionLink({
        url: `${url}/trpc`,
        EventSource,
        eventSourceOptions: () => ({ fetch: withKey(key) }),
      }),
    ],
  });
}

/** Reads server-sent events as their standard describes, without a library. */
async function readEvents(
  path: string,
  options: NonNullable<Parameters<typeof openStream>[1]>,
  onEvent: (event: { id?: string | undefined; event?: string | undefined; data: string }) => void,
) {
  const { response, events, leave } = await openStream(`${url}${path}`, options);
  let seen = 0;
  const look = () => {
    for (const event of events.slice(seen)) onEvent(event);
    seen = events.length;
  };
  response.on('data', look);
  look();
  return leave;
}

const clients: Record<string, Subscribe> = {
  async 'tRPC’s httpSubscriptionLink'(key, { after: lastEventId, onMessage }) {
    const subscription = trpc(key).accessRequests.onChange.subscribe(
      { lastEventId },
      { onData: (message) => onMessage(toTyped(message)) },
    );
    return subscription.unsubscribe;
  },
  async 'our client'(apiKey, { after: lastEventId, onMessage }) {
    const client = createPortfolioAccessClient({ url, apiKey });
    const subscription = client.accessRequests.onChange.subscribe(
      { lastEventId },
      { onData: (message) => onMessage(toTyped(message)) },
    );
    return subscription.unsubscribe;
  },
  async 'Apollo Client'(key, { after, onMessage }) {
    const link = new HttpLink({ uri: `${url}/graphql`, fetch: withKey(key) });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const subscription = client
      .subscribe<Json>({ query: gql(query), variables: { after } })
      .subscribe({ next: (result) => result.data && onMessage(toMessage(result)) });
    return () => subscription.unsubscribe();
  },
  async urql(key, { after, onMessage }) {
    const client = new Client({
      url: `${url}/graphql`,
      exchanges: [fetchExchange],
      fetchSubscriptions: true,
      fetch: withKey(key),
      preferGetMethod: false,
    });
    const subscription = client
      .subscription(query, { after })
      .subscribe((result) => result.data && onMessage(toMessage(result)));
    return subscription.unsubscribe;
  },
  'a reader of GraphQL over server-sent events': (key, { after, onMessage }) =>
    readEvents(
      '/graphql',
      { method: 'POST', key, body: { query, variables: { after } } },
      ({ event, data }) => event === 'next' && onMessage(toMessage(JSON.parse(data))),
    ),
};

async function first(subscribe: Subscribe, key: string, after?: string): Promise<Message[]> {
  const wanted = after === undefined ? 1 : 2;
  const { promise, resolve } = Promise.withResolvers<void>();
  const messages: Message[] = [];
  const leave = await subscribe(key, {
    after,
    onMessage(message) {
      messages.push(message);
      if (messages.length === wanted) resolve();
    },
  });
  await promise;
  leave();
  return messages.slice(0, wanted);
}

describe('a subscription that loses its connection before its first change', () => {
  it.each(Object.entries(clients))('resumes without a gap with %s', async (_name, subscribe) => {
    const made = await service.fixtures.portfolio({ rateLimit: 10_000 });
    let last = 'evt_start';
    for (let round = 0; round < propertyRuns(50); round += 1) {
      const [begun] = await first(subscribe, made.key);
      expect(begun).toEqual({ position: last });
      await service.fixtures.revoked(made);
      const resumed = await first(subscribe, made.key, begun?.position);
      const { body } = await service.get(`/v1/events?after=${last}&limit=1000`, made.key);
      expect(resumed).toEqual([{ position: last }, { change: body.data[0].id }]);
      last = body.data.at(-1).id;
    }
  });

  it('resumes automatically with tRPC’s httpSubscriptionLink', { timeout: 60_000 }, async () => {
    const made = await service.fixtures.portfolio();
    const messages: Message[] = [];
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const client = trpc(made.key, `http://127.0.0.1:${proxy.port}`);
    const subscription = client.accessRequests.onChange.subscribe(undefined, {
      onData(message) {
        messages.push(toTyped(message));
        start();
        if (messages.at(-1)?.change !== undefined) resolve();
      },
    });
    await started;
    proxy.cut();
    const { id } = await service.fixtures.request(made.key, made.company.id);
    proxy.open();
    await changed;
    subscription.unsubscribe();
    const { body } = await service.get('/v1/events', made.key);
    expect(body.data[0].data.access_request.id).toBe(id);
    expect(messages).toEqual([
      { position: 'evt_start' },
      { position: 'evt_start' },
      { change: body.data[0].id },
    ]);
  });
});
