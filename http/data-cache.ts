import { LRUCache } from 'lru-cache';
import type { Reading } from '#core';
import { historyLane, type SlowLane } from './limits/index.ts';

export interface Sized<Value> {
  readonly value: Value;
  readonly bytes: number;
  /** The size before compression. Absent if the value isn't compressed. */
  readonly madeBytes?: number;
}

type Make = () => Promise<Sized<unknown>>;

/** The overhead of an entry in addition to its value and name. */
const bytesPerEntry = 500;

/** The share of the budget for readings whose parameters callers can vary without limit, such as periods. */
const shareOfMany = 1 / 8;

/**
 * The rest after an encoding, in milliseconds. It equals the time of the encoding (50 ms for 2.7 MB), so half of the
 * event loop stays free for other work.
 */
const restAfter = (made: Sized<unknown> | undefined) =>
  (made?.madeBytes ?? made?.bytes ?? 0) / 50_000;

/**
 * Caches company data in several forms, within a budget of bytes. Entries never become stale, because the name of a
 * reading contains the data version. Decisions are never cached.
 */
export class DataCache {
  readonly #entries: LRUCache<string, Sized<unknown>, Make>;
  readonly #oneOfMany: LRUCache<string, Sized<unknown>, Make>;
  readonly #histories: SlowLane;

  constructor(budgetBytes: number, histories = historyLane) {
    this.#histories = histories;
    const bytesOfMany = Math.ceil(budgetBytes * shareOfMany);
    this.#entries = createEntries(budgetBytes - bytesOfMany);
    this.#oneOfMany = createEntries(bytesOfMany);
  }

  /**
   * Returns the result of `make` after the access record is committed. Calls `make` once per form of the data.
   *
   * @param form the name of the form, unique among the forms of the same data
   * @param key the caller. Histories of several callers take turns
   */
  get<Data, Value>(
    reading: Reading<Data>,
    form: string,
    key: string,
    make: (data: Data) => Promise<Sized<Value>>,
  ): Promise<Value> {
    const made = this.keep(reading, form, key, async () => make(await reading.loadEarly()));
    return reading.release(made);
  }

  /** Returns the cached value or makes it. Concurrent calls share one `make`. A failure rejects these calls and isn't cached. */
  async keep<Value>(
    { name, resource, isOneOfMany }: Pick<Reading<unknown>, 'name' | 'resource' | 'isOneOfMany'>,
    form: string,
    key: string,
    make: () => Promise<Sized<Value>>,
  ): Promise<Value> {
    const entries = isOneOfMany ? this.#oneOfMany : this.#entries;
    const entryName = `${form} ${name}`;
    const known = entries.get(entryName);
    if (known !== undefined) return known.value as Value;
    let hasMade = false;
    const context = () => {
      hasMade = true;
      return make();
    };
    // The fetch starts inside the lane, so no caller waits for another caller's turn.
    const fetch = () => entries.fetch(entryName, { context });
    const rest = (found: Sized<unknown> | undefined) => (hasMade ? restAfter(found) : 0);
    const found = await (resource === 'metric_history'
      ? this.#histories.within(key, fetch, rest)
      : fetch());
    return (found as Sized<Value>).value;
  }
}

/** Estimates the memory of rows from the first row: two bytes per character of its JSON. */
export const bytesOf = (rows: readonly unknown[]): number =>
  rows.length === 0 ? 0 : rows.length * JSON.stringify(rows[0]).length * 2;

function createEntries(maxSize: number): LRUCache<string, Sized<unknown>, Make> {
  return new LRUCache({
    maxSize,
    sizeCalculation: ({ bytes }, name) => bytes + 2 * name.length + bytesPerEntry,
    fetchMethod: (_name, _stale, { context: make }) => make(),
    // Returns a value to its callers even if it is evicted before it is complete.
    ignoreFetchAbort: true,
  });
}
