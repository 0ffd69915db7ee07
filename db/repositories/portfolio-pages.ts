import { type Directory, noEnd, type PortfolioOrder, type PortfolioPart } from '#core';
import { type BatchLimits, batched } from '../batch.ts';
import { CompanyEntity } from '../entities/identity.ts';
import { columnsOf, type Scopes, sql } from '../store.ts';
import {
  accessAt,
  newestColumns,
  type PortfolioRow,
  standingOfMembership,
  toEntry,
} from './newest-request.ts';
import { byQuestion } from './rows.ts';

type PageRow = PortfolioRow & { readonly position: string; readonly addedAt: Date };

/** What a column is ordered by, and what comes before and after everything that it can hold. */
const orders: Readonly<
  Record<PortfolioOrder, { column: string; type: string; lowest: string; highest: string }>
> = {
  // No name has more than 200 characters, and no character a higher code point.
  name: {
    column: 'membership.company_name',
    type: 'text',
    lowest: '',
    highest: '\u{10ffff}'.repeat(201),
  },
  addedAt: {
    column: 'membership.added_at',
    type: 'timestamptz',
    lowest: '-infinity',
    highest: 'infinity',
  },
  // It stands beside each pair, so that by this order the whole portfolio is read.
  endsAt: {
    column: `case when standing.newest_status = 'approved' and standing.newest_deadline_at > asked.now
      then standing.newest_deadline_at else '${noEnd.toISOString()}'::timestamptz end`,
    type: 'timestamptz',
    lowest: '-infinity',
    highest: 'infinity',
  },
};

type Kind = Pick<PortfolioPart, 'order' | 'isDownward'> & { readonly isOfIds: boolean };

const id = sql`membership.company_id collate "C"`;

/** Exported for the test that looks at their plans. */
export const statements = {
  page: ({ order, isDownward, isOfIds }: Kind, parts: readonly PortfolioPart[]) => {
    const { column, type, lowest, highest } = orders[order];
    const direction = sql.raw(isDownward ? 'desc' : 'asc');
    const value = sql.raw(column);
    const types = sql.raw(`${type}[]`);
    // Without the offset the planner may read the whole portfolio to find a few companies in it.
    const memberships = isOfIds
      ? sql`unnest(asked.ids::text[]) as wanted (id)
          cross join lateral (
            select * from portfolio_membership
            where investor_id = asked.investor_id and company_id = wanted.id
            offset 0
          ) as membership`
      : sql`portfolio_membership as membership`;
    return sql<PageRow>`
      select asked.position, page.*
      from unnest(
        ${parts.map(({ investorId }) => investorId)}::text[],
        ${parts.map(({ above }) => above?.value ?? lowest)}::${types},
        ${parts.map(({ above }) => above?.id ?? '')}::text[],
        ${parts.map(({ below }) => below?.value ?? highest)}::${types},
        ${parts.map(({ below }) => below?.id ?? '')}::text[],
        ${parts.map(({ ids }) => ids && `{${ids.join(',')}}`)}::text[],
        ${parts.map(({ search }) => search)}::text[],
        ${parts.map(({ access }) => access)}::text[],
        ${parts.map(({ now }) => now)}::timestamptz[],
        ${parts.map(({ limit }) => limit)}::int[]
      ) with ordinality as asked (
        investor_id, above, above_id, below, below_id, ids, search, access, now, length, position
      )
      cross join lateral (
        select ${columnsOf(CompanyEntity, 'company', 'suspendedAt')}, membership.added_at as "addedAt",
          ${value} as place, ${id} as "placeId", ${newestColumns}
        from ${memberships}
        join company on company.id = membership.company_id
        ${standingOfMembership}
        where membership.investor_id = asked.investor_id and standing.in_portfolio
          and (${value}, ${id}) > (asked.above, asked.above_id)
          and (${value}, ${id}) < (asked.below, asked.below_id)
          and (asked.search is null
            or strpos(lower(membership.company_name collate "default"), lower(asked.search)) > 0)
          and (asked.access is null or ${accessAt(sql`asked.now`)} = asked.access)
        order by ${value} ${direction}, ${id} ${direction}
        limit asked.length
      ) as page
      order by asked.position, page.place ${direction}, page."placeId" ${direction}`;
  },
};

/** A statement reads at most so many pages, each of up to 200 companies. */
const pagesAtOnce = 16;

/** Pages of one order and direction that are asked for together share a statement. */
export function portfolioPages(batches: Scopes, limits: BatchLimits): Directory['pagePortfolio'] {
  const read = (kind: Kind) =>
    batched(
      async (parts: readonly PortfolioPart[]) => {
        const investors = parts.map(({ investorId }) => investorId);
        const rows = await batches.scoped({ investors }).run(statements.page(kind, parts));
        return byQuestion(rows, parts.length).map((own) =>
          own.map((row) => ({ ...toEntry(row), addedAt: row.addedAt })),
        );
      },
      { ...limits, size: pagesAtOnce },
    );
  const readers = new Map<string, ReturnType<typeof read>>();
  return (part) => {
    const { order, isDownward, ids } = part;
    const isOfIds = ids !== null;
    return readers.getOrInsertComputed(`${order} ${isDownward} ${isOfIds}`, () =>
      read({ order, isDownward, isOfIds }),
    )(part);
  };
}
