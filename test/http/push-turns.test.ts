import { expect, onTestFinished, test, vi } from 'vitest';
import { DataLocked } from '#core';
import { inTurn } from '#http';

/** A push that finds its company's data locked until `unlock`. */
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

test('companies with locked data block no others, and are tried again', async () => {
  const locked = Array.from({ length: 4 }, aLockedPush);
  const waiting = locked.map(({ push }, index) => inTurn(`co_locked_${index}`, push));
  expect(await inTurn('co_free', async () => 'pushed')).toBe('pushed');
  expect(locked.map(({ attempts }) => attempts())).toEqual([1, 1, 1, 1]);
  for (const { unlock } of locked) unlock();
  expect(await Promise.all(waiting)).toEqual(['pushed', 'pushed', 'pushed', 'pushed']);
});

test('pushes of a company whose data stays locked share their patience', async () => {
  const pushes = [aLockedPush(), aLockedPush(), aLockedPush()];
  const refused = { status: 'rejected', reason: expect.any(DataLocked) };
  expect(await Promise.allSettled(pushes.map(({ push }) => inTurn('co_locked', push)))).toEqual([
    refused,
    refused,
    refused,
  ]);
  const attempts = pushes.map((push) => push.attempts());
  expect(Math.min(...attempts)).toBeGreaterThan(2);
  expect(Math.max(...attempts) - Math.min(...attempts)).toBeLessThanOrEqual(1);
});

test('a push that waited long behind others of its company is not refused at the first lock', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const first = Promise.withResolvers<void>();
  const { push, unlock, attempts } = aLockedPush();
  const pushing = [inTurn('co_long', () => first.promise), inTurn('co_long', push)];
  vi.advanceTimersByTime(60_000);
  first.resolve();
  await expect.poll(attempts).toBe(1);
  unlock();
  expect(await Promise.all(pushing)).toEqual([undefined, 'pushed']);
});

test('a company whose data was locked for long gets the full waiting time again', async () => {
  const refused = aLockedPush();
  await expect(inTurn('co_again', refused.push)).rejects.toThrow(DataLocked);
  const { push, unlock, attempts } = aLockedPush();
  const pushing = inTurn('co_again', push);
  await expect.poll(attempts).toBeGreaterThan(1);
  unlock();
  expect(await pushing).toBe('pushed');
});

test('pushes of one company run one after the other', async () => {
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const pushes = [
    inTurn('co_one', () => first.promise.then(() => order.push('first'))),
    inTurn('co_one', async () => order.push('second')),
  ];
  await inTurn('co_other', async () => order.push('other'));
  first.resolve();
  await Promise.all(pushes);
  expect(order).toEqual(['other', 'first', 'second']);
});
