import type { MetricHistory, Reading } from '#core';
import { bytesOf, type DataCache } from './data-cache.ts';
import type { Encode } from './written-body.ts';

/** Encodes company data for an adapter. The result has the type of the presented data, but may be encoded text. */
export interface Writer {
  one<Data, Presented>(present: (data: Data) => Presented): Encode<Data, Presented>;
  list<Item, Presented>(present: (item: Item) => Presented): Encode<readonly Item[], Presented[]>;
}

/** A writer that caches rows. At each request, it converts the rows to the adapter's form again. */
export interface RowsWriter extends Writer {
  /** Returns the rows without converting them. */
  readRows<Item>(reading: Reading<readonly Item[]>): Promise<readonly Item[]>;
  readHistories: Encode<readonly MetricHistory[], readonly MetricHistory[]>;
}

/** @param key identifies the caller, because callers take turns when they read histories */
export function createRowsWriter(cache: DataCache, key: string): RowsWriter {
  const cached = <Row>(
    reading: Reading<readonly Row[]>,
    size: (rows: readonly Row[]) => number = bytesOf,
  ) => cache.getAfterCommit(reading, 'rows', key, async (value) => ({ value, bytes: size(value) }));
  // Caches only histories, because rows of other resources are already cached where they are loaded.
  const load = <Row>(reading: Reading<readonly Row[]>) =>
    reading.resource === 'metric_history' ? cached(reading) : reading.load();
  return {
    one: (present) => async (reading) => present(await reading.load()),
    list: (present) => async (reading) => (await load(reading)).map(present),
    readRows: load,
    readHistories: (reading) =>
      cached(reading, (all) => all.reduce((sum, { values }) => sum + bytesOf(values), 0)),
  };
}
