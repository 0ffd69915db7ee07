import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Environment,
  type ImportCounts,
  type ImportLine,
  type MetricClaims,
  type MetricName,
  mergeNames,
  type PushSigning,
  type RecordedName,
  Refusal,
} from '#core';
import { type StatementRunner, sql } from '../../connections/store.ts';
import { toArray } from '../rows.ts';
import type { Changed } from './changed-data.ts';
import {
  listOf,
  pointOf,
  pointsIn,
  recordsOf,
  rowOf,
  splitIntoParts,
  toRows,
  valueColumns,
} from './rows.ts';

/** Thrown to roll back the transaction when the signing key was retired. */
export class KeyRetired extends Error {}

/** The number of signatures after which the event loop serves other callers. One signature takes 0.1 ms. */
const signedAtOnce = 10;

export interface PushContext {
  readonly companyId: string;
  readonly startedAt: Date;
  readonly signing: PushSigning | undefined;
  /** The ID of the settings log entry about the person who pushes. Null if an API key pushes. */
  readonly entryId: string | null;
}

type RecordOf<Type> = Extract<ImportLine['record'], { readonly type: Type }>;

type Value = RecordOf<'metric'> | RecordOf<'revision'>;

interface NewRevision {
  readonly value: Value;
  readonly revision: number;
  readonly signature: object | null;
}

/**
 * First writes the pushed revisions, sorted by revision number. Then writes the values that differ from the stored
 * values.
 *
 * @throws KeyRetired if the service's own signing key was retired
 * @throws Refusal `signing_key_conflict` if the signing key of a pushed revision is retired
 */
export async function applyValues(
  inside: StatementRunner,
  lines: readonly ImportLine[],
  context: PushContext,
): Promise<readonly (ImportCounts & Changed)[]> {
  const revisions = recordsOf(lines, 'revision');
  const keys = await registerKeys(inside, revisions, context.startedAt);
  const byNumber = Map.groupBy(revisions, ({ revision }) => revision);
  const ordered = [...byNumber].toSorted(([one], [other]) => one - other).map(([, own]) => own);
  const parts = [...ordered, recordsOf(lines, 'metric')].flatMap((own) =>
    splitIntoParts<Value>(own),
  );
  const lastOfMetric = new Map(parts.flat().map((value) => [value.metric.key, value]));
  const applied: (ImportCounts & Changed)[] = [];
  for (const part of parts) {
    applied.push(await applyPart(inside, part, { ...context, keys, lastOfMetric }));
  }
  return applied;
}

interface PartContext extends PushContext {
  /** Maps the ID of each signing key to its number. */
  readonly keys: ReadonlyMap<string, number>;
  /** The last value of each metric in the push. A new name of the metric is reported as a change of this value. */
  readonly lastOfMetric: ReadonlyMap<string, Value>;
}

