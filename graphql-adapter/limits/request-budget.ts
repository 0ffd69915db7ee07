import { type CallerRefusal, ProtocolError, refusalOf } from '#http';
import type { GraphqlBounds } from '../settings.ts';
import { add, nothing, type OperationCost, refuseCostly } from './operation-cost.ts';

export const tooLong = (maxAnswerBytes: number): string =>
  `The answer would be longer than ${maxAnswerBytes} bytes.`;

type Counted = 'reads' | 'foreseenReads' | 'rows' | 'bytes';
type Explain = (most: number) => string;

const tooManyReads: Explain = (most) => `The request reads more than ${most} times.`;

const bounds: Readonly<Record<Counted, readonly [keyof GraphqlBounds, Explain]>> = {
  reads: ['maxReads', tooManyReads],
  /** Those that a list is known to lead to, before the first of them is made. */
  foreseenReads: ['maxReads', tooManyReads],
  /** A refusal counts as one. */
  rows: ['maxRows', (most) => `The request reads more than ${most} rows.`],
  /** What the answer will hold at least, before it is made. */
  bytes: ['maxAnswerBytes', tooLong],
};

/**
 * What one request may still do, all its operations together. What a document asks for is estimated before it runs; how
 * much there is only the data tells. The first thing beyond a bound ends the whole request with one error: what is left
 * of its operations then finds nothing more to do, and whatever they come to is not sent.
 */
export class RequestBudget {
  readonly #bounds: GraphqlBounds;
  #refusal: CallerRefusal | null = null;
  readonly #taken = { reads: 0, foreseenReads: 0, rows: 0, bytes: 0 };
  #errors = 0;

  constructor(bounds: GraphqlBounds) {
    this.#bounds = bounds;
  }

  /** What has ended the request before its operations are done. */
  get refusal(): CallerRefusal | null {
    return this.#refusal;
  }

  get isEnded(): boolean {
    return this.#refusal !== null;
  }

  end(refusal: CallerRefusal): void {
    this.#refusal ??= refusal;
  }

  /** @throws CallerRefusal when the request has ended, as `take` does */
  check(): void {
    if (this.#refusal !== null) throw this.#refusal;
  }

  /** Counts something before it goes on. */
  take(counted: Counted, count: number): void {
    const taken = this.#taken[counted] + count;
    this.#taken[counted] = taken;
    const [name, explain] = bounds[counted];
    const most = this.#bounds[name];
    if (taken > most) {
      const details = { allowed: { maximum: most } };
      this.end(new ProtocolError('query_too_costly', { message: explain(most), details }));
    }
    this.check();
  }

  /** Counts the error of one field, which stands in the answer unless there are too many of them. */
  takeError(error: unknown): void {
    this.#errors += 1;
    const { maxErrors } = this.#bounds;
    if (this.#errors <= maxErrors) return;
    const refusal = refusalOf(error);
    // What is broken on our side is no fault of the document.
    this.end(refusal.type === 'api_error' ? refusal : tooManyErrors(maxErrors));
  }
}

/** Holds the operations of a batch back until all of them are measured: what they cost together is checked first. */
export class Batch {
  readonly #budget: RequestBudget;
  readonly #bounds: GraphqlBounds;
  readonly #checked = Promise.withResolvers<void>();
  #unmeasured: number;
  #cost = nothing;

  constructor(operations: number, budget: RequestBudget, bounds: GraphqlBounds) {
    this.#unmeasured = operations;
    this.#budget = budget;
    this.#bounds = bounds;
  }

  /** Resolves when all are measured, whether they may run or not. For one that is not run the cost is nothing. */
  measured(cost: OperationCost = nothing): Promise<void> {
    this.#cost = add(this.#cost, cost);
    this.#unmeasured -= 1;
    if (this.#unmeasured === 0) {
      const refusal = refuseCostly(this.#cost, this.#bounds);
      if (refusal) this.#budget.end(refusal);
      this.#checked.resolve();
    }
    return this.#checked.promise;
  }
}

export function tooManyErrors(maxErrors: number): ProtocolError {
  const message = `The answer would hold more than ${maxErrors} errors.`;
  return new ProtocolError('query_too_costly', { message });
}
