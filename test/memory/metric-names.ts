import { type ImportLine, type MetricName, mergeNames, type RecordedName } from '#core';
import { nameOfSeries, type Store } from './store.ts';

/** The label and the category of each metric, from the imported lines or else as stored. */
export function namesAmong(
  store: Store,
  lines: readonly ImportLine[],
): ReadonlyMap<string, MetricName> {
  const said = new Map<string, RecordedName>();
  for (const { record } of lines) {
    if (!('metric' in record)) continue;
    const series = nameOfSeries(record.metric);
    said.set(series, mergeNames(said.get(series), record.metric));
  }
  return new Map(
    [...said].map(([series, name]) => {
      const { label, category } = mergeNames(store.series.get(series), name);
      return [series, { label, category }];
    }),
  );
}
