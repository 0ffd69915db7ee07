import type { Metric, PortfolioState } from '#core';
import type { InvestorContext } from '../../context.ts';
import { type CellKind, fileRoutes } from '../workbook.ts';
import { readViewPart, type ViewPart } from './read.ts';
import { newestDelivery } from './table.ts';
import { readView } from './view.ts';

interface FileColumn {
  readonly name: string;
  readonly kind?: CellKind;
  /** The column with the currency of this column's amounts. */
  readonly currency?: FileColumn;
  readonly cellOf: (company: PortfolioState) => string | null;
}

function columnsOf({ figures }: ViewPart): FileColumn[] {
  const { keys, companies } = figures;
  const metrics = keys.flatMap((key, index): FileColumn[] => {
    const cell = (of: (value: Metric) => string | null) => (company: PortfolioState) => {
      const value = companies.get(company.id)?.histories[index]?.values.at(-1);
      return value === undefined ? null : of(value);
    };
    // A metric's key can contain dots. The prefix keeps the column names unique.
    const currency = { name: `currency.${key}`, cellOf: cell((value) => value.currency) };
    return [
      { name: `metric.${key}`, kind: 'amount', currency, cellOf: cell(({ rawValue }) => rawValue) },
      currency,
      { name: `period.${key}`, kind: 'date', cellOf: cell(({ period }) => period) },
    ];
  });
  return [
    { name: 'company_id', cellOf: ({ id }) => id },
    { name: 'company_name', cellOf: ({ name }) => name },
    { name: 'access', cellOf: ({ access }) => access },
    { name: 'access_paused', kind: 'flag', cellOf: ({ isAccessPaused }) => `${isAccessPaused}` },
    { name: 'late', kind: 'flag', cellOf: ({ isLate }) => `${isLate}` },
    { name: 'approved_scopes', cellOf: ({ grant }) => grant?.approvedScopes.join(' ') ?? null },
    {
      name: 'access_expires_at',
      kind: 'instant',
      cellOf: ({ grant }) => grant?.expiresAt.toISOString() ?? null,
    },
    ...metrics,
    {
      name: 'last_synced',
      kind: 'instant',
      cellOf: ({ id }) => newestDelivery(companies.get(id))?.toISOString() ?? null,
    },
  ];
}

/** Reads all companies of the view, with the same order and filters as the page. */
async function readTable(context: InvestorContext) {
  const part = await readViewPart(context, readView(context), { values: 1 });
  const columns = columnsOf(part);
  return {
    sheet: context.language.m.nav.portfolio,
    columns: columns.map(({ name, kind, currency }) => ({
      ...{ name, kind },
      currencyAt: currency && columns.indexOf(currency),
    })),
    rows: part.companies.map((company) => columns.map(({ cellOf }) => cellOf(company))),
  };
}

export const portfolioFileRoutes = fileRoutes('/portfolio', () => 'portfolio', readTable);
