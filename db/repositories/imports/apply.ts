import {
  failedStatus,
  type ImportCounts,
  type ImportRecord,
  type LastSigning,
  type TellChange,
} from '#core';
import { AccountEntity, SourceEntity } from '../../entities/company-data.ts';
import { type Statement, type StatementRunner, type Store, snakeCase, sql } from '../../store.ts';
import { byOperator, loggedColumns, newChangeId, subjectOf } from '../settings-changes.ts';
import { applyMetrics } from './apply-metrics.ts';
import { type Changed, tellOfChanges } from './changed-data.ts';
import {
  companyIsKnown,
  counts,
  expectedEnvironment,
  listOf as list,
  type StatementCounts,
  updateIfDistinct,
  wasInserted,
} from './lines.ts';
import { applyRevisions } from './revisions.ts';
import type { StagedLines } from './staged.ts';
import { stagingTableOf } from './staging.ts';

/**
 * Applies an import: one at a time, and of each of its companies nothing is pushed meanwhile; readers do not wait.
 *
 * @throws as applyStaged
 */
export async function applyImport(
  store: Store,
  staged: StagedLines,
  startedAt: Date,
  signing: LastSigning | undefined,
  problems: number,
  tell: TellChange = () => [],
): Promise<ImportCounts> {
  await store.run(sql`lock table import_run in share update exclusive mode`);
  // The planner cannot tell how many rows an upsert returns, and a nested loop over a million of them would never end.
  await store.run(sql`set local enable_nestloop = off`);
  await lockCompanies(store, staged);
  const { counts: counted, changes } = await applyStaged(
    store,
    staged,
    startedAt,
    signing,
    problems,
  );
  await tellOfChanges(store, changes, tell);
  return counted;
}

/** What came of lines, and what their companies have still to be told. */
interface Applied {
  readonly counts: ImportCounts;
  readonly changes: readonly Changed[];
}

async function lockCompanies(store: Store, { areOwn, types }: StagedLines): Promise<void> {
  if (types.size === 0) return;
  const named = [...types].map(
    (type) => sql`select company_id from ${sql.table(stagingTableOf(type))} where ${areOwn}`,
  );
  await lockDataOf(store, sql.join(named, sql` union `));
}

/**
 * So that the data of a company is changed by one transaction after the other. What else a company changes, its keys or
 * consents, never waits for this: the lock is that of the version, which every change of the data renews anyway.
 *
 * @param companies a list of ids, or a query for them; locked in one order, so that nobody waits in a circle
 */
export async function lockDataOf(
  store: StatementRunner,
  companies: Statement<unknown>,
): Promise<void> {
  await store.run(sql`
    insert into company_data_version (company_id, version)
    select id, 0 from company where id in (${companies}) order by id
    on conflict do nothing`);
  await store.run(sql`
    select count(*) from (
      select from company_data_version where company_id in (${companies})
      order by company_id for update
    ) as locked`);
}

/**
 * Makes what was staged visible, of an import or a push: everything that changes the data of companies passes here. What
 * is counted are things, not lines: a company, a metric's value of one period, a source, an account, a company's place in a
 * portfolio. Of several lines about a thing the last one counts. A thing that was not there counts as
 * inserted, one that differs from what was there as updated.
 *
 * A metric's label and category belong to all its periods and come from the import's last line about the metric. When
 * that changes them, only the value of that line counts as updated. So the same lines once more change nothing.
 *
 * @param problems how many lines were found to have problems
 * @throws SignaturesOutdated when too much would have to be signed; Refusal when revisions are not the next any more
 */
export async function applyStaged(
  store: StatementRunner,
  staged: StagedLines,
  startedAt: Date,
  signing: LastSigning | undefined,
  problems: number,
): Promise<Applied> {
  const { types } = staged;
  const run = async (
    type: ImportRecord['type'],
    statement: Statement<StatementCounts & Changed>,
  ) => (types.has(type) ? store.run(statement) : []);
  const ofCompany = await run('company', companies(staged, startedAt));
  const ofRevisions = await applyRevisions(store, staged, startedAt, problems);
  const ofMetrics = await applyMetrics(store, staged, signing);
  const source = ['company_id', 'provider', 'account_name'];
  const all: (StatementCounts & Changed)[] = [
    ...ofCompany,
    ofRevisions,
    ofMetrics,
    ...(await run('source', ofCompanies('source', staged, SourceEntity, source, startedAt))),
    ...(await run(
      'account',
      ofCompanies('account', staged, AccountEntity, ['company_id', 'id'], startedAt),
    )),
    ...(await run('portfolio', portfolios(staged, startedAt))),
  ];
  const sum = (of: keyof StatementCounts) => all.reduce((total, counted) => total + counted[of], 0);
  return {
    changes: all,
    counts: {
      inserted: sum('inserted'),
      updated: sum('updated'),
      unchanged: sum('unchanged'),
      signed: ofRevisions.signed + ofMetrics.signed,
      unsigned: ofRevisions.unsigned + ofMetrics.unsigned,
    },
  };
}

interface Entity {
  readonly properties: Record<string, unknown>;
}

/** No record says it. */
const toldColumn = 'is_stale_told';

const columnsBeside = (keys: readonly string[], { properties }: Entity) =>
  Object.keys(properties)
    .map(snakeCase)
    .filter((name) => !keys.includes(name) && name !== toldColumn);

