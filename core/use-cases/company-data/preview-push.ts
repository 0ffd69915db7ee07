import { maxPerCompany } from '../../model/company-data/data-limits.ts';
import type { ValueMark } from '../../model/company-data/entered-metric.ts';
import {
  type ImportedMetric,
  isImportedMetric,
  type Metric,
  type MetricName,
  mergeNames,
  type RecordedName,
} from '../../model/company-data/metric.ts';
import type { NumberedProblem } from '../../model/errors.ts';
import type { Permitted } from '../../model/identity/acting-credential.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { ImportLine } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { messageOfExcess } from './apply-push.ts';
import { type CheckedEntry, checkEntered, valueNameOf } from './check-entered.ts';
import { completePush } from './check-pushed.ts';
import { uploadedRecords } from './push-records.ts';

/** The effect of a record on a value. `repeated` means that a later record in the push replaces this one. */
export const valueChanges = ['created', 'revised', 'unchanged', 'repeated'] as const;

export interface PreviewedMetric {
  readonly record: number;
  readonly change: (typeof valueChanges)[number];
  readonly metric: ImportedMetric;
  /** The stored value of the period. Null if no value is stored. */
  readonly known: Metric | null;
  /** The stored value of this period, else of the nearest earlier period, else of the nearest later one. */
  readonly before: Metric | null;
  readonly marks: readonly ValueMark[];
  /** The fields of the record that differ from the stored value. */
  readonly differences: readonly string[];
}

export interface PushPreview {
  readonly metrics: readonly PreviewedMetric[];
  /** In the order of the records. A push with any problem changes nothing. */
  readonly problems: readonly NumberedProblem[];
  /** The data version of the preview, to send along with the push. */
  readonly seenVersion: string;
}

/** Returns what a push of the records would change. Changes nothing. */
export const previewPush =
  (ports: Ports) =>
  async (
    caller: CompanyCaller & Permitted,
    input: { readonly records: readonly unknown[] },
  ): Promise<PushPreview> => {
    const { records } = parseInput(uploadedRecords, { records: [...input.records] });
    const { companyId, credential } = caller;
    const { clock, imports } = ports;
    const checked = await checkEntered(ports, caller, records);
    const { lines, problems } = await imports.transact(
      { companyId, credential, startedAt: clock.now() },
      (transaction) => completePush(transaction, caller, checked),
    );
    const bad = new Set(problems.map(({ record }) => record));
    const rows = lines.filter(({ line }) => !bad.has(line)).flatMap(metricRowsOf);
    const excess = findMetricExcess(companyId, rows, checked.names);
    const validRows = rows.filter(({ record }) => record !== excess?.record);
    return {
      metrics: compare(validRows, checked),
      problems: [...problems, ...(excess === null ? [] : [excess])].toSorted(byRecord),
      seenVersion: checked.dataVersion,
    };
  };

interface MetricRow {
  readonly record: number;
  readonly metric: ImportedMetric;
}

const metricRowsOf = ({ line, record }: ImportLine): MetricRow[] =>
  record.type === 'metric' && isImportedMetric(record.metric)
    ? [{ record: line, metric: record.metric }]
    : [];

const byRecord = (one: NumberedProblem, other: NumberedProblem) => one.record - other.record;

function findMetricExcess(
  companyId: string,
  rows: readonly MetricRow[],
  names: ReadonlyMap<string, MetricName>,
): NumberedProblem | null {
  const added = rows.filter(({ metric }) => !names.has(metric.key));
  const metrics = new Set(added.map(({ metric }) => metric.key));
  const last = names.size + metrics.size > maxPerCompany.metrics ? added.at(-1) : undefined;
  if (last === undefined) return null;
  return { record: last.record, param: null, message: messageOfExcess(companyId, 'metrics') };
}

function compare(
  rows: readonly MetricRow[],
  { nearest, names, marks }: CheckedEntry,
): readonly PreviewedMetric[] {
  const lastOfValue = new Map(rows.map((each) => [valueNameOf(each.metric), each]));
  const lastOfSeries = new Map(rows.map((each) => [each.metric.key, each]));
  const namesInRows = new Map<string, RecordedName>();
  for (const { metric } of rows)
    namesInRows.set(metric.key, mergeNames(namesInRows.get(metric.key), metric));
  const named = (metric: ImportedMetric): ImportedMetric => {
    const name = namesInRows.get(metric.key) as RecordedName;
    const { label, category } = mergeNames(names.get(metric.key), name);
    return { ...metric, label, category };
  };
  return rows.map((each) => {
    const { record } = each;
    const metric = named(each.metric);
    const before = nearest.get(valueNameOf(metric)) ?? null;
    const known = before?.period === metric.period ? before : null;
    const common = { record, metric, known, before, marks: marks.get(record) ?? [] };
    if (lastOfValue.get(valueNameOf(metric)) !== each) {
      return { ...common, change: 'repeated', differences: [] };
    }
    if (known === null) return { ...common, change: 'created', differences: [] };
    const isLast = lastOfSeries.get(metric.key) === each;
    const differences = Object.entries({ ...valueFields, ...(isLast && seriesFields) })
      .filter(([, read]) => read(metric) !== read(known))
      .map(([name]) => name);
    return { ...common, change: differences.length > 0 ? 'revised' : 'unchanged', differences };
  });
}

type ReadField = (metric: ImportedMetric | Metric) => string | number | boolean | null | undefined;

/** All periods of a metric share these fields. For each field, the last record that sets it wins. */
const seriesFields: Readonly<Record<string, ReadField>> = {
  label: ({ label }) => label,
  category: ({ category }) => category,
};

/** A change to these fields creates a new revision. The display text is absent, because it follows the number. */
const valueFields: Readonly<Record<string, ReadField>> = {
  currency: ({ currency }) => currency,
  raw_value: ({ rawValue }) => rawValue,
  confidence: ({ confidence }) => confidence,
  as_of: ({ asOf }) => asOf.getTime(),
  'source.system': ({ source }) => source.system,
  'source.method': ({ source }) => source.method,
  'source.last_synced': ({ source }) => source.lastSynced.getTime(),
  'verification.verified': ({ verification }) => verification.verified,
  'source.signature': ({ verification }) => verification.sourceSignature,
};
