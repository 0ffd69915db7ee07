import type { ImportedRevision, ImportLine, ImportRecord } from '#core';
import { snakeCase, sql } from '../../connections/store.ts';
import { MetricPointEntity } from '../../entities/company-data.ts';

/** The largest number of records in one statement. More records would exceed the timeout. */
const recordsPerStatement = 1_000;

export const splitIntoParts = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / recordsPerStatement) }, (_, part) =>
    items.slice(part * recordsPerStatement, (part + 1) * recordsPerStatement),
  );

const notOfALine = [
  'seriesId',
  'period',
  'revision',
  'signedAt',
  'signature',
  'signingKey',
  'settingsChangeId',
];

/** A change to any of the value columns creates a new revision. */
export const valueColumns = Object.keys(MetricPointEntity.properties)
  .filter((name) => !notOfALine.includes(name))
  .map(snakeCase);

export const listOf = (names: readonly string[], table?: string) =>
  sql.raw(names.map((name) => (table === undefined ? name : `${table}.${name}`)).join(', '));

type Fragment = ReturnType<typeof sql>;

export const updateIfDistinct = (names: readonly string[], others?: Fragment) => sql`
  do update set (${listOf(names)}) = (${listOf(names, 'excluded')})${others ? sql`, ${others}` : sql``}
  where (${listOf(names, 'kept')}) is distinct from (${listOf(names, 'excluded')})`;

/** PostgreSQL sets xmax only for an updated row. */
export const wasInserted = sql`xmax = 0 as was_inserted`;

/** Finds one row for each line. `offset 0` makes the planner use the primary key, even if it expects a small table. */
export const rowOf = (table: string, alias: string, condition: Fragment) => sql`lateral (
  select * from ${sql.table(table)} as ${sql.ref(alias)} where ${condition} offset 0
) as ${sql.ref(alias)} on true`;

export const recordsOf = <Type extends ImportRecord['type']>(
  lines: readonly ImportLine[],
  type: Type,
) =>
  lines.flatMap(({ record }) =>
    record.type === type ? [record as Extract<ImportRecord, { readonly type: Type }>] : [],
  );

/** Returns JSON with column names. Amounts are written as text, so that the server reads every digit. */
export const toRows = (rows: readonly object[]): string =>
  JSON.stringify(
    rows.map((fields) =>
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [
          columnNames.getOrInsertComputed(name, snakeCase),
          value,
        ]),
      ),
    ),
  );

const columnNames = new Map<string, string>();

/**
 * Returns a row of `metric_point` with the key of its metric. A push may have a thousand rows. So the code lists the
 * column names instead of computing them, which is faster.
 */
export function pointOf(
  { source, verification, ...metric }: ImportedRevision,
  more: object,
): object {
  return {
    key: metric.key,
    period: metric.period,
    currency: metric.currency,
    raw_value: metric.rawValue,
    value: metric.value,
    as_of: metric.asOf,
    confidence: metric.confidence,
    source_system: source.system,
    source_method: source.method,
    last_synced: source.lastSynced,
    verified: verification.verified,
    source_signature: verification.sourceSignature,
    void_reason: 'voidReason' in metric ? metric.voidReason : null,
    ...more,
  };
}

/** Selects the rows as `point`. Each row has its metric `key` and its line number, counted from 1. */
export const pointsIn = (rows: string) => sql`
  (select fields ->> 'key' as key, line::integer, fields
    from jsonb_array_elements(${rows}::jsonb) with ordinality as input (fields, line)) as input
  cross join lateral jsonb_populate_record(null::metric_point, fields) as point`;
