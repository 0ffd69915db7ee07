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
