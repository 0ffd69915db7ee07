import { expect, test, vi } from 'vitest';
import { AccessError, type FeedEvent } from '#core';
import { LiveChanges } from '../../desk/live-changes.ts';

const change = { done: false, value: 'event: change\ndata: {}\n\n' };
const ended = { done: false, value: 'event: ended\ndata: {}\n\n' };

function controlledEvents() {
  const { readable, writable } = new TransformStream<FeedEvent, FeedEvent>();
  const writer = writable.getWriter();
  const events = readable[Symbol.asyncIterator]() as AsyncIterator<FeedEvent, undefined>;
  return {
    events,
    next: vi.spyOn(events, 'next'),
    happen: () => writer.write({} as FeedEvent),
    end: () => writer.close(),
    fail: (error: unknown) => writer.abort(error),
  };
}

function aPage(readNewest: (() => Promise<string | null>) | null = null) {
  const { events, ...control } = controlledEvents();
  const end = vi.fn();
  const options = { events, newest: 'acc_1', readNewest, pollMilliseconds: 1, end };
  return {
    ...control,
    endOfEvents: end,
    changes: new LiveChanges({ ...options, isBehind: false }),
  };
}

test('an event during a search for new reads is reported with the found read, without a second search', async () => {
  const looks: PromiseWithResolvers<string | null>[] = [];
  const lookedFor = Promise.withResolvers<void>();
  const { changes, happen } = aPage(() => {
    const look = Promise.withResolvers<string | null>();
    looks.push(look);
    lookedFor.resolve();
    return look.promise;
  });
  await changes.read();
  const told = changes.read();
  await lookedFor.promise;
  await happen();
  expect(await told).toEqual(change);
  const next = changes.read();
  expect(looks).toHaveLength(1);
  looks[0]?.resolve('acc_2');
  expect(await next).toEqual(change);
  changes.cancel();
});

test('a search for new reads reports no change if it fails or finds none', async () => {
  let looks = 0;
  const { changes } = aPage(async () => {
    looks += 1;
    if (looks === 1) throw new AccessError('service_unavailable');
    return looks < 4 ? 'acc_1' : 'acc_2';
  });
  await changes.read();
  expect(await changes.read()).toEqual(change);
  expect(looks).toBe(4);
  changes.cancel();
});

test('the next event is read only after the page has received the last change', async () => {
  const { changes, happen, end, next } = aPage();
  await changes.read();
  const happened = Promise.all([happen(), happen(), end()]);
  await vi.waitFor(() => expect(next).toHaveBeenCalledOnce());
  expect(await changes.read()).toEqual(change);
  expect([await changes.read(), await changes.read()]).toEqual([change, ended]);
  expect(await changes.read()).toEqual({ done: true });
  await happened;
  expect(next).toHaveBeenCalledTimes(3);
});

test('a read isn’t reported if it is found after the events have ended', async () => {
  const look = Promise.withResolvers<string | null>();
  const looking = Promise.withResolvers<void>();
  const { changes, end } = aPage(() => {
    looking.resolve();
    return look.promise;
  });
  await changes.read();
  await looking.promise;
  await end();
  expect(await changes.read()).toEqual(ended);
  look.resolve('acc_2');
  await look.promise;
  expect(await changes.read()).toEqual({ done: true });
});

test('the stream of a page ends with a last message if the feed ends or is unavailable', async () => {
  for (const finish of ['end', 'fail'] as const) {
    const { changes, ...control } = aPage();
    await changes.read();
    const last = changes.read();
    await control[finish](new AccessError('service_unavailable'));
    expect([await last, await changes.read()]).toEqual([ended, { done: true }]);
  }
});

test('the stream of a page fails if the feed fails with an unexpected error', async () => {
  const { changes, fail } = aPage();
  await changes.read();
  const failure = new Error('away');
  await fail(failure);
  await expect(changes.read()).rejects.toBe(failure);
});

test('a closed page gets no further changes, and reads no further events', async () => {
  const { changes, endOfEvents } = aPage();
  await changes.read();
  const waiting = changes.read();
  changes.cancel();
  expect(await waiting).toEqual({ done: true });
  expect(endOfEvents).toHaveBeenCalledOnce();
});
