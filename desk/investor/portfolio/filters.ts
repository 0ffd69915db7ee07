import {
  type CompanyAccess,
  companyAccesses,
  type PagePortfolioInput,
  type PortfolioOrder,
  portfolioOrders,
} from '#core';
import { withQuery } from '../../address.ts';
import type { InvestorContext } from '../../context.ts';
import { portfolioPath } from '../paths.ts';

/** More columns of figures cannot be compared on one screen. */
export const maxMetrics = 4;

/** Each company leaves a record and costs a point, so a page has no more than are looked at. */
const companiesOfPage = 25;

export interface Filters {
  readonly search: string | undefined;
  readonly access: CompanyAccess | undefined;
  readonly order: PortfolioOrder;
  /** The metrics that were chosen; empty: none was. */
  readonly metrics: readonly string[];
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** The values of a parameter, however often it was sent. */
export const allOf = ({ request }: Pick<InvestorContext, 'request'>, name: string): string[] =>
  [(request.query as Readonly<Record<string, string | string[] | undefined>>)[name] ?? []].flat();

/** What the address asks for; what it cannot mean counts as not said. */
export function readFilters(context: InvestorContext): Filters {
  const { search, access, order, after, before } = context.query;
  return {
    search: search?.trim() || undefined,
    access: companyAccesses.find((each) => each === access),
    order: portfolioOrders.find((each) => each === order) ?? 'name',
    metrics: allOf(context, 'metric').slice(0, maxMetrics),
    after,
    before: after === undefined ? before : undefined,
  };
}

/** Companies that came last stand first; by all else they stand in order. */
export function toPage({ search, access, order, after, before }: Filters): PagePortfolioInput {
  const size = before === undefined ? { first: companiesOfPage } : { last: companiesOfPage };
  return {
    ...size,
    ...{ search, access, order, after, before },
    descending: order === 'addedAt',
  };
}

/** The same list at another place; without one, from its beginning. */
export const withPlace = (
  { search, access, order, metrics }: Filters,
  place: { readonly after?: string; readonly before?: string } = {},
): string =>
  withQuery(portfolioPath, {
    ...{ search, access, order: order === 'name' ? undefined : order },
    ...place,
    metric: metrics,
  });
