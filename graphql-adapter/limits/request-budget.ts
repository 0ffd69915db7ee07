import { ProtocolError, type Refusal, refusalOf } from '#http';
import type { GraphqlBounds } from '../settings.ts';
import type { OperationCost } from './operation-cost.ts';

/** What a part of a request that has ended goes on with: it waits for ever, and is forgotten together with its request. */
export const neverSettles = (): Promise<never> => new Promise(() => undefined);

/**
 * What one request may still do, all its operations together. What a document asks for is estimated before it runs; how
 * much there is only the data tells. The first thing beyond a bound ends the whole request with one error.
 */
export class RequestBudget {
  readonly #bounds: GraphqlBounds;
  readonly #ending = Promise.withResolvers<never>();
  #isEnded = false;
  #reads = 0;
  #foreseen = 0;
  #rows = 0;
  #bytes = 0;
  #errors = 0;

  constructor(bounds: GraphqlBounds) {
    this.#bounds = bounds;
    this.#ending.promise.catch(() => undefined);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Rejects with what ends the request before its operations are done. */
  get ending(): Promise<never> {
    return this.#ending.promise;
  }

  end(refusal: Refusal): void {
    this.#isEnded = true;
    this.#ending.reject(refusal);
  }

  /** Like the others below: whether the request may go on. When it may not, it has ended. */
  takeRead(): boolean {
    this.#reads += 1;
    return this.#checkReads(this.#reads);
  }

  /** Reads that a list is known to lead to, before the first of them is made. */
  foreseeReads(count: number): boolean {
    this.#foreseen += count;
    return this.#checkReads(this.#foreseen);
  }

  /** A refusal counts as a row. */
  takeRows(count: number): boolean {
    this.#rows += count;
    const { maxRows } = this.#bounds;
    return this.#within(this.#rows, maxRows, `The request reads more than ${maxRows} rows.`);
  }

  /** Counts what the answer will hold at least, before it is made. */
  takeBytes(count: number): boolean {
    this.#bytes += count;
    const { maxAnswerBytes } = this.#bounds;
    return this.#within(this.#bytes, maxAnswerBytes, tooLong(maxAnswerBytes));
  }

  /** Throws the error of one field on, into the answer, unless there are too many of them. */
  fail(error: unknown): Promise<never> {
    if (this.#isEnded) return neverSettles();
    this.#errors += 1;
    const { maxErrors } = this.#bounds;
    if (this.#errors <= maxErrors) throw error;
    const refusal = refusalOf(error);
    // What is broken on our side is no fault of the document.
    this.end(refusal.type === 'api_error' ? refusal : tooManyErrors(maxErrors));
    return neverSettles();
  }

  #checkReads(reads: number): boolean {
    const { maxReads } = this.#bounds;
    return this.#within(reads, maxReads, `The request reads more than ${maxReads} times.`);
  }

  #within(taken: number, bound: number, message: string): boolean {
    if (taken > bound) this.end(new ProtocolError('query_too_costly', { message }));
    return !this.#isEnded;
  }
}

/** What an operation, or all those of a batch together, are estimated to cost. */
export function refuseCostly(
  { values, reads, mutations }: OperationCost,
  { maxCost, maxReads, maxMutations }: GraphqlBounds,
): ProtocolError | null {
  const refuse = (message: string) => new ProtocolError('query_too_costly', { message });
  if (values > maxCost)
    return refuse(`The request asks for about ${values} values; at most ${maxCost} are allowed.`);
  if (mutations > maxMutations)
    return refuse(`The request holds ${mutations} mutations; at most ${maxMutations} are allowed.`);
  if (reads > maxReads)
    return refuse(`The request asks for about ${reads} reads; at most ${maxReads} are allowed.`);
  return null;
}

export function tooManyErrors(maxErrors: number): ProtocolError {
  const message = `The answer would hold more than ${maxErrors} errors.`;
  return new ProtocolError('query_too_costly', { message });
}

export const tooLong = (maxAnswerBytes: number): string =>
  `The answer would be longer than ${maxAnswerBytes} bytes.`;
