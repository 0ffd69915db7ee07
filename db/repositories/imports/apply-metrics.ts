import type { ImportCounts, LastSigning } from '#core';
import { type Store, sql } from '../../store.ts';
import { signPoints } from '../proof/metric-signatures.ts';
import { toArray } from '../rows.ts';
import type { Changed, SeriesName } from './changed-data.ts';
import {
  counts,
  lastOfEachValue,
  listOf,
  namesIn,
  pointColumns,
  type StatementCounts,
  updateIfDistinct,
  wasInserted,
} from './lines.ts';
import type { StagedLines } from './staged.ts';

/** Ends the transaction of an import that cannot be applied as it was signed. */
export class SignaturesOutdated extends Error {}

/** @throws SignaturesOutdated */
export async function applyMetrics(
  store: Store,
  staged: StagedLines,
  signing: LastSigning | undefined,
): Promise<ImportCounts & Changed> {
  if (!staged.types.has('metric')) {
    return { inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0 };
  }
  // Nobody retires these until the values are there that depend on them.
  const keys = await store.run(
    sql<{ number: number }>`select number from signing_key where retired_at is null for key share`,
  );
  const numbers = keys.map(({ number }) => number);
  if (signing !== undefined && !numbers.includes(signing.keyNumber)) throw new SignaturesOutdated();
  const relabelled = await store.run(series(staged));
  const ids = relabelled.map(({ id }) => id);
  const applied = await store.first(points(staged, ids, numbers, signing?.most ?? 0));
  if (applied === null) throw new Error('a count has a row');
  const { signed, unsigned, unsignedPoints, ...counted } = applied;
  if (signing === undefined || unsigned === 0) return { ...counted, signed, unsigned };
  if (unsigned > signing.most) throw new SignaturesOutdated();
  await signPoints(store, unsignedPoints, signing.sign);
  return { ...counted, signed: signed + unsigned, unsigned: 0 };
}

interface Applied extends StatementCounts {
  readonly series: readonly SeriesName[];
  readonly signed: number;
  readonly unsigned: number;
  /** As many of the unsigned as may be signed now: the series and the period of each. */
  readonly unsignedPoints: readonly (readonly [string, string])[];
}

/** A row differs by what a line says. Its revision and signature follow, the signature only if it is of this revision. */
const updateIfChanged = sql`
  ${updateIfDistinct(
    pointColumns,
    sql`
    revision = kept.revision + 1,
    (signed_at, signature, signing_key) = (
      select excluded.signed_at, excluded.signature, excluded.signing_key
      where excluded.revision = kept.revision + 1)`,
  )}`;

/**
 * The metrics themselves, and which of them have another label or category now. A statement of its own, because a policy
 * that lets values of a metric be written finds the metric only when it was there before the statement.
 */
const series = (staged: StagedLines) => sql<{ id: string }>`
  ${staged.with}, ${namesIn('import_metric', staged)}, changed as (
    insert into metric_series as kept (company_id, key, label, category)
    select company_id, key, label, category from names
    on conflict (company_id, key) ${updateIfDistinct(['label', 'category'])}
    returning id, ${wasInserted}
  )
  select id::text as id from changed where not was_inserted`;

const points = (
  staged: StagedLines,
  relabelled: readonly string[],
  signingKeys: readonly number[],
  mostUnsigned: number,
) => sql<Applied>`
  ${staged.with}, last as materialized (${lastOfEachValue(staged.importId)}),
  last_of_series as (
    select company_id, key, max(line) as last_line from last group by company_id, key
  ), series as (
    select company_id, key, last_line, environment, known.id,
      known.id = any(${toArray(relabelled)}::bigint[]) as is_relabelled
    from last_of_series
    join company on company.id = company_id
    join metric_series as known using (company_id, key)
  ), points as materialized (
    select series.id as series_id, series.company_id, series.key, period, is_relabelled and last.line = last_line as relabels,
      ${listOf(pointColumns)},
      case when given.signature is null then 1 else given.revision end as revision,
      given.signed_at, given.signature, given.signing_key
    from last join series using (company_id, key)
    left join import_signature as given
      on given.import_id = ${staged.importId} and given.line = last.line
        and given.environment = series.environment
        and given.signing_key = any(${signingKeys}::smallint[])
  ), changed_points as (
    insert into metric_point as kept (series_id, period, ${listOf(pointColumns)},
      revision, signed_at, signature, signing_key)
    select series_id, period, ${listOf(pointColumns)},
      revision, signed_at, signature, signing_key from points
    on conflict (series_id, period) ${updateIfChanged}
    returning series_id, period, signature is not null as is_signed, ${wasInserted}
  ), changed as (
    select case when relabels then coalesce(was_inserted, false) else was_inserted end
      as was_inserted, is_signed, company_id, key
    from points left join changed_points using (series_id, period)
  )
  select ${counts},
    (count(*) filter (where is_signed))::integer as signed,
    (count(*) filter (where not is_signed))::integer as unsigned,
    (select coalesce(json_agg(json_build_array(company_id, key)), '[]') from (
      select distinct company_id, key from changed where was_inserted is not null
    ) as changed_series) as series,
    (select coalesce(json_agg(json_build_array(series_id::text, period)), '[]')
      from (select series_id, period from changed_points
        where not is_signed limit ${mostUnsigned}) as late) as unsigned_points
  from changed`;
