import { expect, test } from 'vitest';
import { mostWaiting, Turns } from '../../db/archive/turns.ts';

const never = new Promise<never>(() => undefined);

test('work on a disk that hangs is given up, keeps its turn, and lets nobody wait for longer', async () => {
  const turns = new Turns(1, 20);
  const hanging = Promise.withResolvers<string>();
  let isTold = false;
  const first = turns.take((signal) => {
    signal.addEventListener('abort', () => {
      isTold = true;
    });
    return hanging.promise;
  });
  await expect(first).rejects.toThrow('the archive has not answered within 20 ms');
  expect(isTold).toBe(true);

  let isBegun = false;
  const second = turns.take(() => {
    isBegun = true;
    return never;
  });
  await expect(second).rejects.toThrow('has not answered');
  hanging.resolve('late');
  await hanging.promise;
  expect(await turns.take(async () => 'again')).toBe('again');
  expect(isBegun).toBe(false);
});

test('without a limit of time, work is waited for as long as it takes', async () => {
  const turns = new Turns(1, null);
  const slow = Promise.withResolvers<string>();
  const first = turns.take(() => slow.promise);
  slow.resolve('late');
  expect(await first).toBe('late');
  expect(await turns.take(async () => 'again')).toBe('again');
});

test('an error of the work is the error of the turn, and frees it', async () => {
  const turns = new Turns(1, 60_000);
  const failure = new Error('no such file');
  await expect(turns.take(() => Promise.reject(failure))).rejects.toBe(failure);
  expect(await turns.take(async () => 1)).toBe(1);
});

test('whoever has given up waits no longer, and when many wait the next one is refused at once', async () => {
  const turns = new Turns(1, 20);
  const first = Promise.withResolvers<void>();
  const patient = () => turns.take(() => first.promise);
  for (const _ of [1, 2]) {
    const given = Array.from({ length: mostWaiting + 1 }, patient);
    const waiting = Promise.allSettled(given);
    await expect(patient()).rejects.toThrow('wait for the archive already');
    expect((await waiting).slice(1).map(({ status }) => status)).toEqual(
      Array.from({ length: mostWaiting }, () => 'rejected'),
    );
  }
  first.resolve();
});
