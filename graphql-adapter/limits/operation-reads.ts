import { type MetricHistory, operationCost } from '#core';
import type { KeyedSemaphore } from '#http';
import type { OperationLists } from '../serialized-lists/operation-lists.ts';
import type { Info, Presentation } from './presentation.ts';
import { neverSettles, type RequestBudget } from './request-budget.ts';
import type { RequestPoints } from './request-points.ts';

/** What the operations of one request share. */
interface RequestLimits {
  readonly keyId: string;
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
/** A refusal is thrown, and counted where it becomes data. */
const rowsOf = (data: unknown) => (Array.isArray(data) ? data.length : 1);

const lookUp: Kind = { group: 'reads', isCharged: false, countRows: none };
/** As many of them are read at a time as of single things. */
const shortList: Kind = { group: 'reads', isCharged: false, countRows: rowsOf };
const page: Kind = {
  group: 'pages',
  isCharged: false,
  countRows: (data) => (data as { readonly edges: readonly unknown[] }).edges.length,
};
const chargedPage: Kind = { ...page, isCharged: true };
/** Of rows of which a page may have many. */
const longPage: Kind = { ...page, group: 'lists' };
const gated: Kind = { group: 'reads', isCharged: true, countRows: rowsOf };
const gatedList: Kind = { group: 'pages', isCharged: true, countRows: rowsOf };
const gatedHistories: Kind = {
  group: 'pages',
  isCharged: true,
  countRows: (data) =>
    [data as MetricHistory | readonly MetricHistory[]]
      .flat()
      .reduce((sum, { values }) => sum + values.length, 0),
};
const mutation: Kind = { group: 'reads', isCharged: true, countRows: none };

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

  /** Looks one thing up, which is no row of a list and none of company data. */
  async find<Data>(info: Info, read: () => Promise<Data>): Promise<Data> {
    return this.#limits.presentation.presentOne(await this.#run(lookUp, read), info);
  }

  /** A page of a list, whose items are presented by the fields below it. */
  async page<Data extends { readonly edges: readonly unknown[] }>(
    info: Info,
    read: () => Promise<Data>,
  ): Promise<Data> {
    return this.#limits.presentation.presentOne(await this.#run(page, read), info);
  }

  /** The same of a list that can be as long as the caller makes it. */
  async chargedPage<Data extends { readonly edges: readonly unknown[] }>(
    info: Info,
    read: () => Promise<Data>,
  ): Promise<Data> {
    return this.#limits.presentation.presentOne(await this.#run(chargedPage, read), info);
  }

  async longPage<Data extends { readonly edges: readonly unknown[] }>(
    info: Info,
    read: () => Promise<Data>,
  ): Promise<Data> {
    return this.#limits.presentation.presentOne(await this.#run(longPage, read), info);
  }

  /** A list that is short by its nature, so that those of many things can be read together. */
  async shortList<Row>(info: Info, read: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
    return this.#lists.present(await this.#run(shortList, read), info);
  }

  /** Reads company data, whose lists are presented by the fields below it. */
  async gated<Data>(info: Info, read: () => Promise<Data>): Promise<Data> {
    return this.#limits.presentation.presentOne(await this.#run(gated, read), info);
  }

  /** One history or several, whose values are presented by the fields below them. */
  async gatedHistories<Data>(info: Info, read: () => Promise<Data>): Promise<Data> {
    return this.#limits.presentation.presentOne(await this.#run(gatedHistories, read), info);
  }

  async gatedList<Row>(info: Info, read: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
    return this.#lists.present(await this.#run(gatedList, read), info);
  }

  write<Data>(write: () => Promise<Data>): Promise<Data> {
    return this.#run(mutation, write);
  }

  async #run<Data>(
    { group, isCharged, countRows }: Kind,
    work: () => Promise<Data>,
  ): Promise<Data> {
    const { keyId, budget, presentation, atOnce } = this.#limits;
    if (!budget.takeRead()) return neverSettles();
    if (isCharged) await this.#takePoint();
    const done = await atOnce[group].within(keyId, async () => {
      await presentation.beginRead();
      if (budget.isEnded) return null;
      const data = await work();
      return budget.takeRows(countRows(data)) ? { data } : null;
    });
    return done === null ? neverSettles() : done.data;
  }

  #takePoint(): Promise<void> {
    const before = operationCost(this.#pointsTaken);
    this.#pointsTaken += 1;
    return this.#limits.points.owe(operationCost(this.#pointsTaken) - before);
  }
}
