import { getNullableType, isListType } from 'graphql';
import { AccessError, operationCost } from '#core';
import type { KeyedSemaphore } from '#http';
import { AccessRefusal, isRefusalCode } from '../access-refusal.ts';
import type { OperationLists } from '../serialized-lists/operation-lists.ts';
import { type ReadKind, readKinds } from './field-cost.ts';
import type { Info, Presentation } from './presentation.ts';
import type { RequestBudget } from './request-budget.ts';
import type { RequestPoints } from './request-points.ts';

/** What the operations of one request share. */
interface RequestLimits {
  readonly keyId: string;
  readonly publicUrl: string;
  readonly budget: RequestBudget;
  readonly points: RequestPoints;
  readonly presentation: Presentation;
  /** Bounds the pages that one key reads at a time, so that a bound of the request shows before the next are read. */
  readonly pages: KeyedSemaphore;
}

/** All reads and writes of one operation: each is counted, some are charged, and then it is done. */
export class OperationReads {
  readonly #limits: RequestLimits;
  readonly #lists: OperationLists;
  /** The first point was charged as the request came in. */
  #pointsTaken = 0;

  constructor(limits: RequestLimits, lists: OperationLists) {
    this.#limits = limits;
    this.#lists = lists;
  }

  /** What the operation has come to so far. */
  get points(): number {
    return operationCost(this.#pointsTaken);
  }

  /**
   * Reads, and lets the data go on into the answer; the lists in it are presented by the fields below.
   *
   * @param isResult whether a refusal of the gate is an answer: whatever else goes wrong stays an error
   * @throws CallerRefusal also when the request has ended
   */
  async read(kind: ReadKind, info: Info, isResult: boolean, work: () => unknown): Promise<unknown> {
    const { keyId, budget, publicUrl, presentation, pages } = this.#limits;
    const { pageWeight, isCharged, countRows } = readKinds[kind];
    budget.take('reads', 1);
    if (isCharged) await this.#takePoint();
    if (pageWeight > 0) await pages.acquire(keyId, pageWeight);
    let data: unknown;
    try {
      budget.check();
      await presentation.beginRead();
      budget.check();
      data = await work();
      budget.take('rows', countRows(data));
    } catch (error) {
      if (!(isResult && error instanceof AccessError && isRefusalCode(error.code))) throw error;
      budget.take('rows', 1);
      return new AccessRefusal(error.code, error, publicUrl);
    } finally {
      if (pageWeight > 0) pages.release(keyId, pageWeight);
    }
    if (Array.isArray(data) && isListType(getNullableType(info.returnType)))
      return this.#lists.present(data, info);
    await presentation.beginOne(info);
    budget.check();
    return data;
  }

  #takePoint(): Promise<void> {
    const before = operationCost(this.#pointsTaken);
    this.#pointsTaken += 1;
    return this.#limits.points.owe(operationCost(this.#pointsTaken) - before);
  }
}
