import type { ImportLine, ImportProblem } from '#core';
import { type StatementRunner, sql } from '../../connections/store.ts';

/** Returns a problem for each line that would change data from another source. */
export async function findForeign(
  inside: StatementRunner,
  companyId: string,
  lines: readonly ImportLine[],
  boundTo: string,
): Promise<readonly ImportProblem[]> {
  const values = lines.flatMap(({ line, record }) =>
    'metric' in record ? [{ line, ...record.metric }] : [],
  );
  const accounts = lines.flatMap(({ line, record }) =>
    record.type === 'account' ? [{ line, id: record.account.id }] : [],
  );
  const why = ` comes from another source, so a key that is bound to ${boundTo} cannot change it`;
  return inside.run(sql<ImportProblem>`
    select line, 'source.system: '
      || case when present.source_system <> ${boundTo} then input.key else 'the value of this period' end
      || ${why} as reason
    from unnest(
      ${values.map(({ line }) => line)}::integer[], ${values.map(({ key }) => key)}::text[],
      ${values.map(({ period }) => period)}::date[]
    ) as input (line, key, period)
    join metric_series as series on series.company_id = ${companyId} and series.key = input.key
    join lateral (
      select source_system from metric_point
      where series_id = series.id order by period desc limit 1
    ) as present on true
    left join metric_point as known
      on known.series_id = series.id and known.period = input.period
    where present.source_system <> ${boundTo} or known.source_system <> ${boundTo}
    union all
    select line, 'provider: the account ' || id || ${why}
    from unnest(
      ${accounts.map(({ line }) => line)}::integer[], ${accounts.map(({ id }) => id)}::text[]
    ) as input (line, id)
    join account as known using (id)
    where known.company_id = ${companyId} and known.provider <> ${boundTo}
    order by line`);
}
