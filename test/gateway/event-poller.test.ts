import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { AccessError } from '#core';
import { startEventPoller } from '../../gateway/event-poller.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => vi.useRealTimers());

async function aPoller() {
  const feed = {
    poll: vi.fn(async () => undefined),
    checkKeys: vi.fn(async () => undefined),
  };
  const changes: string[] = [];
  const errors: unknown[] = [];
  const poller = startEventPoller(feed, {
    onRead: () => changes.at(-1) === 'read' || changes.push('read'),
    onOutage: () => changes.push('away'),
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => poller.stop());
  await vi.advanceTimersByTimeAsync(0);
  return { feed, changes, errors, poller };
}

it('the poller reads the feed and checks keys until it is stopped', async () => {
  const { feed, poller } = await aPoller();
  await vi.advanceTimersByTimeAsync(5_100);
  expect(feed.poll).toHaveBeenCalledTimes(13);
  expect(feed.checkKeys).toHaveBeenCalledTimes(2);
  poller.wake();
  await poller.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(feed.poll).toHaveBeenCalledTimes(13);
});

it('the poller reads the feed soon after a change in its process, but once for several quick changes', async () => {
  const { feed, poller } = await aPoller();
  for (let count = 0; count < 10; count += 1) poller.wake();
  await vi.advanceTimersByTimeAsync(20);
  expect(feed.poll).toHaveBeenCalledTimes(2);
  poller.wake();
  await vi.advanceTimersByTimeAsync(20);
  expect(feed.poll).toHaveBeenCalledTimes(3);
});

it('the poller reports an outage of the feed once, reads less often meanwhile, and reports the end', async () => {
  const { feed, changes, poller } = await aPoller();
  feed.poll.mockRejectedValue(new AccessError('service_unavailable'));
  await vi.advanceTimersByTimeAsync(30_000);
  poller.wake();
  await vi.advanceTimersByTimeAsync(20);
  expect(changes).toEqual(['read', 'away']);
  expect(feed.poll.mock.calls.length).toBeLessThan(20);
  feed.poll.mockResolvedValue(undefined);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(changes).toEqual(['read', 'away', 'read']);
});

it('the poller reports a failed check of keys unless the database is down', async () => {
  const { feed, errors } = await aPoller();
  const failure = new TypeError('a mistake');
  feed.checkKeys.mockRejectedValueOnce(new AccessError('service_unavailable'));
  feed.checkKeys.mockRejectedValueOnce(failure);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(errors).toEqual([failure]);
});
