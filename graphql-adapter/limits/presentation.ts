import type { GraphQLResolveInfo } from 'graphql';
import { type EventLoopThrottle, limits } from '#http';
import type { RequestBudget } from './request-budget.ts';
import { estimateSize } from './selection-size.ts';

export type Info = Pick<
  GraphQLResolveInfo,
  'fieldNodes' | 'fragments' | 'path' | 'returnType' | 'schema' | 'variableValues'
>;

const { perField } = limits.eventLoop;

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

  /** Resolves when there is room for one more read in this turn, as the next does for one more thing. */
  beginRead(): Promise<void> | undefined {
    return this.#begin(fieldsPerRead * perField);
  }

  /** @throws CallerRefusal when the request has ended */
  beginOne(info: Info): Promise<void> | undefined {
    const { fields, bytes } = estimateSize(info);
    this.#budget.take('bytes', bytes);
    return this.#begin(fields * perField);
  }

  /** @throws CallerRefusal when the request has ended */
  presentList<Item>(list: readonly Item[], info: Info): readonly Item[] | Promise<readonly Item[]> {
    const { fields, bytes, reads } = estimateSize(info);
    const { length } = list;
    this.#budget.take('foreseenReads', reads * length);
    this.#budget.take('bytes', bytes * length);
    const work = fields * length * perField;
    // The executor takes a list bit by bit wherever it takes one, which the types of the schema do not know.
    if (work > this.#work.most)
      return this.#inParts(list, fields) as AsyncIterable<Item> as unknown as readonly Item[];
    return this.#begin(work)?.then(() => (this.#budget.isEnded ? [] : list)) ?? list;
  }

  /** A list that is too long for one turn. It ends early together with its request. */
  async *#inParts<Item>(list: readonly Item[], fields: number): AsyncGenerator<Item> {
    const length = Math.ceil(this.#work.most / 4 / (fields * perField));
    for (let start = 0; start < list.length && !this.#budget.isEnded; start += length) {
      await this.#begin(length * fields * perField);
      yield* list.slice(start, start + length);
    }
  }

  #begin(work: number): Promise<void> | undefined {
    return this.#work.beginNow(work) ? undefined : this.#work.begin(work, this.#keyId);
  }
}
