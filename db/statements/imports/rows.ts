import type { ImportedRevision, ImportLine, ImportRecord } from '#core';
import { snakeCase, sql } from '../../connections/store.ts';
import { MetricPointEntity } from '../../entities/company-data.ts';

/** The records in one statement. With more, the statement would exceed its timeout. */
const recordsAtOnce = 1_000;

export const inParts = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / recordsAtOnce) }, (_, part) =>
    items.slice(part * recordsAtOnce, (part + 1) * recordsAtOnce),
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

/** The fields of a value. A change of any of them is a new revision. */
export const valueColumns = Object.keys(MetricPointEntity.properties)
  .filter((name) => !notOfALine.includes(name))
  .map(snakeCase);

export const listOf = (names: readonly string[], table?: string) =>
  sql.raw(names.map((name) => (table === undefined ? name : `${table}.${name}`)).join(', '));

type Fragment = ReturnType<typeof sql>;

/** Updates an existing row only if one of these columns differs. */
export const updateIfDistinct = (names: readonly string[], others?: Fragment) => sql`
  do update set (${listOf(names)}) = (${listOf(names, 'excluded')})${others ? sql`, ${others}` : sql``}
  where (${listOf(names, 'kept')}) is distinct from (${listOf(names, 'excluded')})`;

/** A row version without an xmax was inserted by this statement, one with it updated. */
export const wasInserted = sql`xmax = 0 as was_inserted`;

/**
 * Looks up a row of another table for each line. There are few lines, so each is found by its key, even if the planner
 * expects a small table.
 */
export const rowOf = (table: string, alias: string, condition: Fragment) => sql`lateral (
  select * from ${sql.table(table)} as ${sql.ref(alias)} where ${condition} offset 0
) as ${sql.ref(alias)} on true`;

/** The records of one type. */
export const recordsOf = <Type extends ImportRecord['type']>(
  lines: readonly ImportLine[],
  type: Type,
) =>
  lines.flatMap(({ record }) =>
    record.type === type ? [record as Extract<ImportRecord, { readonly type: Type }>] : [],
  );

/** Returns JSON rows by column name. Amounts are text, so that the server reads every digit. */
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
 * Returns a row of `metric_point` with the key of its metric, under column names, because a push has a thousand of
 * them.
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

/** The rows of metric_point as `point`, with the `key` and the `line` of each, counted from 1. */
export const pointsIn = (rows: string) => sql`
  (select fields ->> 'key' as key, line::integer, fields
    from jsonb_array_elements(${rows}::jsonb) with ordinality as input (fields, line)) as input
  cross join lateral jsonb_populate_record(null::metric_point, fields) as point`;
