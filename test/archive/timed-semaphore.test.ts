import { expect, test } from 'vitest';
import { maxWaiting, TimedSemaphore } from '../../db/archive/timed-semaphore.ts';

const never = new Promise<never>(() => undefined);

test('work on a disk that hangs is given up, keeps its permit, and lets nobody wait for longer', async () => {
  const semaphore = new TimedSemaphore(1, 20);
  const hanging = Promise.withResolvers<string>();
  let isTold = false;
  const first = semaphore.take((signal) => {
    signal.addEventListener('abort', () => {
      isTold = true;
    });
    return hanging.promise;
  });
  await expect(first).rejects.toThrow('the archive has not answered within 20 ms');
  expect(isTold).toBe(true);

  let isBegun = false;
  const second = semaphore.take(() => {
    isBegun = true;
    return never;
  });
  await expect(second).rejects.toThrow('has not answered');
  hanging.resolve('late');
  await hanging.promise;
  expect(await semaphore.take(async () => 'again')).toBe('again');
  expect(isBegun).toBe(false);
});

test('without a limit of time, work is waited for as long as it takes', async () => {
  const semaphore = new TimedSemaphore(1, null);
  const slow = Promise.withResolvers<string>();
  const first = semaphore.take(() => slow.promise);
  slow.resolve('late');
  expect(await first).toBe('late');
  expect(await semaphore.take(async () => 'again')).toBe('again');
});

test('an error of the work is the error that the caller sees, and its permit is free again', async () => {
  const semaphore = new TimedSemaphore(1, 60_000);
  const failure = new Error('no such file');
  await expect(semaphore.take(() => Promise.reject(failure))).rejects.toBe(failure);
  expect(await semaphore.take(async () => 1)).toBe(1);
});

test('whoever has given up waits no longer, and when many wait the next one is refused at once', async () => {
  const semaphore = new TimedSemaphore(1, 20);
  const first = Promise.withResolvers<void>();
  const patient = () => semaphore.take(() => first.promise);
  for (const _ of [1, 2]) {
    const given = Array.from({ length: maxWaiting + 1 }, patient);
    const waiting = Promise.allSettled(given);
    await expect(patient()).rejects.toThrow('wait for the archive already');
    expect((await waiting).slice(1).map(({ status }) => status)).toEqual(
      Array.from({ length: maxWaiting }, () => 'rejected'),
    );
  }
  first.resolve();
});
