import { describe, expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { type OpenedStream, openStream } from '../support/event-stream.ts';
import type { Portfolio } from '../support/fixtures.ts';
import { startService } from '../support/service.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));

interface Side {
  readonly path: string;
  readonly key: string;
  revoke(): Promise<unknown>;
  suspend(): Promise<unknown>;
}

async function sideOf(name: string, made: Portfolio): Promise<Side> {
  if (name === 'the investor') {
    const revoke = () => service.operator.revokeApiKey({ id: made.keyId });
    const suspend = () => service.operator.suspendInvestor({ id: made.investor.id });
    return { path: '/v1/events', key: made.key, revoke, suspend };
  }
  const { secret, key } = await service.operator.createCompanyKey({ companyId: made.company.id });
  const revoke = () => service.operator.revokeCompanyKey({ id: key.id });
  const suspend = () => service.operator.suspendCompany({ id: made.company.id });
  return { path: '/company/v1/events', key: secret, revoke, suspend };
}

const open = ({ path, key }: Side, after?: string, headers = {}): Promise<OpenedStream> =>
  openStream(`${service.url}${path}${after === undefined ? '' : `?after=${after}`}`, {
    key,
    headers,
  });

const typesOf = ({ events }: OpenedStream) => events.map(({ event }) => event);

describe.each(['the investor', 'the company'])('the events of %s as a stream', (name) => {
  it('are the same as in the feed, each with its ID and its type', async () => {
    const made = await service.fixtures.portfolio();
    const side = await sideOf(name, made);
    const stream = await open(side);
    expect(stream.response).toMatchObject({
      statusCode: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
        'svc-request-id': expect.stringMatching(/^req_/),
        'ratelimit-remaining': '5999',
      },
    });
    await service.fixtures.revoked(made);
    await stream.find(({ event }) => event === 'access_request.revoked');
    const { data: items } = (await service.get(side.path, side.key)).body;
    expect(stream.events.map(({ data }) => JSON.parse(data))).toEqual(items);
    expect(stream.events.map(({ id }) => id)).toEqual(items.map(({ id }: { id: string }) => id));
    expect(typesOf(stream)).toEqual(items.map(({ type }: { type: string }) => type));
    expect(stream.text()).toMatch(/^retry: \d+\nid: evt_start\n\n/);
    stream.leave();
    await expect.poll(() => service.eventFeed.size).toBe(0);
  });

  it('resume after the event in the URL, or after a newer one in the last-event-id header', async () => {
    const made = await service.fixtures.portfolio();
    await service.fixtures.revoked(made);
    const side = await sideOf(name, made);
    const { data } = (await service.get(side.path, side.key)).body;
    const [first, second] = data.map(({ id }: { id: string }) => id);
    const one = await open(side, first);
    const other = await open(side, first, { 'last-event-id': second });
    for (const stream of [one, other]) {
      await stream.find(({ event }) => event === 'access_request.revoked');
      stream.leave();
    }
    expect(typesOf(one)).toEqual(['access_request.approved', 'access_request.revoked']);
    expect(typesOf(other)).toEqual(['access_request.revoked']);
  });

  it.each(['revoke', 'suspend'] as const)(
    'end with the reason when the key is revoked (%s)',
    async (act) => {
      const made = await service.fixtures.portfolio();
      const side = await sideOf(name, made);
      const stream = await open(side);
      await side[act]();
      await service.eventFeed.checkKeys();
      const { data, id } = await stream.find(({ event }) => event === 'error');
      expect(id).toBeUndefined();
      expect(JSON.parse(data)).toMatchObject({
        error: { code: 'invalid_api_key', request_id: stream.response.headers['svc-request-id'] },
      });
      await stream.ended;
      expect(service.eventFeed.size).toBe(0);
    },
  );

  it('are refused before the stream begins if the event, a parameter or the key is invalid', async () => {
    const side = await sideOf(name, await service.fixtures.portfolio());
    const accept = { accept: 'text/event-stream' };
    const ask = { key: side.key, headers: accept };
    const answers = [
      await service.call('GET', `${side.path}?after=evt_none`, ask),
      await service.call('GET', `${side.path}?limit=1`, ask),
      await service.call('GET', side.path, { headers: accept }),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [410, 'event_expired'],
      [400, 'invalid_parameter'],
      [401, 'missing_api_key'],
    ]);
  });
});

it.each([
  ['*/*', 'application/json'],
  ['application/json, text/event-stream;q=0.5', 'application/json'],
  ['text/event-stream, application/json;q=0.5', 'text/event-stream'],
])('a client that accepts %s gets %s', async (accept, expected) => {
  const { key } = await service.fixtures.portfolio();
  const stream = await openStream(`${service.url}/v1/events`, { key, headers: { accept } });
  expect(stream.response.headers['content-type']).toContain(expected);
  stream.leave();
});

it('a HEAD request opens no stream', async () => {
  const { key } = await service.fixtures.portfolio();
  await expect.poll(() => service.eventFeed.size).toBe(0);
  const answer = await service.call('HEAD', '/v1/events', {
    key,
    headers: { accept: 'text/event-stream' },
  });
  expect(answer.status).toBe(200);
  expect(service.eventFeed.size).toBe(0);
});
