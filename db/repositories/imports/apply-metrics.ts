import type { ImportCounts, LastSigning } from '#core';
import { type StatementRunner, sql } from '../../store.ts';
import { signPoints } from '../proof/metric-signatures.ts';
import { toArray } from '../rows.ts';
import type { Changed, SeriesName } from './changed-data.ts';
import { findChanges, signChanges } from './changed-values.ts';
import {
  counts,
  isInserted,
  lastOfEachValue,
  listOf,
  newNamesIn,
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
  store: StatementRunner,
  staged: StagedLines,
  signing: LastSigning | undefined,
): Promise<ImportCounts & Changed> {
  const nothing = { inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0 };
  if (!staged.types.has('metric')) return nothing;
  const found = staged.changing && (await findChanges(store, staged));
  // What is there already is neither signed nor written.
  if (found?.rows.length === 0 && !found.hasNewNames)
    return { ...nothing, unchanged: found.values };
  // Nobody retires these until the values are there that depend on them.
  const keys = await store.run(
    sql<{ number: number }>`select number from signing_key where retired_at is null for key share`,
  );
  const numbers = keys.map(({ number }) => number);
  if (signing !== undefined && !numbers.includes(signing.keyNumber)) throw new SignaturesOutdated();
  const written =
    found && staged.changing ? staged.changing(await signChanges(found.rows, signing)) : staged;
  const named =
    found?.hasNewNames === false ? [] : await store.run(series(staged.naming ?? staged));
  const ids = named.filter(({ wasInserted }) => !wasInserted).map(({ id }) => id);
  const addedSeries = named
    .filter(({ wasInserted }) => wasInserted)
    .map(({ companyId, key }): SeriesName => [companyId, key]);
  const [applied] = await store.run(points(written, ids, numbers, signing?.most ?? 0));
  if (applied === undefined) throw new Error('a count has a row');
  const { signed, unsigned, unsignedPoints, ...counted } = applied;
  if (signing === undefined || unsigned === 0) return { ...counted, addedSeries, signed, unsigned };
  if (unsigned > signing.most) throw new SignaturesOutdated();
  await signPoints(store, unsignedPoints, signing.sign);
  return { ...counted, addedSeries, signed: signed + unsigned, unsigned: 0 };
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
 * The metrics themselves: which are new, and which have another label or category now. A statement of its own, because a policy
 * that lets values of a metric be written finds the metric only when it was there before the statement.
 */
const series = (staged: StagedLines) => sql<{
  id: string;
  companyId: string;
  key: string;
  wasInserted: boolean;
}>`
  ${staged.with('import_metric')}, ${newNamesIn('import_metric', staged)}
  insert into metric_series as kept (company_id, key, label, category)
  select company_id, key, label, category from names
  on conflict (company_id, key) ${updateIfDistinct(['label', 'category'])}
  returning id::text as id, company_id as "companyId", key, ${isInserted} as "wasInserted"`;

/** It joins no lines with each other, because the planner cannot tell how many there are. */
const points = (
  staged: StagedLines,
  relabelled: readonly string[],
  signingKeys: readonly number[],
  mostUnsigned: number,
) => sql<Applied>`
  ${staged.with('import_metric')}, last as materialized (
    select *, line = max(line) over (partition by company_id, key) as is_last_of_series
    from (${lastOfEachValue(staged)}) as of_value
  ), points as materialized (
    select series.id as series_id, period,
      series.id = any(${toArray(relabelled)}::bigint[]) and is_last_of_series as relabels,
      ${listOf(pointColumns)},
      case when given.signature is null then 1 else given.revision end as revision,
      given.signed_at, given.signature, given.signing_key, ${staged.mayDiffer} as may_differ
    from last
    join ${staged.rowOf('company', 'company', sql`company.id = last.company_id`)}
    join ${staged.rowOf('metric_series', 'series', sql`series.company_id = last.company_id and series.key = last.key`)}
    left join ${staged.signatureOf(
      'last',
      sql`given.environment = company.environment
        and (given.signing_key is null or given.signing_key = any(${signingKeys}::smallint[]))`,
    )}
  ), changed_points as (
    insert into metric_point as kept (series_id, period, ${listOf(pointColumns)},
      revision, signed_at, signature, signing_key)
    select series_id, period, ${listOf(pointColumns)},
      revision, signed_at, signature, signing_key from points where may_differ
    on conflict (series_id, period) ${updateIfChanged}
    returning series_id, period, signature is not null as is_signed, ${wasInserted}
  ), changed as (
    select series_id,
      case when bool_or(relabels) then coalesce(bool_or(was_inserted), false)
        else bool_or(was_inserted) end as was_inserted,
      bool_or(is_signed) as is_signed
    from (
      select series_id, period, relabels, null::boolean as was_inserted, null::boolean as is_signed
      from points
      union all
      select series_id, period, null, was_inserted, is_signed from changed_points
    ) as point
    group by series_id, period
  )
  select ${counts},
    (count(*) filter (where is_signed))::integer as signed,
    (count(*) filter (where not is_signed))::integer as unsigned,
    (select coalesce(json_agg(json_build_array(series.company_id, series.key)), '[]') from (
      select distinct series_id from changed where was_inserted is not null
    ) as of_change
    join ${staged.rowOf('metric_series', 'series', sql`series.id = of_change.series_id`)}) as series,
    (select coalesce(json_agg(json_build_array(series_id::text, period)), '[]')
      from (select series_id, period from changed_points
        where not is_signed limit ${mostUnsigned}) as late) as "unsignedPoints"
  from changed`;
