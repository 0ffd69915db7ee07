import { mostHeld } from '../../model/company-data/held-data.ts';
import {
  type ImportedMetric,
  laterName,
  type Metric,
  type MetricName,
  type SaidName,
  type ValuePlace,
} from '../../model/company-data/metric.ts';
import type { NumberedProblem } from '../../model/errors.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { CompanyData, ImportLine, VersionedCompany } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { checkPushed, findAllProblems } from './check-pushed.ts';
import { pushInputOf } from './push-records.ts';
import { openOwnData } from './read-own-data.ts';
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
    caller: CompanyCaller,
    input: { readonly records: readonly unknown[] },
  ): Promise<PushPreview> => {
    const { records } = parseInput(pushInputOf(caller), { records: [...input.records] });
    const { companyId } = caller;
    const { clock, companyData, imports } = ports;
    // Before the values: if they change in between, the push is refused instead of the preview being wrong.
    const company = await openOwnData(ports, caller);
    const checked = await checkPushed(ports, caller, records);
    const problems = await imports.transact({ companyId, startedAt: clock.now() }, (transaction) =>
      findAllProblems(transaction, caller, checked),
    );
    const bad = new Set(problems.map(({ record }) => record));
    const given = checked.lines.filter(({ line }) => !bad.has(line)).flatMap(toGiven);
    const known = await findKnown(companyData, company, given);
    const names = await findNames(companyData, company);
    const excess = findMetricExcess(companyId, given, names);
    const good = given.filter(({ record }) => record !== excess?.record);
    return {
      metrics: compare(good, known, names),
      problems: [...problems, ...(excess === null ? [] : [excess])].toSorted(byRecord),
      seenVersion: company.dataVersion,
    };
  };

interface Given {
  readonly record: number;
  readonly metric: ImportedMetric;
  /** The place among the revisions of its period that it has; null: the next one, if it says something new. */
  readonly revision: number | null;
}

function toGiven({ line, record }: ImportLine): Given[] {
  if (record.type === 'metric') return [{ record: line, metric: record.metric, revision: null }];
  if (record.type !== 'revision') return [];
  return [{ record: line, metric: record.metric, revision: record.revision }];
}

const valueNameOf = ({ key, period }: ValuePlace) => `${key} ${period}`;

/** The values that are there now, by metric and period, in one statement. */
async function findKnown(
  companyData: CompanyData,
  company: VersionedCompany,
  given: readonly Given[],
): Promise<ReadonlyMap<string, Metric>> {
  const places = new Map(given.map(({ metric }) => [valueNameOf(metric), metric]));
  const values = await companyData.metricValues(company, [...places.values()]);
  return new Map(values.map((value) => [valueNameOf(value), value]));
}

/** The names that the metrics of the company have now. */
async function findNames(
  companyData: CompanyData,
  company: VersionedCompany,
): Promise<ReadonlyMap<string, MetricName>> {
  const latest = await companyData.latestMetrics(company);
  return new Map(latest.map(({ key, label, category }) => [key, { label, category }]));
}

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
  known: ReadonlyMap<string, Metric>,
  names: ReadonlyMap<string, MetricName>,
): readonly PreviewedMetric[] {
  const plain = given.filter(({ revision }) => revision === null);
  const lastOfValue = new Map(plain.map((each) => [valueNameOf(each.metric), each]));
  const lastOfSeries = new Map(plain.map((each) => [each.metric.key, each]));
  const said = new Map<string, SaidName>();
  for (const { metric } of given) said.set(metric.key, laterName(said.get(metric.key), metric));
  const named = (metric: ImportedMetric): ImportedMetric => {
    const name = said.get(metric.key) as SaidName;
    const { label, category } = laterName(names.get(metric.key), name);
    return { ...metric, label, category };
  };
  return given.map((each) => {
    const { record, revision } = each;
    const metric = named(each.metric);
    const value = known.get(valueNameOf(metric)) ?? null;
    const told = { record, metric, known: value, differences: [] };
    if (revision === null && lastOfValue.get(valueNameOf(metric)) !== each) {
      return { ...told, change: 'repeated' };
    }
    if (value === null) return { ...told, change: 'created' };
    const names =
      lastOfSeries.get(metric.key) === each ? [...valueFields, ...seriesFields] : valueFields;
    const differences = names.filter((name) => fieldOf[name](metric) !== fieldOf[name](value));
    // What is there of a revision is the same, else it would have a problem.
    const isRevised = revision === null ? differences.length > 0 : revision > value.revision;
    return { ...told, change: isRevised ? 'revised' : 'unchanged', differences };
  });
}

/** The name of a metric is one for all of its periods, and the last record that says it tells it. */
const seriesFields = ['label', 'category'] as const;

/** A change of any of these is a new revision. */
const valueFields = [
  'currency',
  'raw_value',
  'value',
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
  value: ({ value }) => value,
  confidence: ({ confidence }) => confidence,
  as_of: ({ asOf }) => asOf.getTime(),
  'source.system': ({ source }) => source.system,
  'source.method': ({ source }) => source.method,
  'source.last_synced': ({ source }) => source.lastSynced.getTime(),
  'verification.verified': ({ verification }) => verification.verified,
  'source.signature': ({ verification }) => verification.sourceSignature,
};
