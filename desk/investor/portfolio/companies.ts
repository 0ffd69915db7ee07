import type { PortfolioState } from '#core';
import type { State, View } from './view.ts';

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

/** A company without access comes last in both directions. */
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
    // The figures decide the order. Companies without figures follow in the default order.
    default:
      return byName.toSorted((one, other) => rank[one.access] - rank[other.access]);
  }
}

interface FoundCompanies {
  /** The companies of the view. Sorted, unless figures decide the order. */
  readonly companies: readonly PortfolioState[];
  /** The number of found companies in each state. */
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
