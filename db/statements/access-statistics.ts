import type { AccessStatistics, CountedUse, GrantUsage, ReadsQuestion, UsesQuestion } from '#core';
import { type BatchLimits, queueQuestions } from '../connections/batch.ts';
import { type Stores, sql } from '../connections/store.ts';
import { isOfCompany } from './access-records/columns.ts';
import {
  countedUntil,
  countNextDay,
  countsOfRecords,
  dayOfRecord,
  listMiscountedDays,
} from './access-records/days.ts';
import { scopeByScope } from './access-records/lists.ts';
import { instantText } from './access-records/windows.ts';

interface CountedRow {
  readonly isOfInvestor: boolean;
  /** False for the row with the sum of all other investors or metrics. */
  readonly isNamed: boolean;
  readonly id: string | null;
  readonly name: string | null;
  readonly day: string;
  readonly allowed: string;
  readonly refused: string;
}

/**
 * Returns the time up to which records are counted. The other statements contain this time as a literal, so that the
 * planner excludes the partitions of counted dates.
 */
const countedAtLeast = sql<{ counted: Date }>`select ${countedUntil} as counted`;

/** Without the upper bound, the planner would expect a third of all records. */
const uncounted = (companyId: string, counted: Date) => sql`
  ${isOfCompany(companyId)} and occurred_at >= ${instantText(counted)}
  and occurred_at >= ${countedUntil} and occurred_at < 'infinity'`;

export const statements = {
  reads: (question: ReadsQuestion, counted: Date) => {
    const { companyId, environment, firstDay, lastDay, investorId, scope, most } = question;
    const matches = sql`
      investor_id in (select id from investor where environment = ${environment})
      ${investorId === undefined ? sql`` : sql`and investor_id = ${investorId}`}
      ${scope === undefined ? sql`` : sql`and scope = ${scope}`}`;
    return sql<CountedRow>`
      with own as materialized (
        select grouping(investor_id) = 0 as is_of_investor, day, investor_id, metric_key,
          sum(allowed) as allowed, sum(refused) as refused
        from (
          select day, investor_id, metric_key, allowed, refused from access_day_count
          where company_id = ${companyId} and day between ${firstDay}::date and ${lastDay}::date
            and ${matches}
          union all
          select ${dayOfRecord}, investor_id, metric_key, ${countsOfRecords} from access_record
          where ${uncounted(companyId, counted)}
            and occurred_at >= ${`${firstDay}T00:00:00Z`}::timestamptz
            and occurred_at < ${`${lastDay}T00:00:00Z`}::timestamptz + interval '24 hours'
            and ${matches}
          group by 1, 2, 3
        ) as reads
        group by day, grouping sets ((investor_id), (metric_key))
      ), busiest as (
        select investor_id as id from own where is_of_investor group by 1
        order by sum(allowed + refused) desc, 1 limit ${most}
      ), most_read as (
        select metric_key as key, true as is_named from own where not is_of_investor group by 1
        order by sum(allowed + refused) desc, coalesce(metric_key, '') limit ${most}
      )
      select true as "isOfInvestor", busiest.id is not null as "isNamed", busiest.id,
        investor.name, ${countsOfDay}
      from own left join busiest on busiest.id = investor_id
      left join investor on investor.id = busiest.id
      where is_of_investor group by 2, 3, 4, day
      union all
      select false, is_named is not null, most_read.key, null, ${countsOfDay}
      from own left join most_read on most_read.key is not distinct from metric_key
      where not is_of_investor group by 2, 3, day`;
  },

  usage: (companyId: string, ids: readonly string[], counted: Date) =>
    sql<Omit<GrantUsage, 'reads'> & { reads: string }>`
      with used as (
        select grant_id, reads, last_read_at from access_grant_use
        where grant_id = any(${ids}::text[])
        union all
        select grant_id, count(*), max(occurred_at) from access_record
        where ${uncounted(companyId, counted)} and grant_id = any(${ids}::text[])
        group by 1
      )
      select access_request.id as "accessRequestId", coalesce(sum(reads), 0) as reads,
        max(last_read_at) as "lastReadAt"
      from access_request left join used on used.grant_id = access_request.id
      where access_request.id = any(${ids}::text[]) and access_request.company_id = ${companyId}
      group by 1`,

  uses: ({ investorId, scopes, since, recentSince, limit }: UsesQuestion) =>
    sql<CountedUse & { isCut: boolean }>`
      with newest as materialized (
        ${scopeByScope(
          { investorId, scopes },
          sql`key_id, contact_id, outcome, count, occurred_at, question.needed`,
          sql`and occurred_at >= ${instantText(since)} and occurred_at < 'infinity'`,
          limit,
        )}
      )
      select key_id as "keyId", contact_id as "contactId", outcome, sum(count)::int as count,
        coalesce(sum(count) filter (where occurred_at >= ${recentSince}), 0)::int as "recentCount",
        exists (select from newest group by needed having count(*) >= ${limit}) as "isCut"
      from newest group by 1, 2, 3 order by 1, 2, 3`,
};

const countsOfDay = sql.raw(
  `to_char(day, 'YYYY-MM-DD') as day, sum(allowed) as allowed, sum(refused) as refused`,
);

/**
 * Uses connections that see all rows. With a row scope, the policies would keep the planner from using the indexes of
 * access records (decision record 0016).
 */
export function createAccessStatistics(
  { requests: store, longWork }: Stores,
  limits: BatchLimits,
): AccessStatistics {
  const readCounted = async () => {
    const [{ counted }] = (await store.run(countedAtLeast)) as [{ counted: Date }];
    return counted;
  };
  const readUsage = queueQuestions(
    async ([companyId, ids]: readonly [companyId: string, ids: readonly string[]]) =>
      store.run(statements.usage(companyId, ids, await readCounted())),
    limits,
  );
  const countUses = queueQuestions(
    (question: UsesQuestion) => store.run(statements.uses(question)),
    limits,
  );
  return {
    countReads: queueQuestions(
      async (question: ReadsQuestion) =>
        toReads(await store.run(statements.reads(question, await readCounted()))),
      limits,
    ),

    async readUsage(companyId, ids) {
      const rows = await readUsage([companyId, ids]);
      return rows.map((row) => ({ ...row, reads: Number(row.reads) }));
    },

    async countUses(question) {
      const rows = await countUses(question);
      const uses = rows.map(({ isCut: _, ...use }) => use);
      return { uses, isCut: rows[0]?.isCut === true };
    },

    countNextDay: (now) => countNextDay(longWork, now),
    listMiscountedDays: () => listMiscountedDays(longWork),
  };
}

function toReads(rows: readonly CountedRow[]) {
  const counted = rows.map(({ isOfInvestor, isNamed, id, name, day, ...counts }) => ({
    isOfInvestor,
    investor: id === null || name === null ? null : { id, name },
    metric: isNamed ? { key: id } : null,
    reads: { day, allowed: Number(counts.allowed), refused: Number(counts.refused) },
  }));
  return {
    byInvestor: counted
      .filter(({ isOfInvestor }) => isOfInvestor)
      .map(({ investor, reads }) => ({ investor, ...reads })),
    byMetric: counted
      .filter(({ isOfInvestor }) => !isOfInvestor)
      .map(({ metric, reads }) => ({ metric, ...reads })),
  };
}
