import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { describe, expect, it, vi } from 'vitest';
import { chooseEventForm } from '../../graphql-adapter/media-type.ts';
import { codesOf, serveGraphql } from '../graphql/support.ts';
import { openStream } from '../support/event-stream.ts';

const { service, client: graphql } = await serveGraphql();

const query = `subscription Changes($after: ID) {
  accessRequestChanged(after: $after) { id type accessRequest { id status } }
}`;
const accept = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json';

it('Apollo Client in its default settings gets the reason if a subscription is refused or ended', async () => {
  const { key, keyId } = await service.fixtures.portfolio();
  const client = new ApolloClient({
    link: new HttpLink({
      uri: `${service.url}/graphql`,
      headers: { authorization: `Bearer ${key}` },
    }),
    cache: new InMemoryCache(),
  });
  const reasonOf = (variables = {}) =>
    new Promise<unknown>((resolve) => {
      client.subscribe({ query: gql(query), variables }).subscribe(({ error }) => {
        if (CombinedGraphQLErrors.is(error)) resolve(error.errors[0]?.extensions?.code);
      });
    });
  expect(await reasonOf({ after: 'evt_none' })).toBe('event_expired');
  const ended = reasonOf();
  await vi.waitFor(() => expect(service.eventFeed.size).toBe(1));
  await service.operator.revokeApiKey({ id: keyId });
  await service.eventFeed.checkKeys();
  expect(await ended).toBe('invalid_api_key');
});

describe('events in a multipart response, one part for each event', () => {
  it('begin with a heartbeat, and each event arrives complete', async () => {
    const { company, key } = await service.fixtures.portfolio();
    const stream = await openStream(`${service.url}/graphql`, {
      method: 'POST',
      key,
      headers: { accept },
      body: { query },
    });
    expect(stream.response).toMatchObject({
      statusCode: 200,
      headers: {
        'content-type': 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0',
        'cache-control': 'no-store, no-transform',
        'svc-last-event-id': expect.stringMatching(/^evt_/),
      },
    });
    expect(stream.response.headers).not.toHaveProperty('content-encoding');
    await service.fixtures.request(key, company.id);
    await expect.poll(() => stream.text()).toContain('CREATED');
    await nextTurn();
    const payload = /^\r\ncontent-type: application\/json\r\n\r\n\{"payload":\{"data":/;
    expect(stream.text().split('\r\n--graphql')).toEqual([
      '',
      '\r\ncontent-type: application/json\r\n\r\n{}',
      expect.stringMatching(payload),
      expect.stringMatching(payload),
      '',
    ]);
    stream.leave();
    await expect.poll(() => service.eventFeed.size).toBe(0);
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
  ])(
    'have this form for a client with the Accept header %s (null: the client gets no events): %s',
    (accepted, form) => {
      expect(chooseEventForm(accepted)).toBe(form);
    },
  );

  it('are not sent for a query, which gets a normal response', async () => {
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
