import { failedStatus, type ImportCounts, type ImportLine, Refusal } from '#core';
import { type StatementRunner, snakeCase, sql } from '../../connections/store.ts';
import { AccountEntity, SourceEntity } from '../../entities/company-data.ts';
import { copyNames, restoreMembership } from '../memberships.ts';
import { byOperator, loggedColumns, newChangeId, subjectOf } from '../settings-changes.ts';
import { applyValues, type PushContext } from './apply-values.ts';
import type { Changed } from './changed-data.ts';
import {
  listOf as list,
  recordsOf,
  rowOf,
  splitIntoParts,
  toRows,
  updateIfDistinct,
  wasInserted,
} from './rows.ts';

type StatementCounts = Pick<ImportCounts, 'inserted' | 'updated' | 'unchanged'>;

/** Only counts of metric values contain `signed` and `unsigned`. */
export type Applied = StatementCounts & Partial<ImportCounts> & Changed;

/** Writes the records, except the company record. Counts values, sources, accounts and memberships, not lines. */
export async function applyLines(
  inside: StatementRunner,
  lines: readonly ImportLine[],
  context: PushContext,
): Promise<readonly Applied[]> {
  const { companyId, startedAt } = context;
  const applied: Applied[] = [...(await applyValues(inside, lines, context))];
  for (const sources of splitIntoParts(recordsOf(lines, 'source').map(({ source }) => source))) {
    const keys = ['company_id', 'provider', 'account_name'];
    applied.push(
      ...(await inside.run(upsert('source', toRows(sources), SourceEntity, keys, startedAt))),
    );
  }
  for (const accounts of splitIntoParts(
    recordsOf(lines, 'account').map(({ account }) => account),
  )) {
    const keys = ['company_id', 'id'];
    applied.push(
      ...(await inside.run(upsert('account', toRows(accounts), AccountEntity, keys, startedAt))),
    );
  }
  const investors = recordsOf(lines, 'portfolio').map(({ membership }) => membership.investorId);
  if (investors.length > 0)
    applied.push(...(await inside.run(portfolios(companyId, investors, startedAt))));
  return applied;
}

/** Adds the company of the import lines. Doesn't lock a company that already exists. */
export async function addCompany(
  inside: StatementRunner,
  lines: readonly ImportLine[],
  startedAt: Date,
): Promise<readonly Applied[]> {
  const [record] = recordsOf(lines, 'company');
  if (record === undefined) return [];
  const { id, name, environment } = record.company;
  const added = await inside.run(sql`
    with added as (
      insert into company (id, name, environment, created_at)
      values (${id}, ${name}, ${environment}, ${startedAt}::timestamptz)
      on conflict (id) do nothing
      returning id
    ), logged as (
      insert into settings_change (${loggedColumns})
      select ${newChangeId}, 'company.created', clock_timestamp(), id, null, ${byOperator},
        ${subjectOf(sql`id`, sql`${name}::text`)},
        jsonb_build_object('name', jsonb_build_object('from', null, 'to', ${name}::text))
      from added
    )
    select id from added`);
  return added.length === 0 ? [] : [{ inserted: 1, updated: 0, unchanged: 0 }];
}

/**
 * Renames the company if the lines have another name.
 *
 * @throws Refusal `import_conflict` if the company was added to the other environment meanwhile
 */
export async function renameCompany(
  inside: StatementRunner,
  lines: readonly ImportLine[],
): Promise<readonly Applied[]> {
  const [record] = recordsOf(lines, 'company');
  if (record === undefined) return [];
  const { id, name, environment } = record.company;
  const [found] = await inside.run(sql<{ environment: string; isRenamed: boolean }>`
    with former as (select name, environment from company where id = ${id}), renamed as (
      update company set name = ${name}
      where id = ${id} and environment = ${environment} and name <> ${name}
      returning id
    ), logged as (
      insert into settings_change (${loggedColumns})
      select ${newChangeId}, 'company.renamed', clock_timestamp(), id, null, ${byOperator},
        ${subjectOf(sql`id`, sql`${name}::text`)},
        jsonb_build_object('name', jsonb_build_object('from', former.name, 'to', ${name}::text))
      from renamed, former
    )
    select environment, exists (select from renamed) as "isRenamed" from former`);
  if (found?.environment !== environment) {
    const message = `another import has added ${id} to the ${found?.environment} environment meanwhile`;
    throw new Refusal('import_conflict', { message });
  }
  if (found.isRenamed) await inside.run(copyNames(sql`${id}`));
  return [{ inserted: 0, updated: Number(found.isRenamed), unchanged: Number(!found.isRenamed) }];
}

