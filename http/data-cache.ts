import { LRUCache } from 'lru-cache';
import type { MetricHistory, Reading } from '#core';
import { historyLane, type SlowLane } from './limits/index.ts';

/** A cached value with its size. */
export interface Sized<Value> {
  readonly value: Value;
  readonly bytes: number;
  /** The size before compression. Absent if the value isn't compressed. */
  readonly madeBytes?: number;
}

type Make = () => Promise<Sized<unknown>>;

/** The overhead of an entry, besides its value and name. */
const bytesPerEntry = 500;

/** The heap memory of a row per character of its JSON. */
const bytesPerCharacter = 2;

/** The share of the budget for readings that callers can invent in any number. */
const shareOfMany = 1 / 8;

/**
 * Encoding a signed history of ten years, 2.7 MB, takes about 50 ms of the event loop. An equally long rest leaves half
 * of the event loop to other work, however fast callers read histories.
 */
const restAfter = (made: Sized<unknown> | undefined) =>
  (made?.madeBytes ?? made?.bytes ?? 0) / 50_000;

/**
 * Caches company data of one process in any form, within one budget of bytes. The least recently used data goes first.
 * The name of a reading contains the data version of its decision, and decisions are never cached. So changed data is
 * read again by the next caller, in every process.
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
   * Returns what `make` makes of the data, after the access record is committed. It's made once for each form.
   *
   * @param form tells this form of the data from others
   * @param key the caller, whose histories take turns with those of other callers
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

  /** Returns the kept value, or makes it. Calls at the same time share it. A failure rejects all of them and isn't kept. */
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
    // Callers share only work that runs, so that no caller waits for another's turn.
    const fetch = () => entries.fetch(entryName, { context });
    // No rest for a caller that shared the work of another call.
    const rest = (found: Sized<unknown> | undefined) => (hasMade ? restAfter(found) : 0);
    const found = await (resource === 'metric_history'
      ? this.#histories.within(key, fetch, rest)
      : fetch());
    return (found as Sized<Value>).value;
  }

  /** Returns the data itself. */
  getRows<Row>(reading: Reading<readonly Row[]>, key: string): Promise<readonly Row[]> {
    return this.get(reading, 'rows', key, async (value) => ({ value, bytes: bytesOf(value) }));
  }

  getHistories(
    reading: Reading<readonly MetricHistory[]>,
    key: string,
  ): Promise<readonly MetricHistory[]> {
    return this.get(reading, 'rows', key, async (value) => ({
      value,
      bytes: value.reduce((sum, { values }) => sum + bytesOf(values), 0),
    }));
  }
}

/** Estimates the memory of rows by the first one, because the rows of one answer are alike. */
export function bytesOf(rows: readonly unknown[]): number {
  const characters = rows.length === 0 ? 0 : JSON.stringify(rows[0]).length;
  return rows.length * characters * bytesPerCharacter;
}

function createEntries(maxSize: number): LRUCache<string, Sized<unknown>, Make> {
  return new LRUCache({
    maxSize,
    sizeCalculation: ({ bytes }, name) => bytes + 2 * name.length + bytesPerEntry,
    fetchMethod: (_name, _stale, { context: make }) => make(),
    // A value that is evicted while it is made is still returned to its callers.
    ignoreFetchAbort: true,
  });
}