async function applyPart(
  inside: StatementRunner,
  part: readonly Value[],
  { companyId, signing, entryId, keys, lastOfMetric }: PartContext,
): Promise<ImportCounts & Changed> {
  const [found] = await inside.run(changesOf(companyId, part));
  if (found === undefined) throw new Error(`there is no company ${companyId}`);
  const { environment, names: storedNames, changed } = found;
  const names = new Map<string, MetricName>();
  for (const { metric } of part) {
    const before = storedNames?.[metric.key];
    const { label, category } = mergeNames(before, metric satisfies RecordedName);
    if (label !== before?.label || category !== before.category)
      names.set(metric.key, { label, category });
  }
  const nothing = { inserted: 0, updated: 0, unchanged: part.length, signed: 0, unsigned: 0 };
  if (changed.length === 0 && names.size === 0) return nothing;

  const isOwn = changed.some(([line]) => (part[line - 1] as Value).type === 'metric');
  if (isOwn && signing !== undefined) await lockKey(inside, signing.keyNumber);
  const written: NewRevision[] = [];
  for (const [index, [line, revision]] of changed.entries()) {
    if (index > 0 && index % signedAtOnce === 0) await nextTurn();
    const value = part[line - 1] as Value;
    const signature = signatureOf(value, { revision, environment, signing, keys });
    written.push({ value, revision, signature });
  }
  const namedPeriods = names.size > 0 ? await nameMetrics(inside, companyId, names) : [];
  if (written.length > 0) await write(inside, companyId, written, entryId);

  const isChanged = new Set(written.map(({ value }) => value));
  const renamed = [...names.keys()].filter((key) => storedNames?.[key] !== undefined);
  const renamedOnly = renamed.filter((key) => {
    const last = lastOfMetric.get(key) as Value;
    return part.includes(last) && !isChanged.has(last);
  });
  const inserted = written.filter(({ revision }) => revision === 1).length;
  const updated = written.length - inserted + renamedOnly.length;
  const signed = written.filter(({ signature }) => signature !== null).length;
  const periodOf = ({ value }: NewRevision) =>
    [companyId, value.metric.key, value.metric.period] as const;
  return {
    ...{ inserted, updated, unchanged: part.length - inserted - updated },
    ...{ signed, unsigned: written.length - signed },
    series: [
      ...written.map(periodOf),
      ...namedPeriods.map(({ key, period }) => [companyId, key, period] as const),
    ],
    corrections: written.filter(({ revision }) => revision > 1).map(periodOf),
    addedSeries: [...names.keys()]
      .filter((key) => storedNames?.[key] === undefined)
      .map((key) => [companyId, key]),
  };
}

interface FoundChanges {
  readonly environment: Environment;
  readonly names: Readonly<Record<string, MetricName>> | null;
  /** The lines that change a value. Each has its line number, counted from 1, and the new revision. */
  readonly changed: readonly (readonly [line: number, revision: number])[];
}

/** Returns the changes that the records would make. Exported for the test of the query plan. */
export function changesOf(companyId: string, part: readonly Value[]) {
  const rows = part.map((value) =>
    pointOf(value.metric, { revision: value.type === 'revision' ? value.revision : null }),
  );
  const metricKeys = [...new Set(part.map(({ metric }) => metric.key))];
  return sql<FoundChanges>`
    select environment, (
      select json_object_agg(key, json_build_object('label', label, 'category', category))
      from unnest(${metricKeys}::text[]) as question (name)
      join ${rowOf('metric_series', 'series', sql`company_id = ${companyId} and key = question.name`)}
    ) as names, (
      select coalesce(
        json_agg(json_build_array(line, coalesce(point.revision, known.revision + 1, 1)) order by line), '[]')
      from ${pointsIn(JSON.stringify(rows))}
      left join ${rowOf('metric_series', 'series', sql`series.company_id = ${companyId} and series.key = input.key`)}
      left join ${rowOf('metric_point', 'known', sql`known.series_id = series.id and known.period = point.period`)}
      where case when point.revision is not null then point.revision > coalesce(known.revision, 0)
        else known.series_id is null
          or (${listOf(valueColumns, 'known')}) is distinct from (${listOf(valueColumns, 'point')}) end
    ) as changed
    from company where id = ${companyId}`;
}

/** Locks the signing key, so that it can't be retired before its values are committed. */
async function lockKey(inside: StatementRunner, keyNumber: number): Promise<void> {
  const locked = await inside.run(sql`
    select from signing_key where number = ${keyNumber} and retired_at is null for key share`);
  if (locked.length === 0) throw new KeyRetired();
}

interface Signer extends Pick<PartContext, 'signing' | 'keys'>, Pick<FoundChanges, 'environment'> {
  readonly revision: number;
}

/** Returns the signature columns. A pushed revision keeps its own signature. Any other value is signed now. */
function signatureOf(
  value: Value,
  { revision, environment, signing, keys }: Signer,
): object | null {
  if (value.type === 'revision') {
    const { signed } = value;
    return signed && columnsOf({ ...signed, keyNumber: keys.get(signed.key.kid) as number });
  }
  if (signing === undefined) return null;
  const { companyId, key, period, rawValue, currency, asOf, source } = value.metric;
  const claims: MetricClaims = {
    ...{ environment, companyId, key, period, rawValue, currency, asOf, source, revision },
  };
  return columnsOf(signing.sign(claims));
}

