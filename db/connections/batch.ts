import DataLoader from 'dataloader';
import { AccessError } from '#core';

export interface BatchLimits {
  readonly size: number;
  /** The number of statements that may run at once. More than two don't help, because each batch only gets smaller. */
  readonly inFlight: number;
  /** The longest time that a question waits for earlier statements to finish. */
  readonly waitMilliseconds: number;
  readonly observer?: BatchObserver | undefined;
}

export const batchNames = [
  'keys',
  'access_facts',
  'access_records',
  'company_data',
  'other',
] as const;

export type BatchName = (typeof batchNames)[number];

export interface AnsweredBatch {
  readonly name: BatchName;
  readonly size: number;
  /** All times are from `performance.now()`. `queuedAt` is the time of the batch's first question. */
  readonly queuedAt: number;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly hasSucceeded: boolean;
  readonly contexts: readonly unknown[];
}

/** The observer's methods must not throw. */
export interface BatchObserver {
  /** Returns a context for a new question. `onAnswered` gets the contexts of all questions in the batch. */
  contextOfQuestion(): unknown;
  onAnswered(batch: AnsweredBatch): void;
  /** Called for a batch that waited too long and was not sent. */
  onOverdue(batch: Pick<AnsweredBatch, 'name' | 'size'>): void;
}

/**
 * Answers questions in batches. A question is one lookup in the database. DataLoader collects the questions, and a
 * BatchQueue limits the number of batches that run at once. Answers aren't cached, so an answer is never older than its
 * question.
 *
 * @param answer must return the answers in the order of the questions
 */
export function batchQuestions<Question, Answer>(
  answer: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  limits: BatchLimits,
  name: BatchName = 'other',
): (question: Question) => Promise<Answer> {
  const { observer } = limits;
  const queue = new BatchQueue(limits);
  const loader = new DataLoader<QueuedQuestion<Question>, Answer>(
    async (questions) => {
      if (queue.isOverdue) {
        observer?.onOverdue({ name, size: questions.length });
        const cause = new Error('the statements before this one took too long');
        throw new AccessError('service_unavailable', { cause });
      }
      const sentAt = performance.now();
      let hasSucceeded = false;
      try {
        const answers = await answer(questions.map(({ question }) => question));
        hasSucceeded = true;
        return answers;
      } finally {
        observer?.onAnswered({
          name,
          size: questions.length,
          queuedAt: questions[0]?.queuedAt ?? sentAt,
          sentAt,
          answeredAt: performance.now(),
          hasSucceeded,
          contexts: questions.map(({ context }) => context),
        });
        queue.next();
      }
    },
    { cache: false, maxBatchSize: limits.size, batchScheduleFn: (send) => queue.add(send) },
  );
  return (question) =>
    loader.load({ question, queuedAt: performance.now(), context: observer?.contextOfQuestion() });
}

interface QueuedQuestion<Question> {
  readonly question: Question;
  readonly queuedAt: number;
  readonly context: unknown;
}

/** Runs a separate statement per question. At most two run at once, so that other work gets connections. */
export const queueQuestions = <Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
  limits: BatchLimits,
): ((question: Question) => Promise<Answer>) =>
  batchQuestions((questions: readonly Question[]) => Promise.all(questions.map(answer)), {
    ...limits,
    size: 1,
    inFlight: 2,
  });

/** Sends batches in order, and limits the number of batches that run at once. DataLoader alone has no such limit. */
class BatchQueue {
  readonly #limits: BatchLimits;
  readonly #waiting = new Map<() => void, NodeJS.Timeout>();
  #inFlight = 0;
  /** True only while the queue refuses a batch that has waited too long. */
  isOverdue = false;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  add(send: () => void): void {
    if (this.#inFlight < this.#limits.inFlight) {
      this.#inFlight += 1;
      // Sends the batch only after pending callbacks have run, because these callbacks can add questions to the batch.
      setImmediate(send);
      return;
    }
    const timer = setTimeout(() => this.#refuse(send), this.#limits.waitMilliseconds);
    this.#waiting.set(send, timer);
  }

  /** Must be called when a batch has been answered. */
  next(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#inFlight -= 1;
      return;
    }
    const [send, timer] = first;
    clearTimeout(timer);
    this.#waiting.delete(send);
    send();
  }

  #refuse(send: () => void): void {
    this.#waiting.delete(send);
    this.isOverdue = true;
    send();
    this.isOverdue = false;
  }
}
