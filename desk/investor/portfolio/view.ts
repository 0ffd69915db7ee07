import { isMetricKey, type PortfolioState } from '#core';
import { withQuery } from '../../address.ts';
import type { InvestorContext } from '../../context.ts';
import { portfolioPath } from '../paths.ts';

/** More columns wouldn't fit on one screen. */
export const maxMetrics = 4;

/** Limits the cost: reading a company's figures costs a rate limit point and creates an access record. */
export const companiesPerPage = 100;

export const states = ['shared', 'late', 'waiting', 'none'] as const;

type State = (typeof states)[number];

export const sortableColumns = ['access', 'company', 'until', 'delivered'] as const;

export type SortBy = (typeof sortableColumns)[number] | { readonly metric: string };

export interface View {
  readonly search: string | undefined;
  readonly state: State | undefined;
  readonly sortBy: SortBy;
  readonly isDescending: boolean;
  /** Keys of the chosen metrics. If empty, the most common metrics are shown. */
  readonly metrics: readonly string[];
  readonly page: number;
}

export const allOf = ({ request }: Pick<InvestorContext, 'request'>, name: string): string[] =>
  [(request.query as Readonly<Record<string, string | string[] | undefined>>)[name] ?? []].flat();

const maxSearchLength = 200;

/** Ignores invalid parameters. */
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

/** Metric keys have a prefix in the address, because a metric can have the same name as another column. */
function readSort(sort = ''): SortBy {
  const metric = sort.startsWith(metricPrefix) ? sort.slice(metricPrefix.length) : '';
  if (isMetricKey(metric)) return { metric };
  return sortableColumns.find((each) => each === sort) ?? 'access';
}

export const nameOfSort = (by: SortBy): string =>
  typeof by === 'string' ? by : metricPrefix + by.metric;

/** Returns true if sorting needs figures. The page then reads the figures of all companies that share them. */
export const isSortedByFigures = ({ sortBy }: View): boolean =>
  typeof sortBy === 'object' || sortBy === 'delivered';

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

const isIn: Readonly<Record<State, (company: PortfolioState) => boolean>> = {
  shared: ({ access }) => access === 'approved',
  late: ({ isLate }) => isLate,
  waiting: ({ access }) => access === 'pending',
  none: ({ access }) => access === 'none' || access === 'revoked',
};

export type Totals = Readonly<Record<State | 'all', number>>;

const countOf = (companies: readonly PortfolioState[]): Totals => ({
  all: companies.length,
  shared: companies.filter(isIn.shared).length,
  late: companies.filter(isIn.late).length,
  waiting: companies.filter(isIn.waiting).length,
  none: companies.filter(isIn.none).length,
});

const rank = { approved: 0, pending: 1, revoked: 2, none: 3 } as const;

/** A company without access comes last in both sort directions. */
function compareEnds(one: PortfolioState, other: PortfolioState, direction: 1 | -1): number {
  if (one.grant === null || other.grant === null)
    return Number(one.grant === null) - Number(other.grant === null);
  return direction * (one.grant.expiresAt.getTime() - other.grant.expiresAt.getTime());
}

function sortCompanies(
  companies: readonly PortfolioState[],
  { sortBy, isDescending }: View,
  language: string,
): readonly PortfolioState[] {
  const names = new Intl.Collator(language, { numeric: true });
  const byName = companies.toSorted((one, other) => names.compare(one.name, other.name));
  const direction = isDescending ? -1 : 1;
  switch (sortBy) {
    case 'company':
      return isDescending ? byName.toReversed() : byName;
    case 'until':
      return byName.toSorted((one, other) => compareEnds(one, other, direction));
    case 'access':
      return byName.toSorted((one, other) => direction * (rank[one.access] - rank[other.access]));
    // Sorts by access state. If the table is sorted by figures, this order applies to companies without figures.
    default:
      return byName.toSorted((one, other) => rank[one.access] - rank[other.access]);
  }
}

interface FoundCompanies {
  /** The companies of the view. They are already sorted, unless the view is sorted by figures. */
  readonly companies: readonly PortfolioState[];
  /** The number of matching companies in each access state. */
  readonly totals: Totals;
}

export function findCompanies(
  portfolio: readonly PortfolioState[],
  view: View,
  language: string,
): FoundCompanies {
  const { search, state } = view;
  const part = search?.toLocaleLowerCase();
  const found =
    part === undefined
      ? portfolio
      : portfolio.filter(({ name }) => name.toLocaleLowerCase().includes(part));
  const wanted = state === undefined ? found : found.filter(isIn[state]);
  return { companies: sortCompanies(wanted, view, language), totals: countOf(found) };
}
