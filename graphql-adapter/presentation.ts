import type { GraphQLResolveInfo } from 'graphql';
import type { WorkPerTurn } from '#http';
import { never, type RequestBudget } from './request-budget.ts';
import { widthOf } from './width.ts';

export type Info = Pick<
  GraphQLResolveInfo,
  'fieldNodes' | 'fragments' | 'path' | 'returnType' | 'schema'
>;

/** A read takes the process about as long as so many fields of an answer. */
const fieldsPerRead = 5;

/**
 * Lets the data of a request go on into its answer: as much in a turn of the event loop as leaves room for other
 * callers, and not more than the answer may hold.
 */
export class Presentation {
  readonly #budget: RequestBudget;
  readonly #work: WorkPerTurn;

  constructor(budget: RequestBudget, work: WorkPerTurn) {
    this.#budget = budget;
    this.#work = work;
  }

  /** Resolves when there is room for one more read in this turn, also when the request has ended meanwhile. */
  beginRead(): Promise<void> | undefined {
    return this.#work.beginNow(fieldsPerRead) ? undefined : this.#work.begin(fieldsPerRead);
  }

  async presentOne<Data>(data: Data, info: Info): Promise<Data> {
    const { fields, bytes } = widthOf(info);
    if (!this.#budget.takeBytes(bytes)) return never();
    if (!this.#work.beginNow(fields)) await this.#begin(fields);
    return data;
  }

  presentList<Item>(list: readonly Item[], info: Info): Presented<Item> {
    const { fields, bytes, reads } = widthOf(info);
    const { length } = list;
    if (!this.#budget.foreseeReads(reads * length) || !this.#budget.takeBytes(bytes * length))
      return never();
    const work = fields * length;
    // The executor takes a list bit by bit wherever it takes one, which the types of the schema do not know.
    if (work > this.#work.most)
      return this.#inParts(list, fields) as AsyncIterable<Item> as unknown as readonly Item[];
    return this.#work.beginNow(work) ? list : this.#begin(work).then(() => list);
  }

  /** A list that is too long for one turn. */
  async *#inParts<Item>(list: readonly Item[], fields: number): AsyncGenerator<Item> {
    const length = Math.ceil(this.#work.most / 4 / fields);
    for (let start = 0; start < list.length; start += length) {
      await this.#begin(length * fields);
      yield* list.slice(start, start + length);
    }
  }

  async #begin(work: number): Promise<void> {
    await this.#work.begin(work);
    if (this.#budget.isEnded) await never();
  }
}

/** A list to go on with, now or later. */
export type Presented<Item> = readonly Item[] | Promise<readonly Item[]>;
