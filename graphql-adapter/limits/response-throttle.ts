import type { GraphQLResolveInfo } from 'graphql';
import { type EventLoopThrottle, limits } from '#http';
import type { RequestBudget } from './request-budget.ts';
import { estimateSize } from './selection-size.ts';

export type Info = Pick<
  GraphQLResolveInfo,
  'fieldNodes' | 'fragments' | 'path' | 'returnType' | 'schema' | 'variableValues'
>;

const { perField } = limits.eventLoop;

/** A read takes about as much time as this number of fields. */
const fieldsPerRead = 5;

/** Shares the event loop with other callers while the response is built. Stops at the largest response size. */
export class ResponseThrottle {
  readonly #budget: RequestBudget;
  readonly #throttle: EventLoopThrottle;
  readonly #keyId: string;

  constructor(budget: RequestBudget, throttle: EventLoopThrottle, keyId: string) {
    this.#budget = budget;
    this.#throttle = throttle;
    this.#keyId = keyId;
  }

  /** Waits for a turn of the event loop that only the parsing and validation of this operation uses. */
  beginOperation(): Promise<void> {
    return this.#throttle.begin(this.#throttle.limitPerTurn, this.#keyId);
  }

  beginRead(): Promise<void> | undefined {
    return this.#begin(fieldsPerRead * perField);
  }

  /** @throws CallerRefusal if the request has ended */
  beginObject(info: Info): Promise<void> | undefined {
    const { fields, bytes } = estimateSize(info);
    this.#budget.use('bytes', bytes);
    return this.#begin(fields * perField);
  }

  /** @throws CallerRefusal if the request has ended */
  beginList<Item>(list: readonly Item[], info: Info): readonly Item[] | Promise<readonly Item[]> {
    const { fields, bytes, reads } = estimateSize(info);
    const { length } = list;
    this.#budget.use('expectedReads', reads * length);
    this.#budget.use('bytes', bytes * length);
    const work = fields * length * perField;
    // The executor accepts an async iterable as a list, but the types don't.
    if (work > this.#throttle.limitPerTurn)
      return this.#yieldInParts(list, fields) as AsyncIterable<Item> as unknown as readonly Item[];
    return this.#begin(work)?.then(() => (this.#budget.isEnded ? [] : list)) ?? list;
  }

  /**
   * Yields the items of a list that is too long for one turn of the event loop. Stops early if the request has ended.
   */
  async *#yieldInParts<Item>(list: readonly Item[], fields: number): AsyncGenerator<Item> {
    const length = Math.ceil(this.#throttle.limitPerTurn / 4 / (fields * perField));
    for (let start = 0; start < list.length && !this.#budget.isEnded; start += length) {
      await this.#begin(length * fields * perField);
      yield* list.slice(start, start + length);
    }
  }

  #begin(work: number): Promise<void> | undefined {
    return this.#throttle.beginNow(work) ? undefined : this.#throttle.begin(work, this.#keyId);
  }
}
