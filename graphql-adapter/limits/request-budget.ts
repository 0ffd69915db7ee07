import { type CallerRefusal, ProtocolError, refusalOf } from '#http';
import type { GraphqlBounds } from '../settings.ts';
import { addCosts, noCost, type OperationCost, refuseCostly } from './operation-cost.ts';

export const describeTooLong = (maxAnswerBytes: number): string =>
  `The answer would be longer than ${maxAnswerBytes} bytes.`;

type UseKind = 'reads' | 'expectedReads' | 'rows' | 'bytes';
type Explain = (limit: number) => string;

const describeTooManyReads: Explain = (limit) => `The request reads more than ${limit} times.`;

const bounds: Readonly<Record<UseKind, readonly [keyof GraphqlBounds, Explain]>> = {
  reads: ['maxReads', describeTooManyReads],
  /** The reads that a list will cause, counted before the first one. */
  expectedReads: ['maxReads', describeTooManyReads],
  /** A refusal counts as one row. */
  rows: ['maxRows', (limit) => `The request reads more than ${limit} rows.`],
  /** The minimum size of the response, counted before the response is written. */
  bytes: ['maxAnswerBytes', describeTooLong],
};

const nothingUsed: Readonly<Record<UseKind, number>> = {
  reads: 0,
  expectedReads: 0,
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
  #used = { ...nothingUsed };
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
  reset(): void {
    this.#refusal = null;
    this.#used = { ...nothingUsed };
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
  use(kind: UseKind, count: number): void {
    const used = this.#used[kind] + count;
    this.#used[kind] = used;
    const [name, explain] = bounds[kind];
    const limit = this.#bounds[name];
    if (used > limit) {
      const details = { allowed: { maximum: limit } };
      this.end(new ProtocolError('query_too_costly', { message: explain(limit), details }));
    }
    this.check();
  }

  countError(error: unknown): void {
    this.#errors += 1;
    const { maxErrors } = this.#bounds;
    if (this.#errors <= maxErrors) return;
    const refusal = refusalOf(error);
    // An internal error has priority, because the caller's document can't be its cause.
    this.end(refusal.type === 'api_error' ? refusal : createTooManyErrors(maxErrors));
  }
}

/** Keeps the operations of a batch waiting until the total cost of the batch is checked. */
export class Batch {
  readonly #budget: RequestBudget;
  readonly #bounds: GraphqlBounds;
  readonly #checked = Promise.withResolvers<void>();
  #missingCosts: number;
  #cost = noCost;

  constructor(operations: number, budget: RequestBudget, bounds: GraphqlBounds) {
    this.#missingCosts = operations;
    this.#budget = budget;
    this.#bounds = bounds;
  }

  /**
   * Adds the cost of an operation, or 0 if the operation doesn't run. Resolves when the cost of all operations is
   * known.
   */
  addCost(cost: OperationCost = noCost): Promise<void> {
    this.#cost = addCosts(this.#cost, cost);
    this.#missingCosts -= 1;
    if (this.#missingCosts === 0) {
      const refusal = refuseCostly(this.#cost, this.#bounds);
      if (refusal) this.#budget.end(refusal);
      this.#checked.resolve();
    }
    return this.#checked.promise;
  }
}

export function createTooManyErrors(maxErrors: number): ProtocolError {
  const message = `The response would contain more than ${maxErrors} errors.`;
  return new ProtocolError('query_too_costly', { message });
}
