import type { MetricHistory, Reading } from '#core';
import type { DataCache } from './data-cache.ts';
import type { Encode } from './written-body.ts';

/** Encodes company data for an adapter. Typed as returning the presented data. */
export interface Writer {
  one<Data, Presented>(present: (data: Data) => Presented): Encode<Data, Presented>;
  list<Item, Presented>(present: (item: Item) => Presented): Encode<readonly Item[], Presented[]>;
}

/** Presents the rows for each request. */
export interface RowsWriter extends Writer {
  rows<Item, Presented>(
    present: (rows: readonly Item[]) => Presented,
  ): Encode<readonly Item[], Presented>;
  /** Returns rows that are presented later, field by field. */
  plain<Item>(reading: Reading<readonly Item[]>): Promise<readonly Item[]>;
  plainHistories: Encode<readonly MetricHistory[], readonly MetricHistory[]>;
}

/** @param key the caller whose turn it is to read a history */
export function createRowsWriter(cache: DataCache, key: string): RowsWriter {
  // Other rows are already cached where they are loaded, and would count twice.
  const load = <Row>(reading: Reading<readonly Row[]>) =>
    reading.resource === 'metric_history' ? cache.getRows(reading, key) : reading.load();
  return {
    one: (present) => async (reading) => present(await reading.load()),
    list: (present) => async (reading) => (await load(reading)).map(present),
    rows: (present) => async (reading) => present(await load(reading)),
    plain: load,
    plainHistories: (reading) => cache.getHistories(reading, key),
  };
}
