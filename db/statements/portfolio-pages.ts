import type { RawBuilder } from 'kysely';
import {
  type Directory,
  noEnd,
  type PortfolioFilter,
  type PortfolioOrder,
  type PortfolioPart,
} from '#core';
import { type BatchLimits, batchQuestions } from '../connections/batch.ts';
import { compiledOnce } from '../connections/compiled-once.ts';
import { columnsOf, type Scopes, sql } from '../connections/store.ts';
import { CompanyEntity } from '../entities/identity.ts';
import { isOpen, membershipOf } from './memberships.ts';
import {
  accessAt,
  newestColumns,
  newestOfMembership,
  type PortfolioRow,
  toEntry,
} from './newest-request.ts';
import { byQuestion } from './rows.ts';

type PageRow = PortfolioRow & { readonly position: string; readonly addedAt: Date };

/** The sort columns. `lowest` sorts before all values of the column, and `highest` after them. */
const orders: Readonly<
  Record<PortfolioOrder, { column: string; type: string; lowest: string; highest: string }>
> = {
  // A name has at most 200 characters, so 201 times the highest code point sorts after all names.
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
  // Sorting by `endsAt` reads the complete portfolio, because each value is in a company's newest access request.
  endsAt: {
    column: `case when newest.status = 'approved' and newest.deadline_at > question.now
      then newest.deadline_at else '${noEnd.toISOString()}'::timestamptz end`,
    type: 'timestamptz',
    lowest: '-infinity',
    highest: 'infinity',
  },
};

type Kind = Pick<PortfolioPart, 'order' | 'isDownward'> & { readonly isOfIds: boolean };

const nameHas = (part: RawBuilder<unknown>) =>
  sql`strpos(lower(membership.company_name collate "default"), lower(${part}::text)) > 0`;

const id = sql`membership.company_id collate "C"`;

export const statements = {
  page: ({ order, isDownward, isOfIds }: Kind) => {
    const { column, type, lowest, highest } = orders[order];
    const direction = sql.raw(isDownward ? 'desc' : 'asc');
    const value = sql.raw(column);
    const types = sql.raw(`${type}[]`);
    const memberships = isOfIds
      ? sql`unnest(question.ids::text[]) as wanted (id)
          cross join ${membershipOf(sql`question.investor_id`, sql`wanted.id`)}`
      : sql`portfolio_membership as membership`;
    return compiledOnce<readonly PortfolioPart[], PageRow>(
      (parameter) => sql`
      select question.position, page.*
      from unnest(
        ${parameter((parts) => parts.map(({ investorId }) => investorId))}::text[],
        ${parameter((parts) => parts.map(({ above }) => above?.value ?? lowest))}::${types},
        ${parameter((parts) => parts.map(({ above }) => above?.id ?? ''))}::text[],
        ${parameter((parts) => parts.map(({ below }) => below?.value ?? highest))}::${types},
        ${parameter((parts) => parts.map(({ below }) => below?.id ?? ''))}::text[],
        ${parameter((parts) => parts.map(({ ids }) => ids && `{${ids.join(',')}}`))}::text[],
        ${parameter((parts) => parts.map(({ search }) => search))}::text[],
        ${parameter((parts) => parts.map(({ access }) => access))}::text[],
        ${parameter((parts) => parts.map(({ now }) => now))}::timestamptz[],
        ${parameter((parts) => parts.map(({ limit }) => limit))}::int[]
      ) with ordinality as question (
        investor_id, above, above_id, below, below_id, ids, search, access, now, length, position
      )
      cross join lateral (
        select ${columnsOf(CompanyEntity, 'company', 'suspendedAt')}, membership.added_at as "addedAt",
          ${value} as place, ${id} as "placeId", ${newestColumns}
        from ${memberships}
        join company on company.id = membership.company_id
        ${newestOfMembership}
        where membership.investor_id = question.investor_id and ${isOpen}
          and (${value}, ${id}) > (question.above, question.above_id)
          and (${value}, ${id}) < (question.below, question.below_id)
          and (question.search is null or ${nameHas(sql`question.search`)})
          and (question.access is null or ${accessAt(sql`question.now`)} = question.access)
        order by ${value} ${direction}, ${id} ${direction}
        limit question.length
      ) as page
      order by question.position, page.place ${direction}, page."placeId" ${direction}`,
    );
  },
};

/** Counts the companies. Reads the newest access requests only if the filter depends on them. */
export const countPortfolio = ({ investorId, ids, search, access, now }: PortfolioFilter) =>
  sql<{ count: string }>`
    select count(*) from portfolio_membership as membership
    ${access === null ? sql`` : newestOfMembership}
    where membership.investor_id = ${investorId} and ${isOpen}
      ${ids === null ? sql`` : sql`and membership.company_id = any(${[...ids]}::text[])`}
      ${search === null ? sql`` : sql`and ${nameHas(sql`${search}`)}`}
      ${access === null ? sql`` : sql`and ${accessAt(sql`${now}`)} = ${access}`}`;

/** The number of pages that one statement reads. Each page has up to 200 companies. */
const pagesAtOnce = 16;

/** Pages with the same order and direction share one statement. */
export function portfolioPages(batches: Scopes, limits: BatchLimits): Directory['pagePortfolio'] {
  const read = (kind: Kind) => {
    const page = statements.page(kind);
    return batchQuestions(
      async (parts: readonly PortfolioPart[]) => {
        const investors = parts.map(({ investorId }) => investorId);
        const rows = await batches.scoped({ investors }).run(page(parts));
        return byQuestion(rows, parts.length).map((own) =>
          own.map((row) => ({ ...toEntry(row), addedAt: row.addedAt })),
        );
      },
      { ...limits, size: pagesAtOnce },
    );
  };
  const readers = new Map<string, ReturnType<typeof read>>();
  return (part) => {
    const { order, isDownward, ids } = part;
    const isOfIds = ids !== null;
    return readers.getOrInsertComputed(`${order} ${isDownward} ${isOfIds}`, () =>
      read({ order, isDownward, isOfIds }),
    )(part);
  };
}
