import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { describe, expect, it, vi } from 'vitest';
import { chooseEventForm } from '../../graphql-adapter/media-type.ts';
import { codesOf, serveGraphql } from '../graphql/support.ts';
import { openStream } from '../support/event-stream.ts';
import type { Json } from '../support/http-client.ts';
import { startService } from '../support/service.ts';

const { service, client: graphql } = await serveGraphql();

const query = `subscription Changes($after: ID) {
  accessRequestChanged(after: $after) { id type accessRequest { id status } }
}`;
const accept = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json';

/**
 * Subscribes with Apollo Client in its default settings. Returns the changes, the errors and the end of the
 * subscription.
 */
function subscribe(key: string, variables: Record<string, unknown> = {}) {
  const client = new ApolloClient({
    link: new HttpLink({
      uri: `${service.url}/graphql`,
      headers: { authorization: `Bearer ${key}` },
    }),
    cache: new InMemoryCache(),
  });
  const changes: Json[] = [];
  const errors: unknown[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const subscription = client.subscribe<Json>({ query: gql(query), variables }).subscribe({
    next({ data, error }) {
      if (data?.accessRequestChanged) changes.push(data.accessRequestChanged);
      if (error) errors.push(error);
    },
    complete: end,
  });
  return { changes, errors, ended, leave: () => subscription.unsubscribe() };
}

const refusalsOf = (errors: readonly unknown[]) =>
  errors.flatMap((error) =>
    CombinedGraphQLErrors.is(error) ? error.errors.map(({ extensions }) => extensions?.code) : [],
  );

describe('Apollo Client with its default settings', () => {
  it('receives each change as soon as it happens', async () => {
    const { company, key } = await service.fixtures.portfolio();
    const watching = subscribe(key);
    await vi.waitFor(() => expect(service.eventFeed.size).toBe(1));
    const { id } = await service.fixtures.request(key, company.id);
    await expect
      .poll(() => watching.changes)
      .toMatchObject([{ type: 'CREATED', accessRequest: { id, status: 'PENDING' } }]);
    await service.operator.approveAccessRequest({ id });
    await expect
      .poll(() => watching.changes)
      .toMatchObject([{}, { type: 'APPROVED', accessRequest: { id, status: 'APPROVED' } }]);
    expect(watching.errors).toEqual([]);
    watching.leave();
    await expect.poll(() => service.eventFeed.size).toBe(0);
  });

  it('resumes after the last event that it received', async () => {
    const { company, key } = await service.fixtures.portfolio();
    const first = subscribe(key);
    await vi.waitFor(() => expect(service.eventFeed.size).toBe(1));
    const { id } = await service.fixtures.request(key, company.id);
    await expect.poll(() => first.changes).toHaveLength(1);
    first.leave();
    await service.operator.declineAccessRequest({ id });
    const next = subscribe(key, { after: first.changes[0].id });
    await expect.poll(() => next.changes).toMatchObject([{ type: 'DECLINED' }]);
    next.leave();
  });

  it('gets the reason if a subscription is refused or ended', async () => {
    const { key, keyId } = await service.fixtures.portfolio();
    const refused = subscribe(key, { after: 'evt_none' });
    await refused.ended;
    expect(refusalsOf(refused.errors)).toEqual(['event_expired']);
    const watching = subscribe(key);
    await vi.waitFor(() => expect(service.eventFeed.size).toBe(1));
    await service.operator.revokeApiKey({ id: keyId });
    await service.eventFeed.checkKeys();
    await watching.ended;
    expect(refusalsOf(watching.errors)).toEqual(['invalid_api_key']);
  });
});

describe('events that are sent as parts of one multipart response', () => {
  it('begin with a heartbeat, arrive whole, and don’t count as a concurrent call of the caller', async () => {
    const { company, key } = await service.fixtures.portfolio();
    const streams = await Promise.all(
      Array.from({ length: 9 }, () =>
        openStream(`${service.url}/graphql`, {
          method: 'POST',
          key,
          headers: { accept },
          body: { query },
        }),
      ),
    );
    const [stream] = streams as [(typeof streams)[0]];
    expect(stream.response).toMatchObject({
      statusCode: 200,
      headers: {
        'content-type': 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0',
        'cache-control': 'no-store, no-transform',
        'svc-last-event-id': expect.stringMatching(/^evt_/),
      },
    });
    expect(stream.response.headers).not.toHaveProperty('content-encoding');
    const { body } = await graphql.ask(key, '{ viewer { environment } }');
    expect(body.data.viewer.environment).toBe('LIVE');
    await service.fixtures.request(key, company.id);
    await expect.poll(() => stream.text()).toContain('CREATED');
    await nextTurn();
    const parts = stream.text().split('\r\n--graphql');
    expect(parts).toEqual([
      '',
      '\r\ncontent-type: application/json\r\n\r\n{}',
      expect.stringMatching(/^\r\ncontent-type: application\/json\r\n\r\n\{"payload":\{"data":/),
      expect.stringMatching(/^\r\ncontent-type: application\/json\r\n\r\n\{"payload":\{"data":/),
      '',
    ]);
    for (const { leave } of streams) leave();
    await expect.poll(() => service.eventFeed.size).toBe(0);
  });

  it('end when the service stops', async () => {
    const other = await startService({ storage: { memory: true } });
    const { key } = await other.fixtures.portfolio();
    const stream = await openStream(`${other.url}/graphql`, {
      method: 'POST',
      key,
      headers: { accept },
      body: { query },
    });
    await other.close();
    await stream.ended;
    expect(stream.text().endsWith('\r\n--graphql')).toBe(true);
  });

  it.each([
    [accept, 'parts'],
    ['multipart/mixed; boundary="graphql"; subscriptionSpec="1.0"', 'parts'],
    [`${accept}, text/event-stream`, 'events'],
    ['text/event-stream', 'events'],
    ['multipart/mixed; deferSpec=20220824, application/json', null],
    ['application/json; subscriptionSpec=1.0', null],
    ['*/*', null],
    [undefined, null],
  ])('are sent to a client that accepts %s as %s', (accepted, form) => {
    expect(chooseEventForm(accepted)).toBe(form);
  });

  it('are not sent for a query, which gets a normal answer', async () => {
    const { key } = await service.fixtures.portfolio();
    const headers = { accept };
    const body = { query: '{ viewer { environment } }' };
    const answer = await graphql.send('POST', '/graphql', { key, headers, body });
    expect(answer.body).toEqual({ data: { viewer: { environment: 'LIVE' } } });
    const wrong = await graphql.send('POST', '/graphql', {
      key,
      headers,
      body: { query: 'subscription { nothing }' },
    });
    expect([wrong.status, ...codesOf(wrong)]).toEqual([200, 'invalid_query']);
  });
});
