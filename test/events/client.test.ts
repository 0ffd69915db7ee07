import { describe, expect, it } from 'vitest';
import {
  type AccessRequestChange,
  createPortfolioAccessClient,
  isPortfolioAccessError,
  type Retry,
} from '../../client/index.ts';
import { closedAfterAll } from '../support/closed.ts';
import { startService } from '../support/service.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));
const { hostname: host, port } = new URL(service.url);
const proxy = await closedAfterAll(startTcpProxy({ host, port: Number(port) }));

/** Watches an investor's changes through the proxy until the returned `unsubscribe` is called. */
function watch(apiKey: string | (() => string), input?: { lastEventId?: string; nothing?: never }) {
  const retries: Retry[] = [];
  const url = `http://127.0.0.1:${proxy.port}`;
  const onRetry = (retry: Retry) => {
    retries.push(retry);
    look();
  };
  const client = createPortfolioAccessClient({ url, apiKey, onRetry });
  const changes: AccessRequestChange[] = [];
  const waiting = new Set<() => void>();
  const seen = { starts: 0 };
  const failed = Promise.withResolvers<Error>();
  const look = () => {
    for (const check of waiting) check();
  };
  const { unsubscribe } = client.accessRequests.onChange.subscribe(input, {
    onStarted() {
      seen.starts += 1;
      look();
    },
    onData({ data }) {
      if (data.type !== 'stream.started') changes.push(data);
      look();
    },
    onError: failed.resolve,
  });
  const until = (isReached: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!isReached()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return { changes, retries, seen, until, unsubscribe, failed: failed.promise };
}

function manyWatches(apiKey: () => string) {
  const client = createPortfolioAccessClient({ url: service.url, apiKey });
  return {
    client,
    subscribe() {
      let starts = 0;
      let look = () => {};
      const failed = Promise.withResolvers<never>();
      const { unsubscribe } = client.accessRequests.onChange.subscribe(undefined, {
        onStarted() {
          starts += 1;
          look();
        },
        onData: () => undefined,
        onError: failed.reject,
      });
      const started = (count: number) => {
        const reached = new Promise<void>((resolve) => {
          look = () => (starts >= count ? resolve() : undefined);
          look();
        });
        return Promise.race([reached, failed.promise]);
      };
      return { started, unsubscribe };
    },
  };
}

async function eventIds(key: string): Promise<string[]> {
  const { body } = await service.get('/v1/events?limit=1000', key);
  return body.data.map(({ id }: { id: string }) => id);
}

describe('the client', () => {
  it('reconnects after each loss of the connection, without gaps and duplicates', async () => {
    const made = await service.fixtures.portfolio();
    const watched = watch(made.key);
    await watched.until(() => watched.seen.starts === 1);
    for (let cut = 1; cut <= 6; cut += 1) {
      await service.fixtures.revoked(made);
      // In half of the rounds, some changes arrive before the connection is cut.
      if (cut % 2 === 0) await watched.until(() => watched.changes.length > 0);
      proxy.cut();
      await service.fixtures.revoked(made);
      proxy.open();
      await watched.until(() => watched.seen.starts > cut);
    }
    const all = await eventIds(made.key);
    await watched.until(() => watched.changes.length >= all.length);
    expect(watched.changes.map(({ id }) => id)).toEqual(all);
    expect(watched.changes[1]).toMatchObject({
      type: 'access_request.approved',
      accessRequest: { status: 'approved' },
      actor: { type: 'operator', id: null },
    });
    watched.unsubscribe();
    await expect.poll(() => service.eventFeed.size).toBe(0);
  });

  it('sends only changes after the given event', async () => {
    const made = await service.fixtures.portfolio();
    await service.fixtures.revoked(made);
    const [first = '', ...others] = await eventIds(made.key);
    const watched = watch(made.key, { lastEventId: first });
    await watched.until(() => watched.changes.length === 2);
    expect(watched.changes.map(({ id }) => id)).toEqual(others);
    watched.unsubscribe();
  });

  it.each([
    ['an unknown event', { lastEventId: 'evt_none' }, 'event_expired'],
    ['an input that is wrong', { nothing: 1 as never }, 'invalid_parameter'],
  ])('ends with an error for %s', async (_name, input, code) => {
    const { key } = await service.fixtures.portfolio();
    const error = await watch(key, input).failed;
    expect(isPortfolioAccessError(error) && error.data.code).toBe(code);
  });

  it('ends if its key is revoked, both during a subscription and at the next subscription', async () => {
    const made = await service.fixtures.portfolio();
    const watched = watch(made.key);
    await watched.until(() => watched.seen.starts === 1);
    await expect.poll(() => service.eventFeed.size).toBe(1);
    await service.operator.revokeApiKey({ id: made.keyId });
    await service.eventFeed.checkKeys();
    for (const error of [await watched.failed, await watch(made.key).failed])
      expect(isPortfolioAccessError(error) && error.data.code).toBe('invalid_api_key');
  });

  it('continues without a gap with the next key from its key function if the first key is revoked', async () => {
    const made = await service.fixtures.portfolio();
    const other = await service.fixtures.key(made.investor);
    let current = made.key;
    const watched = watch(() => current);
    await watched.until(() => watched.seen.starts === 1);
    current = other.key;
    await service.operator.revokeApiKey({ id: made.keyId });
    await service.eventFeed.checkKeys();
    await watched.until(() => watched.seen.starts === 2);
    await service.fixtures.revoked({ ...made, key: current });
    await watched.until(() => watched.changes.length === 3);
    watched.unsubscribe();
  });

  it('continues with a new key that another call has got from the key function', async () => {
    const made = await service.fixtures.portfolio();
    const other = await service.fixtures.key(made.investor);
    let current = made.key;
    const { client, subscribe } = manyWatches(() => current);
    const [first, second] = [subscribe(), subscribe()];
    await Promise.all([first.started(1), second.started(1)]);
    current = other.key;
    await service.operator.revokeApiKey({ id: made.keyId });
    expect(await client.apiKey.get.query()).toMatchObject({ id: other.keyId });
    await service.eventFeed.checkKeys();
    await Promise.all([first.started(2), second.started(2)]);
    for (const each of [first, second]) each.unsubscribe();
  });

  it('ends if the next key from its key function is refused, too', async () => {
    const { key, keyId } = await service.fixtures.portfolio();
    let count = 0;
    const watched = watch(() => (count++ === 0 ? key : `svc_sk_live_other${count}`));
    await watched.until(() => watched.seen.starts === 1);
    await service.operator.revokeApiKey({ id: keyId });
    await service.eventFeed.checkKeys();
    expect(isPortfolioAccessError(await watched.failed)).toBe(true);
    expect(count).toBeLessThan(6);
  });

  it('waits and reconnects if the service is unreachable or unavailable', async () => {
    const made = await service.fixtures.portfolio();
    proxy.cut();
    const watched = watch(made.key);
    await watched.until(() => watched.retries.length === 2);
    proxy.open();
    await watched.until(() => watched.seen.starts === 1);
    watched.unsubscribe();
    const path = 'accessRequests.onChange';
    const reason = {
      message: expect.stringContaining(`cannot reach http://127.0.0.1:${proxy.port}: `),
    };
    expect(watched.retries.slice(0, 2)).toMatchObject([
      { path, attempt: 1, reason },
      { path, attempt: 2, reason },
    ]);
    for (const { delay } of watched.retries) expect(delay).toBeGreaterThanOrEqual(250);
  });
});
