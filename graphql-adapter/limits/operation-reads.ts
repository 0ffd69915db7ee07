import { getNullableType, isListType } from 'graphql';
import { AccessError, operationCost } from '#core';
import type { KeyedSemaphore } from '#http';
import { AccessRefusal, isRefusalCode } from '../access-refusal.ts';
import type { OperationLists } from '../serialized-lists/operation-lists.ts';
import { type ReadKind, readKinds } from './field-cost.ts';
import type { RequestBudget } from './request-budget.ts';
import type { RequestPoints } from './request-points.ts';
import type { Info, ResponseThrottle } from './response-throttle.ts';

interface RequestLimits {
  readonly keyId: string;
  readonly publicUrl: string;
  readonly budget: RequestBudget;
  readonly points: RequestPoints;
  readonly responseThrottle: ResponseThrottle;
  /**
   * Limits the pages that an API key reads at the same time. Further pages wait. If the HTTP request ends meanwhile,
   * waiting pages are never read.
   */
  readonly pages: KeyedSemaphore;
}

export class OperationReads {
  readonly #limits: RequestLimits;
  readonly #lists: OperationLists;
  /** The points of the reads so far. The HTTP request itself has already paid for the first read. */
  #chargedReads = 0;

  constructor(limits: RequestLimits, lists: OperationLists) {
    this.#limits = limits;
    this.#lists = lists;
  }

  get points(): number {
    return operationCost(this.#chargedReads);
  }

  /**
   * Reads the data, and then waits until the response has room for the data.
   *
   * @param isResult true if the field returns a refused read as a result, not as an error
   * @throws CallerRefusal if the read is refused or the HTTP request has ended
   */
  async read(kind: ReadKind, info: Info, isResult: boolean, work: () => unknown): Promise<unknown> {
    const { keyId, budget, publicUrl, responseThrottle, pages } = this.#limits;
    const { pageWeight, isCharged, countRows } = readKinds[kind];
    budget.use('reads', 1);
    if (isCharged) await this.#chargeRead();
    if (pageWeight > 0) await pages.acquire(keyId, pageWeight);
    let data: unknown;
    try {
      budget.check();
      await responseThrottle.beginRead();
      budget.check();
      data = await work();
      budget.use('rows', countRows(data));
    } catch (error) {
      if (!(isResult && error instanceof AccessError && isRefusalCode(error.code))) throw error;
      budget.use('rows', 1);
      return new AccessRefusal(error.code, error, publicUrl);
    } finally {
      if (pageWeight > 0) pages.release(keyId, pageWeight);
    }
    if (Array.isArray(data) && isListType(getNullableType(info.returnType)))
      return this.#lists.present(data, info);
    await responseThrottle.beginObject(info);
    budget.check();
    return data;
  }

  #chargeRead(): Promise<void> {
    const before = operationCost(this.#chargedReads);
    this.#chargedReads += 1;
    return this.#limits.points.charge(operationCost(this.#chargedReads) - before);
  }
}
