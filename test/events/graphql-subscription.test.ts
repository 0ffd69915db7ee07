import { describe, expect, it } from 'vitest';
import { codesOf, serveGraphql } from '../graphql/support.ts';
import { openStream } from '../support/event-stream.ts';
import type { Json } from '../support/http-client.ts';

const { service, client: graphql } = await serveGraphql();

const fields = `{ id type createdAt reason actor { type id } receipt { id jws }
  accessRequest { id companyId status approvedScopes } }`;
const query = `subscription Changes($after: ID) { accessRequestChanged(after: $after) ${fields} }`;

const open = (key: string, body: object = { query }) =>
  openStream(`${service.url}/graphql`, { method: 'POST', key, body });

type Opened = Awaited<ReturnType<typeof open>>;

const changesOf = ({ events }: Opened): Json[] =>
  events.flatMap(({ event, data }) =>
    event === 'next' ? (JSON.parse(data).data.accessRequestChanged ?? []) : [],
  );

const isAbout = (text: string) => (event: { data: string }) => event.data.includes(text);

describe('the subscription accessRequestChanged', () => {
  it('reports changes as they happen', async () => {
    const made = await service.fixtures.portfolio();
    const stream = await open(made.key);
    expect(stream.response).toMatchObject({
      statusCode: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store, no-transform',
        'ratelimit-remaining': '5999',
      },
    });
    expect(stream.response.headers).not.toHaveProperty('content-encoding');
    const { id } = await service.fixtures.revoked(made);
    await stream.find(isAbout('REVOKED'));
    expect(changesOf(stream)).toMatchObject([
      { type: 'CREATED', actor: { type: 'INVESTOR' }, accessRequest: { id, status: 'PENDING' } },
      { type: 'APPROVED', actor: { type: 'OPERATOR', id: null }, reason: null },
      { type: 'REVOKED', reason: 'Enough.', accessRequest: { status: 'REVOKED' } },
    ]);
    expect(changesOf(stream).map(({ receipt }) => receipt)).toEqual(
      (await service.operator.listReceipts({ id })).items,
    );
    stream.leave();
    await expect.poll(() => service.eventFeed.size).toBe(0);
  });

  it('resumes after the client’s last event, also with GET', async () => {
    const made = await service.fixtures.portfolio();
    const first = await open(made.key);
    await service.fixtures.revoked(made);
    await first.find(isAbout('REVOKED'));
    first.leave();
    const [{ id: after }] = changesOf(first);
    const posted = await open(made.key, { query, variables: { after } });
    const parameters = new URLSearchParams({ query, variables: JSON.stringify({ after }) });
    const got = await openStream(`${service.url}/graphql?${parameters}`, { key: made.key });
    for (const stream of [posted, got]) {
      await stream.find(isAbout('REVOKED'));
      expect(changesOf(stream).map(({ type }) => type)).toEqual(['APPROVED', 'REVOKED']);
      stream.leave();
    }
  });

  it('ends with the reason when its key is revoked', async () => {
    const made = await service.fixtures.portfolio();
    const stream = await open(made.key);
    await service.operator.revokeApiKey({ id: made.keyId });
    await service.eventFeed.checkKeys();
    const last = await stream.find(isAbout('errors'));
    expect(JSON.parse(last.data).errors).toMatchObject([
      { extensions: { code: 'invalid_api_key', type: 'authentication_error' } },
    ]);
    await stream.find(({ event }) => event === 'complete');
    await stream.ended;
  });

  it.each([
    ['an unknown event', { query, variables: { after: 'evt_none' } }, 410, 'event_expired'],
    [
      'a read of company data',
      {
        query:
          'subscription { accessRequestChanged { accessRequest { company { sources { __typename } } } } }',
      },
      400,
      'invalid_query',
    ],
    [
      'a read of an access request’s history',
      {
        query:
          'subscription { accessRequestChanged { accessRequest { ...h } } } fragment h on AccessRequest { history { type } }',
      },
      400,
      'invalid_query',
    ],
    [
      'an argument with a wrong type',
      { query, variables: { after: [] } },
      400,
      'invalid_parameter',
    ],
  ])('is refused for %s', async (_name, body, status, code) => {
    const { key } = await service.fixtures.portfolio();
    const accept = 'text/event-stream, application/graphql-response+json';
    const answer = await graphql.send('POST', '/graphql', { key, body, headers: { accept } });
    expect([answer.status, ...codesOf(answer)]).toEqual([status, code]);
  });

  it('is refused if the client doesn’t accept an event stream, or in a batch', async () => {
    const { key } = await service.fixtures.portfolio();
    const alone = await graphql.send('POST', '/graphql', { key, body: { query } });
    expect([alone.status, ...codesOf(alone)]).toEqual([400, 'invalid_parameter']);
    const batch = await graphql.send('POST', '/graphql', {
      key,
      headers: { accept: 'text/event-stream' },
      body: [{ query }, { query: '{ viewer { environment } }' }],
    });
    const [refused, answered] = batch.body;
    expect(refused.errors[0].extensions.code).toBe('invalid_parameter');
    expect(answered.data.viewer.environment).toBe('LIVE');
    await expect.poll(() => service.eventFeed.size).toBe(0);
  });
});