/** Counts inserted, updated and unchanged records. An unchanged record has no row in `changed`. */
const counts = sql`
  (count(*) filter (where was_inserted))::integer as inserted,
  (count(*) filter (where not was_inserted))::integer as updated,
  (count(*) filter (where was_inserted is null))::integer as unchanged`;

/** Inserts or updates rows. Doesn't write or lock unchanged rows. */
function upsert(
  table: 'source' | 'account',
  rows: string,
  { properties }: typeof SourceEntity | typeof AccountEntity,
  keys: readonly string[],
  now: Date,
) {
  const isSource = table === 'source';
  const others = Object.keys(properties)
    .map(snakeCase)
    .filter((name) => !keys.includes(name) && name !== 'is_stale_reported');
  const isSame = sql.join(
    keys.map((key) => sql`stored.${sql.raw(key)} = input.${sql.raw(key)}`),
    sql` and `,
  );
  return sql<Applied>`
    with input as materialized (
      select * from jsonb_populate_recordset(null::${sql.table(table)}, ${rows}::jsonb)
    ), changed as (
      insert into ${sql.table(table)} as kept (${list(keys)}, ${list(others)})
      select ${list(keys, 'input')}, ${list(others, 'input')} from input
      left join ${rowOf(table, 'stored', isSame)}
      where (${list(others, 'input')}) is distinct from (${list(others, 'stored')})
      on conflict (${list(keys)}) ${updateIfDistinct(others, isSource ? keepsReport(now) : undefined)}
      returning ${list(keys)}, ${wasInserted}
    )${isSource ? sourcesBefore : sql``}
    select ${counts},
      coalesce((select json_agg(distinct company_id) from changed), '[]')
        as "${sql.raw(isSource ? 'sourcesOf' : 'accountsOf')}",
      coalesce((select json_agg(json_build_array(${list(keys)})) from changed where was_inserted), '[]')
        as "${sql.raw(isSource ? 'addedSources' : 'addedAccounts')}"
      ${isSource ? failedOrRecoveredSources(now) : sql``}
    from input left join changed using (${list(keys)})`;
}

/** Keeps the flag `is_stale_reported` until the source is synced in time or has failed. */
const keepsReport = (now: Date) => sql`is_stale_reported = kept.is_stale_reported
  and excluded.status <> ${failedStatus} and coalesce(excluded.stale_at <= ${now}::timestamptz, false)`;

/** Selects the sources as they were before the statement. */
const sourcesBefore = sql`, before as (
  select company_id, provider, account_name, source.status = ${failedStatus} as had_failed,
    source.is_stale_reported as was_stale
  from input join source using (company_id, provider, account_name))`;

const isStale = (now: Date) => sql`coalesce(stale_at <= ${now}::timestamptz, false)`;

const failedOrRecoveredSources = (now: Date) => sql`, (
  select coalesce(json_agg(
    json_build_array(company_id, provider, account_name, status = ${failedStatus})), '[]')
  from changed
    join input using (company_id, provider, account_name)
    left join before using (company_id, provider, account_name)
  where case
    when status = ${failedStatus} then had_failed is not true
    else had_failed or (was_stale and not ${isStale(now)}) end
) as "failedOrRecoveredSources"`;

/** Adds the company to portfolios. A company that is already in a portfolio keeps its position. */
const portfolios = (
  companyId: string,
  investorIds: readonly string[],
  startedAt: Date,
) => sql<StatementCounts>`
  with input as materialized (
    select investor.id as investor_id, company.id as company_id, company.environment
    from company
    join investor on investor.environment = company.environment
    where company.id = ${companyId} and investor.id = any(${investorIds}::text[])
  ), changed as (
    insert into portfolio_membership (investor_id, company_id, environment, added_at, company_name)
    select investor_id, company_id, input.environment, ${startedAt}::timestamptz, company.name
    from input join company on company.id = company_id for share of company
    on conflict (investor_id, company_id) ${restoreMembership}
    returning investor_id, company_id, true as was_inserted
  ), logged as (
    insert into settings_change (${loggedColumns})
    select ${newChangeId}, 'portfolio.company_added', clock_timestamp(), company.id, investor.id,
      ${byOperator}, ${subjectOf(sql`company.id`, sql`company.name`)},
      jsonb_build_object('portfolioOf', jsonb_build_object('from', null, 'to', investor.name))
    from changed join company on company.id = company_id join investor on investor.id = investor_id
  )
  select ${counts} from input left join changed using (investor_id, company_id)`;
