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
  /** The reads that a list will cause, counted before the first one. */
  foreseenReads: ['maxReads', tooManyReads],
  /** A refusal counts as one row. */
  rows: ['maxRows', (most) => `The request reads more than ${most} rows.`],
  /** The minimum size of the response, counted before the response is written. */
  bytes: ['maxAnswerBytes', tooLong],
};

const nothingTaken: Readonly<Record<Counted, number>> = {
  reads: 0,
  foreseenReads: 0,
  rows: 0,
  bytes: 0,
};

/**
 * Counts what a request really uses, because the estimate before the request can be too low. All operations of the
 * request share the limits. If a limit is exceeded, the whole request fails with one error, and no results are sent.
 * Each result of a subscription has the full limits.
 */
export class RequestBudget {
  readonly #bounds: GraphqlBounds;
  #refusal: CallerRefusal | null = null;
  #taken = { ...nothingTaken };
  #errors = 0;

  constructor(bounds: GraphqlBounds) {
    this.#bounds = bounds;
  }

  get refusal(): CallerRefusal | null {
    return this.#refusal;
  }

  get isEnded(): boolean {
    return this.#refusal !== null;
  }

  /** Restores the full limits for the next result of a subscription. */
  renew(): void {
    this.#refusal = null;
    this.#taken = { ...nothingTaken };
    this.#errors = 0;
  }

  end(refusal: CallerRefusal): void {
    this.#refusal ??= refusal;
  }

  /** @throws CallerRefusal if the request has ended */
  check(): void {
    if (this.#refusal !== null) throw this.#refusal;
  }

  /** @throws CallerRefusal if the request has ended */
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

  takeError(error: unknown): void {
    this.#errors += 1;
    const { maxErrors } = this.#bounds;
    if (this.#errors <= maxErrors) return;
    const refusal = refusalOf(error);
    // An internal error has priority, because the caller's document can't be its cause.
    this.end(refusal.type === 'api_error' ? refusal : tooManyErrors(maxErrors));
  }
}

/** Keeps the operations of a batch waiting until the total cost of the batch is checked. */
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

  /**
   * Adds the cost of an operation, or 0 if the operation doesn't run. Resolves when the cost of all operations is
   * known.
   */
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
  const message = `The response would contain more than ${maxErrors} errors.`;
  return new ProtocolError('query_too_costly', { message });
}
