import { type ImportCounts, Refusal } from '#core';
import { type StatementRunner, sql } from '../../store.ts';
import type { Changed, SeriesName } from './changed-data.ts';
import {
  expectedEnvironment,
  isInserted,
  listOf,
  newNamesIn,
  pointColumns,
  updateIfDistinct,
  wasInserted,
} from './lines.ts';
import type { StagedLines } from './staged.ts';

/** What a value is, without the place that it has. */
const pointOf = (table: string) => listOf(pointColumns, table);

const contentOf = (table: string) => listOf([...pointColumns, 'signature'], table);

/** A stored revision, the newest of its period or one that was replaced. */
const stored = (revision: ReturnType<typeof sql>) => sql`
  select ${listOf([...pointColumns, 'revision', 'signature'])} from metric_point
  where series_id = series.id and period = staged.period and revision = ${revision}
  union all
  select ${listOf([...pointColumns, 'revision', 'signature'])} from metric_revision
  where series_id = series.id and period = staged.period and revision = ${revision}`;

/** Rows of the same import about the same period, at a revision. */
const inFile = (revision: ReturnType<typeof sql>) => sql`
  select * from import_revision as other
  where other.import_id = staged.import_id and other.company_id = staged.company_id
    and other.key = staged.key and other.period = staged.period and other.revision = ${revision}`;

const before = sql`staged.revision - 1`;

/** The rows that cannot become the revision that they say, and why; the condition chooses them as `staged`. */
export const revisionProblems = (within: ReturnType<typeof sql>) => sql`
  select line, file_line, reason from (
    select staged.line, staged.file_line, case
      when staged.environment <> ${expectedEnvironment}
        then 'verification.signature: is of a company of the ' || staged.environment || ' environment'
      when known.revision is not null and (${pointOf('known')}) is distinct from (${pointOf('staged')})
        then 'revision: revision ' || staged.revision || ' of this period is another value here'
      when known.revision is not null and staged.signature is not null
        and known.signature is distinct from staged.signature
        then 'verification.signature: revision ' || staged.revision
          || ' of this period is here without this signature'
      when known.revision is null and staged.revision > coalesce(newest.revision, 0) + 1
        and not exists (${inFile(before)})
        then 'revision: revision ' || ${before} || ' of this period is missing'
      when exists (
        ${inFile(sql`staged.revision`)} and other.line < staged.line
          and (${contentOf('other')}) is distinct from (${contentOf('staged')}))
        then 'revision: revision ' || staged.revision || ' of this period is there twice'
      when known.revision is null and exists (
        select from (
          select ${listOf(pointColumns)} from (${stored(before)}) as stored
          union all select ${listOf(pointColumns)} from (${inFile(before)}) as given
        ) as former where (${pointOf('former')}) is not distinct from (${pointOf('staged')}))
        then 'revision: revision ' || ${before} || ' of this period is the same value'
      end as reason
    from (select * from import_revision where ${within}) as staged
    left join metric_series as series
      on series.company_id = staged.company_id and series.key = staged.key
    left join metric_point as newest
      on newest.series_id = series.id and newest.period = staged.period
    left join lateral (${stored(sql`staged.revision`)} limit 1) as known on true
  ) as looked_at where reason is not null`;

/**
 * Makes each row the revision that it says, when that is the next of its period, one revision after the other.
 *
 * @param problems how many rows were found to have problems
 * @throws Refusal `import_conflict` when more than these are not what is stored then, `signing_key_conflict` when a key is
 *   retired
 */
export async function applyRevisions(
  store: StatementRunner,
  staged: StagedLines,
  startedAt: Date,
  problems: number,
): Promise<ImportCounts & Changed> {
  const total = { inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0 };
  let series: readonly SeriesName[] = [];
  if (!staged.types.has('revision')) return total;

  const numbers = await store.run(
    sql<{ revision: number }>`
      ${staged.with('import_revision')} select distinct revision from import_revision
      where ${staged.areOwn} order by revision`,
  );
  await registerKeys(store, staged, startedAt);
  const { renamed, added: addedSeries } = await nameSeries(store, staged);
  total.updated += renamed.length;
  series = renamed;
  for (const { revision } of numbers) {
    for (const row of await store.run(applyOne(staged, revision))) {
      total.inserted += row.inserted;
      total.updated += row.updated;
      total.signed += row.signed;
      total.unsigned += row.unsigned;
      series = series.concat(row.series);
    }
  }
  const { same, other } = await compare(store, staged);
  if (other > problems) {
    const message =
      'others have changed the same values meanwhile, so nothing was imported; run it again';
    throw new Refusal('import_conflict', { message });
  }
  total.unchanged = Math.max(0, same - total.signed - total.unsigned);
  return { ...total, series, addedSeries };
}

