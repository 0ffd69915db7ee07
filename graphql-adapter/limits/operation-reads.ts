import { getNullableType, isListType } from 'graphql';
import { AccessError, type MetricHistory, operationCost } from '#core';
import type { KeyedSemaphore } from '#http';
import { AccessRefusal, isRefusalCode } from '../access-refusal.ts';
import type { OperationLists } from '../serialized-lists/operation-lists.ts';
import type { ReadKind } from './field-cost.ts';
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
  /**
   * How much one key reads at a time, in all its requests together. Of long lists only a few: what goes beyond a bound
   * shows before the next ones are read.
   */
  readonly atOnce: Readonly<Record<'reads' | 'pages' | 'lists', KeyedSemaphore>>;
}

interface Kind {
  readonly group: keyof RequestLimits['atOnce'];
  /** Whether it costs a point. */
  readonly isCharged: boolean;
  readonly countRows: (data: unknown) => number;
}

const none = () => 0;
const rowsOf = (data: unknown) => (Array.isArray(data) ? data.length : 1);
const edgesOf = (data: unknown) => (data as { readonly edges: readonly unknown[] }).edges.length;
const valuesOf = (data: unknown) =>
  [data as MetricHistory | readonly MetricHistory[]]
    .flat()
    .reduce((sum, { values }) => sum + values.length, 0);

export const readKinds: Readonly<Record<ReadKind, Kind>> = {
  lookUp: { group: 'reads', isCharged: false, countRows: none },
  shortList: { group: 'reads', isCharged: false, countRows: rowsOf },
  page: { group: 'pages', isCharged: false, countRows: edgesOf },
  chargedPage: { group: 'pages', isCharged: true, countRows: edgesOf },
  longPage: { group: 'lists', isCharged: false, countRows: edgesOf },
  gated: { group: 'reads', isCharged: true, countRows: rowsOf },
  gatedList: { group: 'pages', isCharged: true, countRows: rowsOf },
  gatedHistories: { group: 'pages', isCharged: true, countRows: valuesOf },
  mutation: { group: 'reads', isCharged: true, countRows: none },
};

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
   * @throws Refusal also when the request has ended
   */
  async read(kind: ReadKind, info: Info, isResult: boolean, work: () => unknown): Promise<unknown> {
    const { keyId, budget, publicUrl, presentation, atOnce } = this.#limits;
    const { group, isCharged, countRows } = readKinds[kind];
    budget.takeRead();
    if (isCharged) await this.#takePoint();
    await atOnce[group].acquire(keyId);
    let data: unknown;
    try {
      budget.check();
      await presentation.beginRead();
      budget.check();
      data = await work();
      budget.takeRows(countRows(data));
    } catch (error) {
      if (!(isResult && error instanceof AccessError && isRefusalCode(error.code))) throw error;
      budget.takeRows(1);
      return new AccessRefusal(error.code, error, publicUrl);
    } finally {
      atOnce[group].release(keyId);
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
