import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { OneAtATime } from '../../../../core/use-cases/feed/one-at-a-time.ts';
import { SharedQuestions } from '../../../../core/use-cases/feed/shared-questions.ts';

test('work of one key goes on after work that failed, and another key does not wait', async () => {
  const work = new OneAtATime();
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const failing = work.run('a', async () => {
    await first.promise;
    throw new Error('broken');
  });
  const second = work.run('a', async () => log.push('a'));
  await work.run('b', async () => log.push('b'));
  first.resolve();
  await expect(failing).rejects.toThrow('broken');
  await second;
  expect(log).toEqual(['b', 'a']);
});

test('work that comes while other work of its key goes on waits for it, whatever has ended before', async () => {
  const work = new OneAtATime();
  const log: string[] = [];
  const held = Promise.withResolvers<void>();
  const first = work.run('a', async () => log.push('first'));
  const second = work.run('a', async () => {
    await held.promise;
    log.push('second');
  });
  await first;
  await setImmediate();
  const third = work.run('a', async () => log.push('third'));
  await setImmediate();
  held.resolve();
  await Promise.all([second, third]);
  expect(log).toEqual(['first', 'second', 'third']);
});

test('who asks while a question is under way gets the answer of the next one, which waits for it', async () => {
  const questions = new SharedQuestions<number>();
  const held = Promise.withResolvers<void>();
  let asked = 0;
  const ask = () =>
    questions.ask('a', async () => {
      asked += 1;
      const number = asked;
      await held.promise;
      return number;
    });
  const first = ask();
  await setImmediate();
  const later = [ask(), ask()];
  await setImmediate();
  expect(asked).toBe(1);
  held.resolve();
  expect(await Promise.all([first, ...later])).toEqual([1, 2, 2]);
});

test('a question that fails is told to all who asked it, and is asked anew for the next', async () => {
  const questions = new SharedQuestions<number>();
  let asked = 0;
  const ask = () =>
    questions.ask('a', async () => {
      asked += 1;
      if (asked === 1) throw new Error('broken');
      return asked;
    });
  const answers = await Promise.allSettled([ask(), ask()]);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await ask()).toBe(2);
});