/** In the same transaction as the values that they have signed, so that no other key is ever published. */
async function registerKeys(store: StatementRunner, staged: StagedLines, now: Date): Promise<void> {
  const { areOwn } = staged;
  const unknown = await store.run(sql<{ kid: string; publicKey: string }>`
    ${staged.with('import_revision')} select distinct kid, public_key as "publicKey"
    from import_revision as staged
    where ${areOwn} and kid is not null
      and not exists (select from signing_key where kid = staged.kid)`);
  // A push has none, and its role no right to add them.
  for (const { kid, publicKey } of unknown) {
    await store.run(sql`
      insert into signing_key (kid, public_key, created_at, is_imported)
      values (${kid}, ${publicKey}, ${now}::timestamptz, true)
      on conflict (kid) do nothing`);
  }
  // Nobody retires these until the values are there that depend on them.
  const keys = await store.run(sql<{ kid: string; retiredAt: Date | null }>`
    ${staged.with('import_revision')} select kid, retired_at as "retiredAt" from signing_key
    where kid in (select kid from import_revision where ${areOwn})
    for key share`);
  const retired = keys.find(({ retiredAt }) => retiredAt !== null);
  if (retired !== undefined) {
    const message = `the signing key ${retired.kid} has been retired meanwhile, so nothing was imported`;
    throw new Refusal('signing_key_conflict', { message });
  }
}

/** @returns the metrics that have another label or category now, and those that are new */
async function nameSeries(store: StatementRunner, staged: StagedLines) {
  const changed = await store.run(sql<{
    companyId: string;
    key: string;
    wasInserted: boolean;
  }>`
    ${staged.with('import_revision')}, ${newNamesIn('import_revision', staged)}
    insert into metric_series as kept (company_id, key, label, category)
    select company_id, key, label, category from names
    on conflict (company_id, key) ${updateIfDistinct(['label', 'category'])}
    returning company_id as "companyId", key, ${isInserted} as "wasInserted"`);
  const named = (isNew: boolean) =>
    changed
      .filter(({ wasInserted }) => wasInserted === isNew)
      .map(({ companyId, key }): SeriesName => [companyId, key]);
  return { renamed: named(false), added: named(true) };
}

const signatureColumns = ['revision', 'signed_at', 'signature', 'signing_key'];

/** The first of a period is inserted; a later one replaces the one before it, and nothing else. */
const applyOne = (staged: StagedLines, revision: number) => sql<
  Omit<ImportCounts, 'unchanged'> & { readonly series: readonly SeriesName[] }
>`
  ${staged.with('import_revision')}, next as (
    select distinct on (series.id, staged.period) series.id as series_id, staged.*,
      signing_key.number as signing_key
    from import_revision as staged
    join company on company.id = staged.company_id
    join metric_series as series
      on series.company_id = staged.company_id and series.key = staged.key
    left join signing_key on signing_key.kid = staged.kid
    left join lateral (
      select revision from metric_point
      where series_id = series.id and period = staged.period offset 0
    ) as known on true
    where ${staged.areOwn} and staged.revision = ${revision}
      and coalesce(staged.environment = company.environment, true)
      and coalesce(known.revision, 0) = ${revision - 1}
    order by series.id, staged.period, staged.line
  ), changed as (
    insert into metric_point as kept (series_id, period, ${listOf([...pointColumns, ...signatureColumns])})
    select series_id, period, ${listOf([...pointColumns, ...signatureColumns])} from next
    on conflict (series_id, period) ${updateIfDistinct(
      pointColumns,
      sql`(${listOf(signatureColumns)}) = (${listOf(signatureColumns, 'excluded')})`,
    )}
    returning series_id, signature is not null as is_signed, ${wasInserted}
  )
  select (select coalesce(json_agg(json_build_array(company_id, key)), '[]') from (
      select distinct company_id, key from changed
      join metric_series as series on series.id = series_id
    ) as changed_series) as series,
    (count(*) filter (where was_inserted))::integer as inserted,
    (count(*) filter (where not was_inserted))::integer as updated,
    (count(*) filter (where is_signed))::integer as signed,
    (count(*) filter (where not is_signed))::integer as unsigned
  from changed`;

/** How many rows are what is stored now, each value once, and how many are not. */
async function compare(
  store: StatementRunner,
  staged: StagedLines,
): Promise<{ same: number; other: number }> {
  const [row] = await store.run(sql<{ same: number; other: number }>`
    ${staged.with('import_revision')} select (count(distinct (staged.company_id, staged.key, staged.period, staged.revision))
        filter (where known.revision is not null))::integer as same,
      (count(*) filter (where known.revision is null))::integer as other
    from import_revision as staged
    left join metric_series as series
      on series.company_id = staged.company_id and series.key = staged.key
    left join lateral (
      select * from (${stored(sql`staged.revision`)} offset 0) as kept
      where (${pointOf('kept')}) is not distinct from (${pointOf('staged')})
        and (staged.signature is null or kept.signature = staged.signature)
    ) as known on true
    where ${staged.areOwn}`);
  return row ?? { same: 0, other: 0 };
}
