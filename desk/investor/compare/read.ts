import { type Metric, maxFigureValues, type PortfolioCompany, type PortfolioFigures } from '#core';
import type { InvestorContext } from '../../context.ts';
import type { LineValue } from '../../plot/lines.ts';
import { isOneOff, isReadWithOthers, sharesMetrics } from '../figures.ts';
import type { Choice } from './choice.ts';

interface Series {
  readonly company: PortfolioCompany;
  /** The newest values in the chosen periods, oldest first: at least one value, at most `maxValues`. */
  readonly values: readonly Metric[];
  /** True if the company also has earlier values in the chosen periods, which weren't read. */
  readonly isCut: boolean;
}

/** A read may return one more value. If that extra value exists, the series is marked as cut. */
export const maxValues = maxFigureValues - 1;

export interface Comparison {
  /** The compared metric. Undefined if no company could be read. */
  readonly key: string | undefined;
  readonly metrics: PortfolioFigures['metrics'];
  readonly series: readonly Series[];
  /** Companies that have no value in the chosen periods. */
  readonly without: readonly PortfolioCompany[];
  /** Companies that don't share their metrics now. */
  readonly refused: readonly PortfolioCompany[];
  /** Companies whose access is one-off. Their figures aren't read. */
  readonly oneOff: readonly PortfolioCompany[];
}

const foundAtOnce = 20;

/** Returns the chosen companies in the chosen order, and other companies that share their metrics. */
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
      .filter((company) => isReadWithOthers(company) && !byId.has(company.id)),
  };
}

/** Reads only the companies that share their metrics, unless the access is one-off. Each company counts as one read. */
export async function readComparison(
  { caller, useCases, charge }: InvestorContext,
  { key, from, to }: Choice,
  chosen: readonly PortfolioCompany[],
): Promise<Comparison> {
  const sharing = chosen.filter(isReadWithOthers);
  const oneOff = chosen.filter((company) => sharesMetrics(company) && isOneOff(company));
  if (sharing.length > 1) await charge(sharing.length - 1);
  const { metrics, keys, companies } = await useCases.investor.readPortfolioFigures(caller, {
    companyIds: sharing.map(({ id }) => id),
    keys: key === undefined ? null : [key],
    metrics: 1,
    values: maxFigureValues,
    ...{ from, to },
  });
  const read = sharing
    .filter(({ id }) => companies.has(id))
    .map((company) => {
      const values = companies.get(company.id)?.histories[0]?.values ?? [];
      return { company, values: values.slice(-maxValues), isCut: values.length > maxValues };
    });
  return {
    key: keys[0],
    metrics,
    series: read.filter(({ values }) => values.length > 0),
    without: read.filter(({ values }) => values.length === 0).map(({ company }) => company),
    refused: chosen.filter((company) => !companies.has(company.id) && !oneOff.includes(company)),
    oneOff,
  };
}

interface Point extends LineValue {
  readonly text: string;
  readonly metric: Metric;
}

export interface Line {
  readonly company: PortfolioCompany;
  /** The points of the line, at least one, oldest first. */
  readonly points: readonly Point[];
}

/** Lines of a plot that share one scale. */
export interface Group {
  /** Null for counts, and for indexes, which have no currency. */
  readonly currency: string | null;
  readonly lines: readonly Line[];
}

/**
 * Groups the lines by currency, because amounts in two currencies have no common scale. If a company changed its
 * currency, each of the two groups has a line for it.
 */
export function groupByCurrency(series: readonly Series[]): Group[] {
  const parts = series.flatMap(({ company, values }) =>
    [...Map.groupBy(values, ({ currency }) => currency)].map(([currency, own]) => ({
      currency,
      line: {
        company,
        points: own.map((metric) => ({
          ...{ period: metric.period, amount: Number(metric.rawValue), text: metric.value, metric },
        })),
      },
    })),
  );
  return [...Map.groupBy(parts, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    lines: own.map(({ line }) => line),
  }));
}

/**
 * Returns each value relative to the first value, which counts as 100. Returns null if the currency changes, the first
 * value wasn't read, or the first value isn't positive.
 */
export function indexOf({ values, isCut }: Series): number[] | null {
  if (isCut) return null;
  const [first] = values;
  const base = Number(first?.rawValue);
  const isComparable = base > 0 && values.every(({ currency }) => currency === first?.currency);
  return isComparable ? values.map(({ rawValue }) => (Number(rawValue) / base) * 100) : null;
}

/**
 * Puts all series that have an index into one group. `notIndexed` lists companies without an index, except those whose
 * series is cut. The page reports cut series separately.
 */
export function groupIndexed(
  series: readonly Series[],
  textOf: (index: number) => string,
): { readonly groups: readonly Group[]; readonly notIndexed: readonly PortfolioCompany[] } {
  const indexed = series.map((each) => ({ ...each, index: indexOf(each) }));
  const lines = indexed.flatMap(({ company, values, index }) =>
    index === null
      ? []
      : {
          company,
          points: values.map((metric, at) => {
            const amount = index[at] ?? 0;
            return { period: metric.period, amount, text: textOf(amount), metric };
          }),
        },
  );
  return {
    groups: lines.length === 0 ? [] : [{ currency: null, lines }],
    notIndexed: indexed
      .filter(({ index, isCut }) => index === null && !isCut)
      .map(({ company }) => company),
  };
}

/** Returns all periods of the lines, newest first. */
export function periodsOf(lines: readonly Line[]): string[] {
  const periods = new Set(lines.flatMap(({ points }) => points.map(({ period }) => period)));
  return [...periods].toSorted().toReversed();
}

export function byPeriod(lines: readonly Line[], periods: readonly string[]) {
  const texts = lines.map(({ points }) => new Map(points.map((each) => [each.period, each.text])));
  return periods.map((period) => ({ period, texts: texts.map((each) => each.get(period)) }));
}
