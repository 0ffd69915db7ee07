import type { GraphQLResolveInfo } from 'graphql';
import { type EventLoopThrottle, limits } from '#http';
import type { RequestBudget } from './request-budget.ts';
import { estimateSize } from './selection-size.ts';

export type Info = Pick<
  GraphQLResolveInfo,
  'fieldNodes' | 'fragments' | 'path' | 'returnType' | 'schema' | 'variableValues'
>;

const { perField } = limits.eventLoop;

/** The number of fields that take about as much time as one read. */
const fieldsPerRead = 5;

/** Lets other callers use the event loop while a response is built. Stops if the response becomes too large. */
export class ResponseThrottle {
  readonly #budget: RequestBudget;
  readonly #throttle: EventLoopThrottle;
  readonly #keyId: string;

  constructor(budget: RequestBudget, throttle: EventLoopThrottle, keyId: string) {
    this.#budget = budget;
    this.#throttle = throttle;
    this.#keyId = keyId;
  }

  /** Waits for a free turn of the event loop. Only the parsing and validation of this operation run in that turn. */
  beginOperation(): Promise<void> {
    return this.#throttle.begin(this.#throttle.limitPerTurn, this.#keyId);
  }

  beginRead(): Promise<void> | undefined {
    return this.#begin(fieldsPerRead * perField);
  }

  /** @throws CallerRefusal if the HTTP request has exceeded a limit */
  beginObject(info: Info): Promise<void> | undefined {
    const { fields, bytes } = estimateSize(info);
    this.#budget.use('bytes', bytes);
    return this.#begin(fields * perField);
  }

  /** @throws CallerRefusal if the HTTP request has exceeded a limit */
  beginList<Item>(list: readonly Item[], info: Info): readonly Item[] | Promise<readonly Item[]> {
    const { fields, bytes, reads } = estimateSize(info);
    const { length } = list;
    this.#budget.use('expectedReads', reads * length);
    this.#budget.use('bytes', bytes * length);
    const work = fields * length * perField;
    // At run time, the executor accepts an async iterable as a list. Only the types don't allow it.
    if (work > this.#throttle.limitPerTurn)
      return this.#yieldInParts(list, fields) as AsyncIterable<Item> as unknown as readonly Item[];
    return this.#begin(work)?.then(() => (this.#budget.isEnded ? [] : list)) ?? list;
  }

  /**
   * Yields the items of a list that is too long for one turn of the event loop. Stops if the HTTP request has ended.
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
