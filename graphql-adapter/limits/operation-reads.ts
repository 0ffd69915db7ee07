import type { Info, Presentation } from '../serialized-lists/presentation.ts';
import type { OperationPoints } from './points.ts';
import { neverSettles, type RequestBudget } from './request-budget.ts';

/** Does a piece of work as soon as the key has room for it. */
type Within = <T>(work: () => Promise<T>) => Promise<T>;

/** How much one key reads at a time, in all its requests together. */
export interface ReadLimits {
  readonly reads: Within;
  /** Histories and other long lists: what goes beyond a bound shows before the next ones are read. */
  readonly lists: Within;
}

/** All reads and writes of one operation: each is counted, what is gated is charged, and then it is done. */
export class OperationReads {
  readonly #budget: RequestBudget;
  readonly #points: OperationPoints;
  readonly #presentation: Presentation;
  readonly #limits: ReadLimits;

  constructor(
    budget: RequestBudget,
    points: OperationPoints,
    presentation: Presentation,
    limits: ReadLimits,
  ) {
    this.#budget = budget;
    this.#points = points;
    this.#presentation = presentation;
    this.#limits = limits;
  }

  /** Looks one thing up, which is no row of a list and none of company data. */
  async find<Data>(info: Info, read: () => Promise<Data>): Promise<Data> {
    if (!this.#budget.takeRead()) return neverSettles();
    const data = await this.#do(this.#limits.reads, read, () => 0);
    return this.#presentation.presentOne(data, info);
  }

  async list<Row>(read: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
    if (!this.#budget.takeRead()) return neverSettles();
    return this.#do(this.#limits.lists, read, ({ length }) => length);
  }

  /** Reads company data, at the price of a point. A refusal is a row, too. */
  async gated<Data>(
    info: Info,
    read: () => Promise<Data>,
    count: (data: Data) => number,
  ): Promise<Data> {
    if (!this.#budget.takeRead()) return neverSettles();
    await this.#points.take();
    const data = await this.#do(this.#limits.reads, read, count);
    return this.#presentation.presentOne(data, info);
  }

  async gatedList<Row>(read: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
    if (!this.#budget.takeRead()) return neverSettles();
    await this.#points.take();
    return this.#do(this.#limits.lists, read, ({ length }) => length);
  }

  async write<Data>(write: () => Promise<Data>): Promise<Data> {
    if (!this.#budget.takeRead()) return neverSettles();
    await this.#points.take();
    return this.#do(this.#limits.reads, write, () => 0);
  }

  async #do<Data>(
    within: Within,
    work: () => Promise<Data>,
    count: (data: Data) => number,
  ): Promise<Data> {
    const done = await within(async () => {
      await this.#presentation.beginRead();
      if (this.#budget.isEnded) return null;
      const data = await work();
      return this.#budget.takeRows(count(data)) ? { data } : null;
    });
    return done === null ? neverSettles() : done.data;
  }
}
