import DataLoader from 'dataloader';
import { AccessError } from '#core';

export interface BatchLimits {
  /** How many questions one statement answers at most. */
  readonly size: number;
  /** How many statements are under way at a time. More than one or two only make each of them smaller. */
  readonly inFlight: number;
  /** How long a question waits for the statements before it. */
  readonly waitMilliseconds: number;
  readonly observer?: BatchObserver | undefined;
}

/** What the questions of a batch are about. */
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
  /** By the clock of `performance.now()`: when the first question came, when the batch left, when it was answered. */
  readonly askedAt: number;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly succeeded: boolean;
  /** For each question what the observer gave with it. */
  readonly contexts: readonly unknown[];
}

/** Is told of batches; nothing that it does may fail, or change what is answered. */
export interface BatchObserver {
  /** What is kept with a question until its batch is answered. */
  contextOfQuestion(): unknown;
  answered(batch: AnsweredBatch): void;
  /** The batch has waited for so long that it was not sent at all. */
  overdue(batch: Pick<AnsweredBatch, 'name' | 'size'>): void;
}

/**
 * Asks by batches what is answered for one: DataLoader gathers the questions, a BatchQueue lets the batches go. Without
 * a statement under way, a question waits for the end of the turn only; otherwise, with all others, for the statement to
 * end. Nothing is cached, so an answer is never older than its question.
 *
 * @param answer must answer in the order of the questions
 */
export function batched<Question, Answer>(
  answer: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  limits: BatchLimits,
  name: BatchName = 'other',
): (question: Question) => Promise<Answer> {
  const { observer } = limits;
  const queue = new BatchQueue(limits);
  const loader = new DataLoader<Asked<Question>, Answer>(
    async (asked) => {
      if (queue.isOverdue) {
        observer?.overdue({ name, size: asked.length });
        const cause = new Error('the statements before this one took too long');
        throw new AccessError('service_unavailable', { cause });
      }
      const sentAt = performance.now();
      let succeeded = false;
      try {
        const answers = await answer(asked.map(({ question }) => question));
        succeeded = true;
        return answers;
      } finally {
        observer?.answered({
          name,
          size: asked.length,
          askedAt: asked[0]?.at ?? sentAt,
          sentAt,
          answeredAt: performance.now(),
          succeeded,
          contexts: asked.map(({ context }) => context),
        });
        queue.next();
      }
    },
    { cache: false, maxBatchSize: limits.size, batchScheduleFn: (send) => queue.add(send) },
  );
  return (question) =>
    loader.load({ question, at: performance.now(), context: observer?.contextOfQuestion() });
}

/** A question with when it was asked, and what the observer gave with it. */
interface Asked<Question> {
  readonly question: Question;
  readonly at: number;
  readonly context: unknown;
}

/** Answers each question by a statement of its own, only a few at a time, so that they do not take all connections. */
export const inTurn = <Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
  limits: BatchLimits,
): ((question: Question) => Promise<Answer>) =>
  batched((asked: readonly Question[]) => Promise.all(asked.map(answer)), {
    ...limits,
    size: 1,
    inFlight: 2,
  });

/** Sends batches in their order, so many at a time. DataLoader alone would send each at the end of its turn. */
class BatchQueue {
  readonly #limits: BatchLimits;
  readonly #waiting = new Map<() => void, NodeJS.Timeout>();
  #inFlight = 0;
  /** Whether the batch that is being sent has waited too long to be asked. */
  isOverdue = false;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  add(send: () => void): void {
    if (this.#inFlight < this.#limits.inFlight) {
      this.#inFlight += 1;
      // At the end of the turn of the event loop, so that all questions of the turn come along.
      setImmediate(send);
      return;
    }
    const timer = setTimeout(() => this.#refuse(send), this.#limits.waitMilliseconds);
    this.#waiting.set(send, timer);
  }

  /** To be called when a batch has been answered. */
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
