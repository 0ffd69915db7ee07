import type { ValueMark } from '../../model/company-data/brought-metric.ts';
import { mostHeld } from '../../model/company-data/held-data.ts';
import {
  type ImportedMetric,
  isImportedMetric,
  laterName,
  type Metric,
  type MetricName,
  type SaidName,
} from '../../model/company-data/metric.ts';
import type { NumberedProblem } from '../../model/errors.ts';
import type { Permitted } from '../../model/identity/acting-credential.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { ImportLine } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { type CheckedBrought, checkBrought, valueNameOf } from './check-brought.ts';
import { readyPush } from './check-pushed.ts';
import { uploadedRecords } from './push-records.ts';
import { messageOfExcess } from './tell-changes.ts';

/** What a push would make of a value. `repeated`: a later record says the same value once more, and that one counts. */
export const valueChanges = ['created', 'revised', 'unchanged', 'repeated'] as const;

export interface PreviewedMetric {
  /** Its record, counted from 0. */
  readonly record: number;
  readonly change: (typeof valueChanges)[number];
  readonly metric: ImportedMetric;
  /** The value that is there now; null: none. */
  readonly known: Metric | null;
  /** That one, else the value of the nearest earlier period, else of the nearest later one. */
  readonly before: Metric | null;
  /** Why a push takes it only if its record is ticked; none if it isn't marked. */
  readonly marks: readonly ValueMark[];
  /** What differs from it, by the fields of a record; none where there is nothing to compare with. */
  readonly differences: readonly string[];
}

export interface PushPreview {
  /** Of those records of metrics with which nothing is wrong, in their order. */
  readonly metrics: readonly PreviewedMetric[];
  /** In the order of the records. With any of them a push changes nothing. */
  readonly problems: readonly NumberedProblem[];
  /** What the preview was made on, to be told with the push. */
  readonly seenVersion: string;
}

/**
 * What a push of the records would change, value by value, by the rules of the push. It changes nothing.
 *
 * @throws InputError
 */
export const previewPush =
  (ports: Ports) =>
  async (
    caller: CompanyCaller & Permitted,
    input: { readonly records: readonly unknown[] },
  ): Promise<PushPreview> => {
    const { records } = parseInput(uploadedRecords, { records: [...input.records] });
    const { companyId, credential } = caller;
    const { clock, imports } = ports;
    const checked = await checkBrought(ports, caller, records);
    const { lines, problems } = await imports.transact(
      { companyId, credential, startedAt: clock.now() },
      (transaction) => readyPush(transaction, caller, checked),
    );
    const bad = new Set(problems.map(({ record }) => record));
    const given = lines.filter(({ line }) => !bad.has(line)).flatMap(toGiven);
    const excess = findMetricExcess(companyId, given, checked.names);
    const good = given.filter(({ record }) => record !== excess?.record);
    return {
      metrics: compare(good, checked),
      problems: [...problems, ...(excess === null ? [] : [excess])].toSorted(byRecord),
      seenVersion: checked.dataVersion,
    };
  };

interface Given {
  readonly record: number;
  readonly metric: ImportedMetric;
}

/** Void records have no row of a file. */
const toGiven = ({ line, record }: ImportLine): Given[] =>
  record.type === 'metric' && isImportedMetric(record.metric)
    ? [{ record: line, metric: record.metric }]
    : [];

const byRecord = (one: NumberedProblem, other: NumberedProblem) => one.record - other.record;

/** The last record that would make a metric more than a company may have. */
function findMetricExcess(
  companyId: string,
  given: readonly Given[],
  names: ReadonlyMap<string, MetricName>,
): NumberedProblem | null {
  const added = given.filter(({ metric }) => !names.has(metric.key));
  const metrics = new Set(added.map(({ metric }) => metric.key));
  const last = names.size + metrics.size > mostHeld.metrics ? added.at(-1) : undefined;
  if (last === undefined) return null;
  return { record: last.record, param: null, message: messageOfExcess(companyId, 'metrics') };
}

function compare(
  given: readonly Given[],
  { nearest, names, marks }: CheckedBrought,
): readonly PreviewedMetric[] {
  const lastOfValue = new Map(given.map((each) => [valueNameOf(each.metric), each]));
  const lastOfSeries = new Map(given.map((each) => [each.metric.key, each]));
  const said = new Map<string, SaidName>();
  for (const { metric } of given) said.set(metric.key, laterName(said.get(metric.key), metric));
  const named = (metric: ImportedMetric): ImportedMetric => {
    const name = said.get(metric.key) as SaidName;
    const { label, category } = laterName(names.get(metric.key), name);
    return { ...metric, label, category };
  };
  return given.map((each) => {
    const { record } = each;
    const metric = named(each.metric);
    const before = nearest.get(valueNameOf(metric)) ?? null;
    const known = before?.period === metric.period ? before : null;
    const told = { record, metric, known, before, marks: marks.get(record) ?? [] };
    if (lastOfValue.get(valueNameOf(metric)) !== each) {
      return { ...told, change: 'repeated', differences: [] };
    }
    if (known === null) return { ...told, change: 'created', differences: [] };
    const fields =
      lastOfSeries.get(metric.key) === each ? [...valueFields, ...seriesFields] : valueFields;
    const differences = fields.filter((name) => fieldOf[name](metric) !== fieldOf[name](known));
    return { ...told, change: differences.length > 0 ? 'revised' : 'unchanged', differences };
  });
}

/** The name of a metric is one for all of its periods, and the last record that says it tells it. */
const seriesFields = ['label', 'category'] as const;

/** A change of any of these is a new revision. The text for people follows from the number. */
const valueFields = [
  'currency',
  'raw_value',
  'confidence',
  'as_of',
  'source.system',
  'source.method',
  'source.last_synced',
  'verification.verified',
  'source.signature',
] as const;

type Said = (metric: ImportedMetric | Metric) => string | number | boolean | null | undefined;

const fieldOf: Readonly<Record<(typeof seriesFields | typeof valueFields)[number], Said>> = {
  label: ({ label }) => label,
  category: ({ category }) => category,
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
