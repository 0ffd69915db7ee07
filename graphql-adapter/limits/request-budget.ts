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
  /** The number of reads that a list will cause. They are counted before the first of these reads. */
  expectedReads: ['maxReads', describeTooManyReads],
  /** The number of rows. A refused read counts as one row. */
  rows: ['maxRows', (limit) => `The request reads more than ${limit} rows.`],
  /** The response has at least this size. It is counted before the response is written. */
  bytes: ['maxAnswerBytes', describeTooLong],
};

const nothingUsed: Readonly<Record<UseKind, number>> = {
  reads: 0,
  expectedReads: 0,
  rows: 0,
  bytes: 0,
};

/**
 * Counts the actual use of an HTTP request, because the estimate can be too low. All operations share the limits. Above
 * a limit, the whole request fails with one error. In a subscription, the limits apply to each result.
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

  reset(): void {
    this.#refusal = null;
    this.#used = { ...nothingUsed };
    this.#errors = 0;
  }

  end(refusal: CallerRefusal): void {
    this.#refusal ??= refusal;
  }

  /** @throws CallerRefusal if the HTTP request has exceeded a limit or failed */
  check(): void {
    if (this.#refusal !== null) throw this.#refusal;
  }

  /** @throws CallerRefusal if the HTTP request has exceeded a limit or failed */
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
    // Above the limit, too, an internal error is reported as such, because the caller's document didn't cause it.
    this.end(refusal.type === 'api_error' ? refusal : createTooManyErrors(maxErrors));
  }
}

/** Makes the operations of a batch wait until the total cost of the batch is checked. */
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

  /** Adds nothing if the operation won't run. Resolves when the costs of all operations are known. */
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
