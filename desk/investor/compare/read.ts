import { type Metric, maxFigureValues, type PortfolioCompany, type PortfolioFigures } from '#core';
import type { InvestorContext } from '../../context.ts';
import { sharesMetrics } from '../figures.ts';
import type { Choice } from './choice.ts';

/** The values of one company that lets them be read. */
export interface Series {
  readonly company: PortfolioCompany;
  /** Oldest first; at least one. */
  readonly values: readonly Metric[];
}

export interface Comparison {
  /** The metric that is compared; undefined: nothing could be read. */
  readonly key: string | undefined;
  /** What can be compared of the chosen companies. */
  readonly metrics: PortfolioFigures['metrics'];
  readonly series: readonly Series[];
  /** Companies that have no value in the periods. */
  readonly without: readonly PortfolioCompany[];
  /** Companies that do not let their metrics be read now. */
  readonly refused: readonly PortfolioCompany[];
}

const foundAtOnce = 20;

/** The chosen companies in their order, and others of the portfolio that share their metrics. */
export async function findCompanies(
  { caller, useCases: { investor } }: InvestorContext,
  { companyIds, search }: Choice,
): Promise<{ chosen: PortfolioCompany[]; others: PortfolioCompany[] }> {
  const ids = [...companyIds];
  const [own, found] = await Promise.all([
    investor.pagePortfolio(caller, { ids, first: ids.length }),
    investor.pagePortfolio(caller, { access: 'approved', search, first: foundAtOnce }),
  ]);
  const byId = new Map(own.edges.map(({ company }) => [company.id, company]));
  return {
    chosen: ids.map((id) => byId.get(id)).filter((company) => company !== undefined),
    others: found.edges
      .map(({ company }) => company)
      .filter((company) => sharesMetrics(company) && !byId.has(company.id)),
  };
}

/** One read and one record of each company that shares its metrics; of the others nothing is asked. */
export async function readComparison(
  { caller, useCases, charge }: InvestorContext,
  { key, from, to }: Choice,
  chosen: readonly PortfolioCompany[],
): Promise<Comparison> {
  const sharing = chosen.filter(sharesMetrics);
  if (sharing.length > 1) await charge(sharing.length - 1);
  const { metrics, keys, companies } = await useCases.investor.readPortfolioFigures(caller, {
    companyIds: sharing.map(({ id }) => id),
    keys: key === undefined ? null : [key],
    metrics: 1,
    values: maxFigureValues,
  });
  const within = ({ period }: Metric) => period >= (from ?? period) && period <= (to ?? period);
  const read = sharing
    .filter(({ id }) => companies.has(id))
    .map((company) => ({
      company,
      values: (companies.get(company.id)?.histories[0]?.values ?? []).filter(within),
    }));
  return {
    key: keys[0],
    metrics,
    series: read.filter(({ values }) => values.length > 0),
    without: read.filter(({ values }) => values.length === 0).map(({ company }) => company),
    refused: chosen.filter(({ id }) => !companies.has(id)),
  };
}

/** Series of one currency, or of what is no money. */
export interface Group {
  readonly currency: string | null;
  readonly series: readonly Series[];
}

/** Amounts of two currencies are never put on one scale; a company that has changed its currency stands in both. */
export function groupByCurrency(series: readonly Series[]): Group[] {
  const parts = series.flatMap(({ company, values }) =>
    [...Map.groupBy(values, ({ currency }) => currency)].map(([currency, own]) => ({
      currency,
      part: { company, values: own },
    })),
  );
  return [...Map.groupBy(parts, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    series: own.map(({ part }) => part),
  }));
}

/** Every period that one of the series has a value for, the newest first, with the value of each series. */
export function byPeriod(series: readonly Series[]) {
  const values = series.map(({ values }) => new Map(values.map((each) => [each.period, each])));
  const periods = new Set(values.flatMap((each) => [...each.keys()]));
  return [...periods]
    .toSorted()
    .toReversed()
    .map((period) => ({ period, values: values.map((each) => each.get(period)) }));
}
