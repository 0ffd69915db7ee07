import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  type AnsweredBatch,
  type BatchLimits,
  type BatchObserver,
  batchQuestions,
} from '../../db/connections/batch.ts';

function createDesk(limits: Partial<BatchLimits> = {}) {
  const statements: { questions: readonly string[]; end: (error?: Error) => void }[] = [];
  const ask = batchQuestions(
    (questions: readonly string[]) =>
      new Promise<string[]>((resolve, reject) => {
        const answers = questions.map((question) => `${question}!`);
        const end = (error?: Error) => (error ? reject(error) : resolve(answers));
        statements.push({ questions, end });
      }),
    { size: 100, inFlight: 2, waitMilliseconds: 60_000, ...limits },
    'keys',
  );
  return {
    ask,
    asked: () => statements.map(({ questions }) => questions.join(' ')),
    async end(index: number, error?: Error) {
      statements[index]?.end(error);
      await nextTurn();
    },
  };
}

test('the batch sends a caller’s question at once if no statement is running', async () => {
  const desk = createDesk();
  const answer = desk.ask('a');
  await nextTurn();
  expect(desk.asked()).toEqual(['a']);
  await desk.end(0);
  expect(await answer).toBe('a!');
});

test('the batch sends all questions of one event loop turn in one statement', async () => {
  const desk = createDesk();
  const afterPromises = async (question: string) => {
    await null;
    await null;
    return desk.ask(question);
  };
  const afterTicks = async (question: string) => {
    await new Promise<void>((done) => process.nextTick(() => process.nextTick(done)));
    return desk.ask(question);
  };
  const answers = Promise.all([desk.ask('a'), afterTicks('b'), afterPromises('c'), desk.ask('d')]);
  await nextTurn();
  expect(desk.asked()).toEqual(['a d c b']);
  await desk.end(0);
  expect(await answers).toEqual(['a!', 'b!', 'c!', 'd!']);
});

test('the batch collects questions while the maximum number of statements is running', async () => {
  const desk = createDesk();
  const answers: Promise<string>[] = [];
  for (const question of ['a', 'b', 'c', 'd', 'e']) {
    answers.push(desk.ask(question));
    await nextTurn();
  }
  expect(desk.asked()).toEqual(['a', 'b']);
  await desk.end(1);
  expect(desk.asked()).toEqual(['a', 'b', 'c d e']);
  await desk.end(0);
  await desk.end(2);
  expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!']);
});

test('the batch sends a repeated question to the database again, because it caches no answers', async () => {
  const desk = createDesk();
  const first = desk.ask('a');
  await nextTurn();
  const second = desk.ask('a');
  await nextTurn();
  expect(desk.asked()).toEqual(['a', 'a']);
  await desk.end(0);
  await desk.end(1);
  expect(await Promise.all([first, second])).toEqual(['a!', 'a!']);
});

test('the batch sends at most the maximum number of questions in a statement', async () => {
  const desk = createDesk({ size: 2 });
  const answers = Promise.all(['a', 'b', 'c', 'd', 'e'].map(desk.ask));
  await nextTurn();
  expect(desk.asked()).toEqual(['a b', 'c d']);
  await desk.end(0);
  await desk.end(1);
  expect(desk.asked()).toEqual(['a b', 'c d', 'e']);
  await desk.end(2);
  expect(await answers).toHaveLength(5);
});

test('the batch rejects only the questions of a failed statement, and then sends the next questions', async () => {
  const desk = createDesk({ inFlight: 1 });
  const lost = desk.ask('a');
  await nextTurn();
  const next = desk.ask('b');
  const refused = expect(lost).rejects.toThrow('broken');
  await desk.end(0, new Error('broken'));
  await refused;
  expect(desk.asked()).toEqual(['a', 'b']);
  await desk.end(1);
  expect(await next).toBe('b!');
});

test('the batch rejects a question that has waited too long as unavailable, and never sends it', async () => {
  const desk = createDesk({ inFlight: 1, waitMilliseconds: 1 });
  const first = desk.ask('a');
  await nextTurn();
  await expect(desk.ask('b')).rejects.toMatchObject({ code: 'service_unavailable' });
  await desk.end(0);
  expect(await first).toBe('a!');
  const third = desk.ask('c');
  await nextTurn();
  expect(desk.asked()).toEqual(['a', 'c']);
  await desk.end(1);
  expect(await third).toBe('c!');
});

describe('the observer of a batch', () => {
  function createObserver() {
    const answered: AnsweredBatch[] = [];
    const overdue: object[] = [];
    let questions = 0;
    const observer: BatchObserver = {
      contextOfQuestion() {
        questions += 1;
        return questions;
      },
      onAnswered: (batch) => answered.push(batch),
      onOverdue: (batch) => overdue.push(batch),
    };
    return { observer, answered, overdue };
  }

  test('gets each answered batch, with one context per question', async () => {
    const { observer, answered } = createObserver();
    const desk = createDesk({ observer, inFlight: 1 });
    const first = desk.ask('a');
    await nextTurn();
    const others = Promise.all([desk.ask('b'), desk.ask('c')]);
    await desk.end(0);
    await desk.end(1);
    expect([await first, ...(await others)]).toEqual(['a!', 'b!', 'c!']);
    expect(answered).toMatchObject([
      { name: 'keys', size: 1, hasSucceeded: true, contexts: [1] },
      { name: 'keys', size: 2, hasSucceeded: true, contexts: [2, 3] },
    ]);
    for (const { queuedAt, sentAt, answeredAt } of answered) {
      expect([queuedAt, sentAt, answeredAt]).toEqual(
        [queuedAt, sentAt, answeredAt].toSorted((a, b) => a - b),
      );
    }
  });

  test('gets each batch that fails, and each batch whose questions waited too long', async () => {
    const { observer, answered, overdue } = createObserver();
    const desk = createDesk({ observer, inFlight: 1, waitMilliseconds: 1 });
    const failing = expect(desk.ask('a')).rejects.toThrow('away');
    await nextTurn();
    await expect(desk.ask('b')).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(overdue).toEqual([{ name: 'keys', size: 1 }]);
    await desk.end(0, new Error('away'));
    await failing;
    expect(answered).toMatchObject([{ size: 1, hasSucceeded: false }]);
  });
});
