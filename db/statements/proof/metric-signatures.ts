import type { MetricSignature, MetricSignatures, ValueToSign } from '#core';
import { type StatementRunner, type Store, sql } from '../../connections/store.ts';
import { changeData, lockDataOf } from '../imports/data-versions.ts';
import { pagesOf, toArray } from '../rows.ts';
import { type ClaimsRow, claimsColumns, toClaims } from './metric-claims.ts';

const valuesAtOnce = 1_000;

type Table = (typeof tables)[number];

type RevisionId = readonly [table: Table, seriesId: string, period: string, revision: number];

interface UnsignedRow extends ClaimsRow {
  readonly seriesId: string;
}

const unsignedColumns = sql`point.series_id as "seriesId", company.environment, point.revision,
  ${claimsColumns('series', 'point')}`;

const tables = ['metric_point', 'metric_revision'] as const;

export function createMetricSignatures(store: Store): MetricSignatures {
  return {
    async *listUnsigned() {
      // `metric_point` comes first, because a replaced value moves to `metric_revision`, where the next pass finds it.
      for (const table of tables) {
        yield* listUnsignedOf(store, table);
      }
    },

    async storeSignatures(signatures) {
      const revisionIds = signatures.map(({ id }) => JSON.parse(id) as RevisionId);
      return store.transact(async (inside) => {
        await lockDataOf(inside, companiesOf(revisionIds.map(([, seriesId]) => seriesId)));
        const stored: string[] = [];
        for (const table of tables) {
          const isOfTable = (_: unknown, index: number) => revisionIds[index]?.[0] === table;
          const own = revisionIds.filter(isOfTable);
          stored.push(...(await storeInTable(inside, table, own, signatures.filter(isOfTable))));
        }
        await inside.run(changeData(companiesOf(stored)));
        return stored.length;
      });
    },
  };
}

const companiesOf = (seriesIds: readonly string[]) => sql`
  select company_id from metric_series where id = any(${toArray(seriesIds)}::bigint[])`;

/** Reads in the order of the primary key, so that each page starts after the previous one and skips earlier values. */
async function* listUnsignedOf(store: Store, table: Table): AsyncGenerator<readonly ValueToSign[]> {
  const first = { seriesId: '0', period: '-infinity', revision: 0 };
  const read = (last: UnsignedRow | null) => {
    const { seriesId, period, revision } = last ?? first;
    return store.run(sql<UnsignedRow>`
      select ${unsignedColumns}
      from (
        select * from ${sql.table(table)}
        where (series_id, period, revision) > (${seriesId}, ${period}::date, ${revision})
          and series_id >= ${seriesId} and signature is null
        order by series_id, period, revision limit ${valuesAtOnce}
      ) as point
      join metric_series as series on series.id = point.series_id
      join company on company.id = series.company_id
      order by point.series_id, point.period, point.revision`);
  };
  for await (const rows of pagesOf(valuesAtOnce, read)) {
    yield rows.map((row) => {
      const revisionId: RevisionId = [table, row.seriesId, row.period, row.revision];
      return { id: JSON.stringify(revisionId), claims: toClaims(row) };
    });
  }
}

/** Stores signatures. Returns the ID of the metric series for each signature that was stored. */
async function storeInTable(
  store: StatementRunner,
  table: Table,
  revisionIds: readonly RevisionId[],
  signatures: readonly MetricSignature[],
): Promise<string[]> {
  if (revisionIds.length === 0) return [];
  const stored = await store.run(sql<{ seriesId: string }>`
    update ${sql.table(table)} as kept
    set signed_at = input.signed_at, signature = decode(input.signature, 'base64'),
      signing_key = input.signing_key
    from unnest(
      ${toArray(revisionIds.map(([, seriesId]) => seriesId))}::bigint[],
      ${toArray(revisionIds.map(([, , period]) => period))}::date[],
      ${toArray(revisionIds.map(([, , , revision]) => revision))}::integer[],
      ${toArray(signatures.map(({ signedAt }) => signedAt.toISOString()))}::timestamptz[],
      ${toArray(signatures.map(({ signature }) => signature.toBase64()))}::text[],
      ${toArray(signatures.map(({ keyNumber }) => keyNumber))}::smallint[]
    ) as input (series_id, period, revision, signed_at, signature, signing_key)
    where kept.series_id = input.series_id and kept.period = input.period
      and kept.revision = input.revision and kept.signature is null
    returning kept.series_id::text as "seriesId"`);
  return stored.map(({ seriesId }) => seriesId);
}
