import { describe, expect, it } from 'vitest';
import { callOf } from '../parity/drivers/mcp.ts';
import { closedAfterAll } from '../support/closed.ts';
import { type OpenedStream, openStream } from '../support/event-stream.ts';
import { startService, type TestService } from '../support/service.ts';
import { readAnswer } from './support.ts';

const service = await closedAfterAll(
  startService({
    storage: { memory: true },
    environment: { STREAMS_MAX: '60' },
    bounds: { streamsPerOwner: 40 },
  }),
);

async function aRequest({ fixtures }: TestService = service) {
  const { key, company, keyId } = await fixtures.portfolio();
  return { key, keyId, ...(await fixtures.request(key, company.id)) };
}

const wait = ({ url }: TestService, key: string, id: string): Promise<OpenedStream> =>
  openStream(`${url}/mcp`, { method: 'POST', key, body: callOf('wait_for_decision', { id }) });

async function answerOf(stream: OpenedStream) {
  const { data } = await stream.find(({ event }) => event === 'message');
  return readAnswer(JSON.parse(data).result);
}

describe('an agent that waits for a decision', () => {
  it('gets the decision as one event, and is charged for one call', async () => {
    const { key, id } = await aRequest();
    const before = await service.get('/v1/companies', key);
    const stream = await wait(service, key, id);
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
    });
    const left = Number(before.headers['ratelimit-remaining']);
    expect(Number(stream.response.headers['ratelimit-remaining'])).toBe(left - 1);
    await service.operator.declineAccessRequest({ id, reason: 'Not now.' });
    expect((await answerOf(stream)).data).toMatchObject({
      isDecided: true,
      accessRequest: { status: 'declined', reason: 'Not now.' },
    });
    await stream.ended;
    expect(stream.events).toHaveLength(1);
    expect(Number((await service.get('/v1/companies', key)).headers['ratelimit-remaining'])).toBe(
      left - 2,
    );
  });

  it('can make other calls while forty of its calls wait, and each wait ends with its connection', async () => {
    const { key, id } = await aRequest();
    const streams: OpenedStream[] = [];
    for (let count = 0; count < 40; count += 1) streams.push(await wait(service, key, id));
    await expect.poll(() => service.eventFeed.size).toBe(40);
    const list = callOf('list_access_requests');
    const answer = await service.call('POST', '/mcp', { key, body: list });
    expect(readAnswer(answer.body.result).isError).toBe(false);
    const refused = await answerOf(await wait(service, key, id));
    expect([refused.isError, refused.data.error.code]).toEqual([true, 'service_unavailable']);
    for (const stream of streams) stream.leave();
    await expect.poll(() => service.eventFeed.size).toBe(0);
  });

  it('gets an error if its key is revoked', async () => {
    const { key, keyId, id } = await aRequest();
    const stream = await wait(service, key, id);
    await expect.poll(() => service.eventFeed.size).toBe(1);
    await service.operator.revokeApiKey({ id: keyId });
    await service.eventFeed.checkKeys();
    expect((await answerOf(stream)).data.error.code).toBe('invalid_api_key');
  });

  it('gets the access request, still pending, if the service stops', async () => {
    const own = await startService({ storage: { memory: true } });
    try {
      const { key, id } = await aRequest(own);
      const stream = await wait(own, key, id);
      await expect.poll(() => own.eventFeed.size).toBe(1);
      await own.close();
      expect((await answerOf(stream)).data).toMatchObject({
        isDecided: false,
        accessRequest: { id, status: 'pending' },
      });
      await stream.ended;
    } finally {
      await own.close();
    }
  });

  it('gets no response if its call is a notification', async () => {
    const { key, id } = await aRequest();
    const { id: _, ...notification } = callOf('wait_for_decision', { id });
    const stream = await openStream(`${service.url}/mcp`, {
      method: 'POST',
      key,
      body: notification,
    });
    await stream.ended;
    expect([stream.response.statusCode, stream.events]).toEqual([202, []]);
  });
});
