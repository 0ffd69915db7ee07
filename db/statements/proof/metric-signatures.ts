import type { MetricSignature, MetricSignatures, ValueToSign } from '#core';
import { type StatementRunner, type Store, sql } from '../../connections/store.ts';
import { changeData, lockDataOf } from '../imports/data-versions.ts';
import { toArray } from '../rows.ts';
import { type ClaimsRow, claimsColumns, toBase64Array, toClaims } from './metric-claims.ts';

/** The number of values per statement. */
const windowSize = 1_000;

type Table = (typeof tables)[number];

/** The identity of a value: its table, series, period and revision. */
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
      // In this order, because a value that is replaced during the first loop is found in the second.
      for (const table of tables) {
        yield* listUnsignedOf(store, table);
      }
    },

    async keep(signatures) {
      const places = signatures.map(({ id }) => JSON.parse(id) as Place);
      return store.transact(async (inside) => {
        await lockDataOf(inside, companiesOf(places.map(([, seriesId]) => seriesId)));
        const kept: string[] = [];
        for (const table of tables) {
          const isOfTable = (_: unknown, index: number) => places[index]?.[0] === table;
          const own = places.filter(isOfTable);
          kept.push(...(await keep(inside, table, own, signatures.filter(isOfTable))));
        }
        await inside.run(changeData(companiesOf(kept)));
        return kept.length;
      });
    },
  };
}

const companiesOf = (seriesIds: readonly string[]) => sql`
  select company_id from metric_series where id = any(${toArray(seriesIds)}::bigint[])`;

/** Continues by primary key, however many values are already signed. */
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

/** Returns the series of each signature that was added. */
async function keep(
  store: StatementRunner,
  table: Table,
  places: readonly Place[],
  signatures: readonly MetricSignature[],
): Promise<string[]> {
  if (places.length === 0) return [];
  const kept = await store.run(sql<{ seriesId: string }>`
    update ${sql.table(table)} as kept
    set signed_at = input.signed_at, signature = decode(input.signature, 'base64'),
      signing_key = input.signing_key
    from unnest(
      ${toArray(places.map(([, seriesId]) => seriesId))}::bigint[],
      ${toArray(places.map(([, , period]) => period))}::date[],
      ${toArray(places.map(([, , , revision]) => revision))}::integer[],
      ${toArray(signatures.map(({ signedAt }) => signedAt.toISOString()))}::timestamptz[],
      ${toBase64Array(signatures)}::text[],
      ${toArray(signatures.map(({ keyNumber }) => keyNumber))}::smallint[]
    ) as input (series_id, period, revision, signed_at, signature, signing_key)
    where kept.series_id = input.series_id and kept.period = input.period
      and kept.revision = input.revision and kept.signature is null
    returning kept.series_id::text as "seriesId"`);
  return kept.map(({ seriesId }) => seriesId);
}
