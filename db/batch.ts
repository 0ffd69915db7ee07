import DataLoader from 'dataloader';
import { AccessError } from '#core';

export interface BatchLimits {
  /** Questions in one statement. */
  readonly size: number;
  /** Statements under way at a time. One or two let the rest wait together; more only make statements smaller. */
  readonly inFlight: number;
  /** How long a question waits for the statements before it. */
  readonly waitMilliseconds: number;
}

/**
 * Asks by many what is answered for one: all questions that wait go into one statement, and a question that finds
 * nothing under way waits for nothing but the end of the turn. Nothing is remembered, so an answer is never older than
 * its question.
 *
 * @param answer must answer in the order of the questions
 */
export function batched<Question, Answer>(
  answer: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  limits: BatchLimits,
): (question: Question) => Promise<Answer> {
  const line = new Line(limits);
  const loader = new DataLoader<Question, Answer>(
    async (questions) => {
      if (!line.isAdmitted) throw new AccessError('service_unavailable', { cause: overdue() });
      try {
        return await answer(questions);
      } finally {
        line.leave();
      }
    },
    { cache: false, maxBatchSize: limits.size, batchScheduleFn: (send) => line.enter(send) },
  );
  return (question) => loader.load(question);
}

function overdue(): Error {
  return new Error('the statements before this one took too long');
}

/** Lets batches go, so many at a time, in the order in which they came. */
class Line {
  readonly #limits: BatchLimits;
  readonly #waiting = new Map<() => void, NodeJS.Timeout>();
  #underWay = 0;
  /** Whether the batch that is being sent may go to the database. Holds only while it is sent. */
  isAdmitted = true;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  enter(send: () => void): void {
    if (this.#underWay < this.#limits.inFlight) {
      this.#underWay += 1;
      // Not at once: what is asked in the same turn of the event loop comes along.
      setImmediate(send);
      return;
    }
    const timer = setTimeout(() => this.#turnAway(send), this.#limits.waitMilliseconds);
    this.#waiting.set(send, timer);
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#underWay -= 1;
      return;
    }
    const [send, timer] = next;
    clearTimeout(timer);
    this.#waiting.delete(send);
    send();
  }

  #turnAway(send: () => void): void {
    this.#waiting.delete(send);
    this.isAdmitted = false;
    send();
    this.isAdmitted = true;
  }
}
