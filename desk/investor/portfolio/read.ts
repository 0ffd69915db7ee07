import { maxFigureCompanies, type PortfolioFigures, type PortfolioState } from '#core';
import type { InvestorContext } from '../../context.ts';
import { isReadWithOthers } from '../figures.ts';
import {
  companiesPerPage,
  findCompanies,
  isSortedByFigures,
  maxMetrics,
  type Totals,
  type View,
} from './view.ts';

export interface ViewPart {
  readonly companies: readonly PortfolioState[];
  readonly totals: Totals;
  readonly figures: PortfolioFigures;
  /** Starts at 1. If the address has a higher number than `pageCount`, this is the last page. */
  readonly page: number;
  readonly pageCount: number;
}

const noFigures: PortfolioFigures = {
  ...{ metrics: [], keys: [], order: [] },
  ...{ companies: new Map(), refusals: new Map() },
};

/** Reads only the companies that share their metrics. */
async function readFigures(
  { caller, useCases, charge }: InvestorContext,
  companies: readonly PortfolioState[],
  { metrics, sortBy, isDescending }: View,
  part: { readonly offset: number; readonly count: number } | null,
  values: number,
): Promise<PortfolioFigures> {
  const companyIds = companies
    .filter(isReadWithOthers)
    .slice(0, maxFigureCompanies)
    .map(({ id }) => id);
  // The HTTP request itself has already cost one point.
  if (companyIds.length > 1) await charge(companyIds.length - 1);
  return useCases.investor.readPortfolioFigures(caller, {
    companyIds,
    order:
      sortBy === 'delivered' || typeof sortBy === 'object'
        ? { by: sortBy, descending: isDescending }
        : null,
    part,
    keys: metrics.length === 0 ? null : [...metrics],
    metrics: maxMetrics,
    values,
  });
}

interface Wanted {
  /** If absent, all pages of the view are read. */
  readonly page?: number;
  /** The number of values per metric. If 0, no figures are read. */
  readonly values: number;
}

export async function readViewPart(
  context: InvestorContext,
  view: View,
  { page: wantedPage, values }: Wanted,
): Promise<ViewPart> {
  const { caller, useCases, language } = context;
  const portfolio = await useCases.investor.readPortfolioOverview(caller);
  const { companies, totals } = findCompanies(portfolio, view, language.tag);
  const size = wantedPage === undefined ? Math.max(1, companies.length) : companiesPerPage;
  const pageCount = Math.max(1, Math.ceil(companies.length / size));
  const page = Math.min(wantedPage ?? 1, pageCount);
  const part = { offset: (page - 1) * size, count: size };
  const sliceOf = (all: readonly PortfolioState[]) =>
    all.slice(part.offset, part.offset + part.count);
  const result = { totals, page, pageCount };
  if (values === 0) return { ...result, companies: sliceOf(companies), figures: noFigures };
  if (!isSortedByFigures(view)) {
    const shown = sliceOf(companies);
    const figures = await readFigures(context, shown, view, null, values);
    return { ...result, companies: shown, figures };
  }
  const figures = await readFigures(context, companies, view, part, values);
  const byId = new Map(companies.map((company) => [company.id, company]));
  const sorted = figures.order.flatMap((id) => byId.get(id) ?? []);
  const read = new Set(figures.order);
  const others = companies.filter(({ id }) => !read.has(id));
  return { ...result, companies: sliceOf([...sorted, ...others]), figures };
}
