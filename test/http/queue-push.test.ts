import { expect, onTestFinished, test, vi } from 'vitest';
import { DataLocked } from '#core';
import { queuePush } from '#http';

/** The company's data is locked until `unlock` is called. */
function aLockedPush() {
  let isLocked = true;
  let attempts = 0;
  const push = async () => {
    attempts += 1;
    if (isLocked) throw new DataLocked();
    return 'pushed';
  };
  return { push, unlock: () => (isLocked = false), attempts: () => attempts };
}

test('a push to a locked company is tried again, while pushes to other companies don’t wait', async () => {
  const locked = Array.from({ length: 4 }, aLockedPush);
  const waiting = locked.map(({ push }, index) => queuePush(`co_locked_${index}`, push));
  expect(await queuePush('co_free', async () => 'pushed')).toBe('pushed');
  expect(locked.map(({ attempts }) => attempts())).toEqual([1, 1, 1, 1]);
  for (const { unlock } of locked) unlock();
  expect(await Promise.all(waiting)).toEqual(['pushed', 'pushed', 'pushed', 'pushed']);
});

test('pushes to a company that stays locked are tried in turns, and all fail in the end', async () => {
  const pushes = [aLockedPush(), aLockedPush(), aLockedPush()];
  const refused = { status: 'rejected', reason: expect.any(DataLocked) };
  expect(await Promise.allSettled(pushes.map(({ push }) => queuePush('co_locked', push)))).toEqual([
    refused,
    refused,
    refused,
  ]);
  const attempts = pushes.map((push) => push.attempts());
  expect(Math.min(...attempts)).toBeGreaterThan(2);
  expect(Math.max(...attempts) - Math.min(...attempts)).toBeLessThanOrEqual(1);
});

test('a push isn’t refused after its first attempt only because it had to wait for another push', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const first = Promise.withResolvers<void>();
  const { push, unlock, attempts } = aLockedPush();
  const pushing = [queuePush('co_long', () => first.promise), queuePush('co_long', push)];
  vi.advanceTimersByTime(60_000);
  first.resolve();
  await expect.poll(attempts).toBe(1);
  unlock();
  expect(await Promise.all(pushing)).toEqual([undefined, 'pushed']);
});

test('a push can wait for the full time again, even if the previous push to the company was refused', async () => {
  const refused = aLockedPush();
  await expect(queuePush('co_again', refused.push)).rejects.toThrow(DataLocked);
  const { push, unlock, attempts } = aLockedPush();
  const pushing = queuePush('co_again', push);
  await expect.poll(attempts).toBeGreaterThan(1);
  unlock();
  expect(await pushing).toBe('pushed');
});

test('pushes to one company run one after the other', async () => {
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const pushes = [
    queuePush('co_one', () => first.promise.then(() => order.push('first'))),
    queuePush('co_one', async () => order.push('second')),
  ];
  await queuePush('co_other', async () => order.push('other'));
  first.resolve();
  await Promise.all(pushes);
  expect(order).toEqual(['other', 'first', 'second']);
});
