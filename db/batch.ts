import DataLoader from 'dataloader';
import { AccessError } from '#core';

export interface BatchLimits {
  /** How many questions one statement answers at most. */
  readonly size: number;
  /** How many statements are under way at a time. More than one or two only make each of them smaller. */
  readonly inFlight: number;
  /** How long a question waits for the statements before it. */
  readonly waitMilliseconds: number;
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
): (question: Question) => Promise<Answer> {
  const queue = new BatchQueue(limits);
  const loader = new DataLoader<Question, Answer>(
    async (questions) => {
      if (queue.isOverdue) throw new AccessError('service_unavailable', { cause: overdue() });
      try {
        return await answer(questions);
      } finally {
        queue.next();
      }
    },
    { cache: false, maxBatchSize: limits.size, batchScheduleFn: (send) => queue.add(send) },
  );
  return (question) => loader.load(question);
}

function overdue(): Error {
  return new Error('the statements before this one took too long');
}

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
