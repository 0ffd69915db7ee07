import {
  completeMetric,
  type EntryMethod,
  findMarks,
  type ValueMark,
} from '../../model/company-data/entered-metric.ts';
import {
  type ImportedMetric,
  isImportedMetric,
  type Metric,
  type MetricName,
  type MetricPeriod,
} from '../../model/company-data/metric.ts';
import type { Ports } from '../../ports/index.ts';
import {
  type CheckedRecords,
  type ParsedRecord,
  type PushCaller,
  parsePushed,
  verifyParsed,
} from './check-pushed.ts';
import { openOwnData } from './read-own-data.ts';

export interface CheckedEntry extends CheckedRecords {
  readonly dataVersion: string;
  /** The stored values to compare with. The keys come from `valueNameOf`. */
  readonly nearest: ReadonlyMap<string, Metric>;
  readonly names: ReadonlyMap<string, MetricName>;
  /** The indexes of the records whose number and currency are already stored. */
  readonly stored: ReadonlySet<number>;
  /** The reasons why a person should check a value, by the index of the record. */
  readonly marks: ReadonlyMap<number, readonly ValueMark[]>;
}

export const valueNameOf = ({ key, period }: MetricPeriod) => `${key} ${period}`;

/** Checks a person's records, completes them from the stored data, and marks unlikely values. */
export async function checkEntered(
  ports: Ports,
  caller: PushCaller,
  records: readonly unknown[],
  method?: EntryMethod,
): Promise<CheckedEntry> {
  const { parsed, problems } = await parsePushed(ports, caller, records, method);
  // The version is read before the values. If the data changes in between, the push is refused as outdated.
  const company = await openOwnData(ports, caller);
  const metricPeriods = new Map(
    parsed.filter(isOfMetric).map(({ record: { metric } }) => [valueNameOf(metric), metric]),
  );
  const { companyData, clock } = ports;
  const values = await companyData.nearestValues(company, [...metricPeriods.values()]);
  const found = [...metricPeriods.keys()].map((name, at) => [name, values[at] ?? null] as const);
  const nearest = new Map(
    found.filter((each): each is readonly [string, Metric] => each[1] !== null),
  );
  const names = await companyData.metricNames(company.companyId);
  const knownKeys = new Set(names.keys());
  const lowerKeys = new Set([...knownKeys].map((key) => key.toLowerCase()));

  const stored = new Set<number>();
  const marks = new Map<number, readonly ValueMark[]>();
  const lastOfValue = new Map<string, number>();
  const completed = parsed.map((each): ParsedRecord => {
    if (!isOfMetric(each)) return each;
    const { line, record } = each;
    const name = valueNameOf(record.metric);
    const before = nearest.get(name) ?? null;
    const { metric, isStored } = completeMetric(record.metric, before);
    const { as_of } = records[line] as { readonly as_of?: unknown };
    marks.delete(lastOfValue.get(name) ?? line);
    lastOfValue.set(name, line);
    if (isStored) stored.add(line);
    else {
      const known = { nearest: before, knownKeys, lowerKeys };
      const circumstances = { ...known, hasOwnAsOf: as_of !== undefined, now: clock.now() };
      marks.set(line, findMarks(metric, circumstances));
    }
    return { line, record: { ...record, metric } };
  });
  const { lines, problems: ofSignatures } = await verifyParsed(ports, completed, stored);
  return {
    lines,
    problems: [...problems, ...ofSignatures],
    dataVersion: company.dataVersion,
    nearest,
    names,
    stored,
    marks: new Map([...marks].filter(([, found]) => found.length > 0)),
  };
}

type MetricRecord = ParsedRecord & {
  readonly record: { readonly type: 'metric'; readonly metric: ImportedMetric };
};

const isOfMetric = (each: ParsedRecord): each is MetricRecord =>
  each.record.type === 'metric' && isImportedMetric(each.record.metric);

/** Removes all records about marked values that the person didn't confirm. `leftOut` is the number of these values. */
export function leaveOutUnticked(
  { lines, marks }: CheckedEntry,
  ticked: readonly number[],
): { readonly lines: CheckedRecords['lines']; readonly leftOut: number } {
  const taken = new Set(ticked);
  const nameOf = ({ record }: CheckedRecords['lines'][number]) =>
    'metric' in record ? valueNameOf(record.metric) : '';
  const unticked = lines.filter(({ line }) => marks.has(line) && !taken.has(line));
  const names = new Set(unticked.map(nameOf));
  return { lines: lines.filter((each) => !names.has(nameOf(each))), leftOut: names.size };
}
