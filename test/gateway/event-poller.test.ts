import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AccessError } from '#core';
import { EventPoller } from '../../gateway/event-poller.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => vi.useRealTimers());

function createPoller() {
  const feed = {
    size: 1,
    poll: vi.fn(async () => undefined),
    checkKeys: vi.fn(async () => undefined),
  };
  const changes: string[] = [];
  const errors: unknown[] = [];
  const poller = new EventPoller(feed, {
    onChange: (state) => changes.push(state),
    onError: (error) => errors.push(error),
  });
  return { feed, changes, errors, poller };
}

it('polls again and again, until it is stopped', async () => {
  const { feed, poller } = createPoller();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(feed.poll).not.toHaveBeenCalled();
  poller.start();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(feed.poll.mock.calls.length).toBeGreaterThanOrEqual(10);
  expect(feed.checkKeys.mock.calls.length).toBeGreaterThanOrEqual(1);
  await poller.stop();
  const { length } = feed.poll.mock.calls;
  poller.wake();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(feed.poll).toHaveBeenCalledTimes(length);
});

it('polls at once after changes of its own process, those of a moment together', async () => {
  const { feed, poller } = createPoller();
  poller.start();
  for (let count = 0; count < 10; count += 1) poller.wake();
  await vi.advanceTimersByTimeAsync(20);
  expect(feed.poll).toHaveBeenCalledTimes(1);
  poller.wake();
  await vi.advanceTimersByTimeAsync(20);
  expect(feed.poll).toHaveBeenCalledTimes(2);
  await poller.stop();
});

it('polls once more when a change comes while it polls', async () => {
  const { feed, poller } = createPoller();
  const answer = Promise.withResolvers<undefined>();
  feed.poll.mockReturnValueOnce(answer.promise);
  poller.start();
  poller.wake();
  await vi.advanceTimersByTimeAsync(20);
  poller.wake();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(feed.poll).toHaveBeenCalledTimes(1);
  answer.resolve(undefined);
  await vi.advanceTimersByTimeAsync(20);
  expect(feed.poll).toHaveBeenCalledTimes(2);
  await poller.stop();
});

it('is not woken while nobody watches', async () => {
  const { feed, poller } = createPoller();
  feed.size = 0;
  poller.start();
  poller.wake();
  await vi.advanceTimersByTimeAsync(100);
  expect(feed.poll).not.toHaveBeenCalled();
  await poller.stop();
});

it('tells once that the feed is away and once that it is back, and asks more rarely meanwhile', async () => {
  const { feed, changes, poller } = createPoller();
  feed.poll.mockRejectedValue(new AccessError('service_unavailable'));
  poller.start();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(changes).toEqual(['away']);
  expect(feed.poll.mock.calls.length).toBeLessThan(20);
  poller.wake();
  feed.poll.mockResolvedValue(undefined);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(changes).toEqual(['away', 'back']);
  await poller.stop();
});

it('tells of a check of keys that fails otherwise than by an outage', async () => {
  const { feed, errors, poller } = createPoller();
  const failure = new TypeError('a mistake');
  feed.checkKeys.mockRejectedValueOnce(new AccessError('service_unavailable'));
  feed.checkKeys.mockRejectedValueOnce(failure);
  poller.start();
  await vi.advanceTimersByTimeAsync(6_000);
  expect(errors).toEqual([failure]);
  await poller.stop();
});
