import { isMetricKey } from '#core';
import { withQuery } from '../../address.ts';
import type { InvestorContext } from '../../context.ts';
import { portfolioPath } from '../paths.ts';

/** More columns of figures can't be compared on one screen. */
export const maxMetrics = 4;

/** Each company costs a point and leaves a record. */
export const companiesPerPage = 100;

export const states = ['shared', 'late', 'waiting', 'none'] as const;

export type State = (typeof states)[number];

export const sortableColumns = ['access', 'company', 'until', 'delivered'] as const;

export type SortBy = (typeof sortableColumns)[number] | { readonly metric: string };

export interface View {
  readonly search: string | undefined;
  readonly state: State | undefined;
  readonly sortBy: SortBy;
  readonly isDescending: boolean;
  /** Empty for the most common metrics. */
  readonly metrics: readonly string[];
  /** From 1. */
  readonly page: number;
}

/** Returns each value of a repeated parameter. */
export const allOf = ({ request }: Pick<InvestorContext, 'request'>, name: string): string[] =>
  [(request.query as Readonly<Record<string, string | string[] | undefined>>)[name] ?? []].flat();

const maxSearchLength = 200;

/** Omits invalid values of the address. */
export function readView(context: InvestorContext): View {
  const { search, access, sort, dir, page } = context.query;
  return {
    search: search?.trim().slice(0, maxSearchLength) || undefined,
    state: states.find((each) => each === access),
    sortBy: readSort(sort),
    isDescending: dir === 'desc',
    metrics: [...new Set(allOf(context, 'metric').filter(isMetricKey))].slice(0, maxMetrics),
    page: page !== undefined && /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
  };
}

const metricPrefix = 'metric:';

/** A metric may have the name of another column, so it has a prefix. */
function readSort(sort = ''): SortBy {
  const metric = sort.startsWith(metricPrefix) ? sort.slice(metricPrefix.length) : '';
  if (isMetricKey(metric)) return { metric };
  return sortableColumns.find((each) => each === sort) ?? 'access';
}

export const nameOfSort = (by: SortBy): string =>
  typeof by === 'string' ? by : metricPrefix + by.metric;

/** Such a sort reads the figure of each company that shares it. */
export const isSortedByFigures = ({ sortBy }: View): boolean =>
  typeof sortBy === 'object' || sortBy === 'delivered';

/** The address of the page, or of the file with the whole view. */
export const addressOf = (
  { search, state, sortBy, isDescending, metrics, page }: View,
  path = portfolioPath,
): string =>
  withQuery(path, {
    search,
    access: state,
    sort: sortBy === 'access' ? undefined : nameOfSort(sortBy),
    dir: isDescending ? 'desc' : undefined,
    metric: metrics,
    page: page === 1 ? undefined : `${page}`,
  });
