import type { GraphQLResolveInfo } from 'graphql';
import type { EventLoopThrottle } from '#http';
import { neverSettles, type RequestBudget } from './request-budget.ts';
import { estimateSize } from './selection-size.ts';

export type Info = Pick<
  GraphQLResolveInfo,
  'fieldNodes' | 'fragments' | 'path' | 'returnType' | 'schema' | 'variableValues'
>;

/** A read takes the process about as long as so many fields of an answer. */
const fieldsPerRead = 5;

/**
 * Lets the data of a request go on into its answer: as much in a turn of the event loop as leaves room for other
 * callers, and not more than the answer may hold.
 */
export class Presentation {
  readonly #budget: RequestBudget;
  readonly #work: EventLoopThrottle;
  readonly #keyId: string;

  constructor(budget: RequestBudget, work: EventLoopThrottle, keyId: string) {
    this.#budget = budget;
    this.#work = work;
    this.#keyId = keyId;
  }

  /** An operation of a batch is parsed and validated in a turn of its own, which may take as long as its fields do. */
  beginOperation(): Promise<void> {
    return this.#work.begin(this.#work.most, this.#keyId);
  }

  /** Resolves when there is room for one more read in this turn, also when the request has ended meanwhile. */
  beginRead(): Promise<void> | undefined {
    if (this.#work.beginNow(fieldsPerRead)) return undefined;
    return this.#work.begin(fieldsPerRead, this.#keyId);
  }

  async presentOne<Data>(data: Data, info: Info): Promise<Data> {
    const { fields, bytes } = estimateSize(info);
    if (!this.#budget.takeBytes(bytes)) return neverSettles();
    if (!this.#work.beginNow(fields)) await this.#begin(fields);
    return data;
  }

  presentList<Item>(list: readonly Item[], info: Info): readonly Item[] | Promise<readonly Item[]> {
    const { fields, bytes, reads } = estimateSize(info);
    const { length } = list;
    if (!this.#budget.foreseeReads(reads * length) || !this.#budget.takeBytes(bytes * length))
      return neverSettles();
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
    await this.#work.begin(work, this.#keyId);
    if (this.#budget.isEnded) await neverSettles();
  }
}