const companies = (staged: StagedLines, startedAt: Date) => sql<StatementCounts>`
  ${staged.with('import_company')}, last as materialized (
    select distinct on (company_id) company_id as id, name, environment
    from import_company as staged
    where ${staged.areOwn} and environment = ${expectedEnvironment}
    order by company_id, line desc
  ), changed as (
    insert into company as kept (id, name, environment, created_at)
    select id, name, environment, ${startedAt}::timestamptz from last
    on conflict (id) do update set name = excluded.name
    where kept.name is distinct from excluded.name and kept.environment = excluded.environment
    returning id, ${wasInserted}
  ), told as (
    insert into settings_change (${loggedColumns})
    select ${newChangeId}, case when was_inserted then 'company.created' else 'company.renamed' end,
      ${startedAt}::timestamptz, id, null, ${byOperator},
      ${subjectOf(sql`id`, sql`last.name`)},
      jsonb_build_object('name', jsonb_build_object('from', former.name, 'to', last.name))
    from changed join last using (id) left join company as former using (id)
  )
  select ${counts} from last left join changed using (id)`;

/** Sources and accounts, whose rows name their company. What is there already is not even locked. */
function ofCompanies(
  table: 'source' | 'account',
  staged: StagedLines,
  entity: Entity,
  keys: readonly string[],
  now: Date,
) {
  const others = columnsBeside(keys, entity);
  const isSource = table === 'source';
  const isThere = sql.join(
    keys.map((key) => sql`there.${sql.raw(key)} = last.${sql.raw(key)}`),
    sql` and `,
  );
  return sql<StatementCounts & Changed>`
    ${staged.with(stagingTableOf(table))}, last as materialized (
      select distinct on (${list(keys)}) ${list(keys)}, ${list(others)}
      from ${sql.table(stagingTableOf(table))} as staged
      where ${staged.areOwn} and ${companyIsKnown}
      order by ${list(keys)}, line desc
    ), changed as (
      insert into ${sql.table(table)} as kept (${list(keys)}, ${list(others)})
      select ${list(keys, 'last')}, ${list(others, 'last')} from last
      left join ${staged.rowOf(table, 'there', isThere)}
      where (${list(others, 'last')}) is distinct from (${list(others, 'there')})
      on conflict (${list(keys)}) ${updateIfDistinct(others, isSource ? staysTold(now) : undefined)}
      returning ${list(keys)}, ${wasInserted}
    )${isSource ? sourcesBefore : sql``}
    select ${counts},
      coalesce((select json_agg(distinct company_id) from changed), '[]')
        as "${sql.raw(isSource ? 'sourcesOf' : 'accountsOf')}",
      coalesce((select json_agg(json_build_array(${list(keys)})) from changed where was_inserted), '[]')
        as "${sql.raw(isSource ? 'addedSources' : 'addedAccounts')}"
      ${isSource ? turnedSources(now) : sql``}
    from last left join changed using (${list(keys)})`;
}

/** What was told of a source holds until it is synced in time or has failed. */
const staysTold = (now: Date) => sql`is_stale_told = kept.is_stale_told
  and excluded.status <> ${failedStatus} and coalesce(excluded.stale_at <= ${now}::timestamptz, false)`;

/** As they were before the statement, which all of its parts see. */
const sourcesBefore = sql`, before as (
  select company_id, provider, account_name, source.status = ${failedStatus} as had_failed,
    source.is_stale_told as was_stale
  from last join source using (company_id, provider, account_name))`;

const isStale = (now: Date) => sql`coalesce(stale_at <= ${now}::timestamptz, false)`;

const turnedSources = (now: Date) => sql`, (
  select coalesce(json_agg(
    json_build_array(company_id, provider, account_name, status = ${failedStatus})), '[]')
  from changed
    join last using (company_id, provider, account_name)
    left join before using (company_id, provider, account_name)
  where case
    when status = ${failedStatus} then had_failed is not true
    else had_failed or (was_stale and not ${isStale(now)}) end
) as "turnedSources"`;

/** By now every company without a problem is there. A company that is in a portfolio already keeps its place. */
const portfolios = (staged: StagedLines, startedAt: Date) => sql<StatementCounts>`
  ${staged.with('import_portfolio')}, last as materialized (
    select distinct staged.investor_id, staged.company_id, company.environment
    from import_portfolio as staged
    join company on company.id = staged.company_id
    join investor on investor.id = staged.investor_id and investor.environment = company.environment
    where ${staged.areOwn}
  ), changed as (
    insert into portfolio_membership (investor_id, company_id, environment, added_at)
    select investor_id, company_id, environment, ${startedAt}::timestamptz from last
    on conflict (investor_id, company_id) do nothing
    returning investor_id, company_id, true as was_inserted
  ), told as (
    insert into settings_change (${loggedColumns})
    select ${newChangeId}, 'portfolio.company_added', ${startedAt}::timestamptz, company.id, investor.id,
      ${byOperator}, ${subjectOf(sql`company.id`, sql`company.name`)},
      jsonb_build_object('portfolioOf', jsonb_build_object('from', null, 'to', investor.name))
    from changed join company on company.id = company_id join investor on investor.id = investor_id
  )
  select ${counts} from last left join changed using (investor_id, company_id)`;
