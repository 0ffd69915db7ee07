import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MetricClaims, MetricSignature, MetricSignatures, ValueToSign } from '#core';
import { type StatementRunner, type Store, sql } from '../../store.ts';
import { toArray } from '../rows.ts';
import { type ClaimsRow, claimsColumns, toBase64Array, toClaims } from './metric-claims.ts';

/** How many values one statement brings. */
const windowSize = 1_000;

/** A signature takes a tenth of a millisecond. Between them the event loop serves others. */
const signedAtOnce = 10;

type Table = (typeof tables)[number];

/** Which value it is: its table, series, period and revision. */
type Place = readonly [table: Table, seriesId: string, period: string, revision: number];

interface UnsignedRow extends ClaimsRow {
  readonly seriesId: string;
}

const unsignedColumns = sql`point.series_id as "seriesId", company.environment, point.revision,
  ${claimsColumns('series', 'point')}`;

const tables = ['metric_point', 'metric_revision'] as const;

export function createMetricSignatures(store: Store): MetricSignatures {
  return {
    async *listUnsigned() {
      // In this order: a value that is replaced while the newest ones are gone through is found among the others.
      for (const table of tables) {
        yield* listUnsignedOf(store, table);
      }
    },

    async keep(signatures) {
      const places = signatures.map(({ id }) => JSON.parse(id) as Place);
      let kept = 0;
      for (const table of tables) {
        const isOfTable = (_: unknown, index: number) => places[index]?.[0] === table;
        const own = places.filter(isOfTable);
        kept += await keep(store, table, own, signatures.filter(isOfTable));
      }
      return kept;
    },
  };
}

/** By the primary key, so that it goes on where it was, however many values have a signature. */
async function* listUnsignedOf(store: Store, table: Table): AsyncGenerator<readonly ValueToSign[]> {
  let after: readonly [string, string, number] | null = ['0', '-infinity', 0];
  while (after !== null) {
    const [series, period, revision]: readonly [string, string, number] = after;
    const rows: UnsignedRow[] = await store.run(sql<UnsignedRow>`
      select ${unsignedColumns}
      from (
        select * from ${sql.table(table)}
        where (series_id, period, revision) > (${series}, ${period}::date, ${revision})
          and series_id >= ${series} and signature is null
        order by series_id, period, revision limit ${windowSize}
      ) as point
      join metric_series as series on series.id = point.series_id
      join company on company.id = series.company_id
      order by point.series_id, point.period, point.revision`);
    const last: UnsignedRow | undefined = rows.at(-1);
    if (rows.length > 0) yield rows.map((row) => toUnsigned(table, row));
    after = last && rows.length === windowSize ? [last.seriesId, last.period, last.revision] : null;
  }
}

function toUnsigned(table: Table, row: UnsignedRow): ValueToSign {
  const place: Place = [table, row.seriesId, row.period, row.revision];
  return { id: JSON.stringify(place), claims: toClaims(row) };
}

async function keep(
  store: StatementRunner,
  table: Table,
  places: readonly Place[],
  signatures: readonly MetricSignature[],
): Promise<number> {
  if (places.length === 0) return 0;
  const kept = await store.run(sql`
    update ${sql.table(table)} as kept
    set signed_at = given.signed_at, signature = decode(given.signature, 'base64'),
      signing_key = given.signing_key
    from unnest(
      ${toArray(places.map(([, seriesId]) => seriesId))}::bigint[],
      ${toArray(places.map(([, , period]) => period))}::date[],
      ${toArray(places.map(([, , , revision]) => revision))}::integer[],
      ${toArray(signatures.map(({ signedAt }) => signedAt.toISOString()))}::timestamptz[],
      ${toBase64Array(signatures)}::text[],
      ${toArray(signatures.map(({ keyNumber }) => keyNumber))}::smallint[]
    ) as given (series_id, period, revision, signed_at, signature, signing_key)
    where kept.series_id = given.series_id and kept.period = given.period
      and kept.revision = given.revision and kept.signature is null
    returning 1`);
  return kept.length;
}

type Sign = (claims: MetricClaims) => MetricSignature;

/** The signature of each. */
export async function signInTurns(
  rows: readonly ClaimsRow[],
  sign: Sign,
): Promise<MetricSignature[]> {
  const signatures: MetricSignature[] = [];
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % signedAtOnce === 0) await nextTurn();
    signatures.push(sign(toClaims(row)));
  }
  return signatures;
}

/** Signs the newest values of these series and periods, inside of the transaction that has changed them. */
export async function signPoints(
  inside: StatementRunner,
  points: readonly (readonly [seriesId: string, period: string])[],
  sign: Sign,
): Promise<void> {
  const rows = await inside.run(sql<UnsignedRow>`
    select ${unsignedColumns}
    from unnest(
      ${toArray(points.map(([seriesId]) => seriesId))}::bigint[],
      ${toArray(points.map(([, period]) => period))}::date[]
    ) as given (series_id, period)
    join metric_point as point using (series_id, period)
    join metric_series as series on series.id = point.series_id
    join company on company.id = series.company_id`);
  const places = rows.map(
    ({ seriesId, period, revision }): Place => ['metric_point', seriesId, period, revision],
  );
  await keep(inside, 'metric_point', places, await signInTurns(rows, sign));
}