const columnsOf = ({ signedAt, signature, keyNumber }: ReturnType<PushSigning['sign']>) => ({
  signed_at: signedAt,
  signature: `\\x${signature.toHex()}`,
  signing_key: keyNumber,
});

/**
 * Writes new metrics and new names. This needs a separate statement, because the row-level security policy for values
 * finds only metrics that an earlier statement wrote.
 *
 * @returns the latest stored period of each renamed metric
 */
async function nameMetrics(
  inside: StatementRunner,
  companyId: string,
  names: ReadonlyMap<string, MetricName>,
): Promise<readonly { readonly key: string; readonly period: string }[]> {
  const rows = [...names].map(([key, name]) => ({ companyId, key, ...name }));
  return inside.run(sql<{ key: string; period: string }>`
    with named as (
    insert into metric_series (company_id, key, label, category)
    select company_id, key, label, category
    from jsonb_populate_recordset(null::metric_series, ${toRows(rows)}::jsonb)
    on conflict (company_id, key) do update
    set label = excluded.label, category = excluded.category
    returning id, key)
    select key, last.period from named, lateral (
      select period from metric_point where series_id = named.id order by period desc limit 1
    ) as last`);
}

const writtenColumns = [
  ...valueColumns,
  'revision',
  'signed_at',
  'signature',
  'signing_key',
  'settings_change_id',
];

async function write(
  inside: StatementRunner,
  companyId: string,
  revisions: readonly NewRevision[],
  entryId: string | null,
): Promise<void> {
  const rows = revisions.map(({ value, revision, signature }) =>
    pointOf(value.metric, { revision, ...signature, settings_change_id: entryId }),
  );
  await inside.run(sql`
    insert into metric_point (series_id, period, ${listOf(writtenColumns)})
    select series.id, point.period, ${listOf(writtenColumns, 'point')}
    from ${pointsIn(JSON.stringify(rows))}
    join ${rowOf('metric_series', 'series', sql`series.company_id = ${companyId} and series.key = input.key`)}
    on conflict (series_id, period)
    do update set (${listOf(writtenColumns)}) = (${listOf(writtenColumns, 'excluded')})`);
}

/**
 * Registers the signing keys of the pushed revisions. The same transaction writes the values, so every published key
 * has signed a stored value.
 *
 * @returns the number of each key, by key ID
 * @throws Refusal `signing_key_conflict` if a key is retired
 */
async function registerKeys(
  inside: StatementRunner,
  revisions: readonly RecordOf<'revision'>[],
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const publicKeys = new Map(
    revisions.flatMap(({ signed }) => (signed ? [[signed.key.kid, signed.key.x]] : [])),
  );
  if (publicKeys.size === 0) return new Map();
  // The lock keeps the keys from being retired before their values are committed.
  const find = () =>
    inside.run(sql<{ kid: string; number: number; retiredAt: Date | null }>`
      select kid, number, retired_at as "retiredAt" from signing_key
      where kid = any(${toArray([...publicKeys.keys()])}::text[]) for key share`);
  let keys = await find();
  const unknown = [...publicKeys].filter(([kid]) => !keys.some((key) => key.kid === kid));
  // Only an operator's push can add new keys. The database role that companies push with may not insert keys.
  for (const [kid, publicKey] of unknown) {
    await inside.run(sql`
      insert into signing_key (kid, public_key, created_at, is_imported)
      values (${kid}, ${publicKey}, ${now}::timestamptz, true)
      on conflict (kid) do nothing`);
  }
  if (unknown.length > 0) keys = await find();
  const retired = keys.find(({ retiredAt }) => retiredAt !== null);
  if (retired !== undefined) {
    const message = `the signing key ${retired.kid} has been retired meanwhile`;
    throw new Refusal('signing_key_conflict', { message });
  }
  return new Map(keys.map(({ kid, number }) => [kid, number]));
}
