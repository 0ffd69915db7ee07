import { LRUCache } from 'lru-cache';
import type { Reading } from '#core';
import { historyLimit, type LongWorkLimit } from './limits/index.ts';

export interface Sized<Value> {
  readonly value: Value;
  readonly bytes: number;
  /** The size before compression. Absent if the value isn't compressed. */
  readonly uncompressedBytes?: number;
}

type Make = () => Promise<Sized<unknown>>;

/** The overhead of an entry, in addition to its value and name. */
const bytesPerEntry = 500;

/** Callers can vary some reads without limit, such as their periods. These results get only this share. */
const shareOfVariants = 1 / 8;

/**
 * Returns the pause after an encoding, in milliseconds. The pause is as long as the encoding takes (50 ms for 2.7 MB).
 * So the event loop has at least half of the time for other work.
 */
const pauseAfter = (made: Sized<unknown> | undefined) =>
  (made?.uncompressedBytes ?? made?.bytes ?? 0) / 50_000;

/**
 * Caches company data in several forms, up to a maximum size. The name of each entry contains the data version, so an
 * entry never becomes stale. Access decisions are never cached.
 */
export class DataCache {
  readonly #entries: LRUCache<string, Sized<unknown>, Make>;
  readonly #variants: LRUCache<string, Sized<unknown>, Make>;
  readonly #histories: LongWorkLimit;

  constructor(budgetBytes: number, histories = historyLimit) {
    this.#histories = histories;
    const bytesOfVariants = Math.ceil(budgetBytes * shareOfVariants);
    this.#entries = createEntries(budgetBytes - bytesOfVariants);
    this.#variants = createEntries(bytesOfVariants);
  }

  /**
   * Returns the result of `make`, but only after the access record is committed. Calls `make` once for each form of the
   * data.
   *
   * @param form the name of the form, unique among the forms of the same data
   * @param key identifies the caller, because callers take turns when they read histories
   */
  getAfterCommit<Data, Value>(
    reading: Reading<Data>,
    form: string,
    key: string,
    make: (data: Data) => Promise<Sized<Value>>,
  ): Promise<Value> {
    const made = this.getOrMake(reading, form, key, async () =>
      make(await reading.loadBeforeCommit()),
    );
    return reading.resolveAfterCommit(made);
  }

  /**
   * Returns the cached value, or calls `make` and caches the result. Concurrent callers share one call of `make`. If
   * this call fails, all these callers get the error and nothing is cached.
   */
  async getOrMake<Value>(
    {
      name,
      resource,
      hasUnlimitedVariants,
    }: Pick<Reading<unknown>, 'name' | 'resource' | 'hasUnlimitedVariants'>,
    form: string,
    key: string,
    make: () => Promise<Sized<Value>>,
  ): Promise<Value> {
    const entries = hasUnlimitedVariants ? this.#variants : this.#entries;
    const entryName = `${form} ${name}`;
    const cached = entries.get(entryName);
    if (cached !== undefined) return cached.value as Value;
    let hasCalledMake = false;
    const context = () => {
      hasCalledMake = true;
      return make();
    };
    // Callers take turns when they read histories. The cache entry is created only when this caller's turn begins.
    // Otherwise, another caller who needs the same entry could have to wait for this caller's turn.
    const fetch = () => entries.fetch(entryName, { context });
    const pause = (found: Sized<unknown> | undefined) => (hasCalledMake ? pauseAfter(found) : 0);
    const found = await (resource === 'metric_history'
      ? this.#histories.run(key, fetch, pause)
      : fetch());
    return (found as Sized<Value>).value;
  }
}

/** Estimates the memory for the rows from the first row in JSON, with two bytes per character. */
export const bytesOf = (rows: readonly unknown[]): number =>
  rows.length === 0 ? 0 : rows.length * JSON.stringify(rows[0]).length * 2;

function createEntries(maxSize: number): LRUCache<string, Sized<unknown>, Make> {
  return new LRUCache({
    maxSize,
    sizeCalculation: ({ bytes }, name) => bytes + 2 * name.length + bytesPerEntry,
    fetchMethod: (_name, _stale, { context: make }) => make(),
    // A value that is removed from the cache before it is complete is still returned to its callers.
    ignoreFetchAbort: true,
  });
}
