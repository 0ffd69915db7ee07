import type { DemoCompany } from './companies.ts';
import type { Month, MonthlyFigures } from './history.ts';

type Definition = readonly [
  key: string,
  label: string,
  category: string,
  figure: keyof MonthlyFigures,
  /** The product that the value comes from, or `computed` if the value is calculated from other metrics. */
  from: keyof DemoCompany['systems'] | 'computed',
  /** Formats the display text of a metric that isn't money. The import formats money itself, by its currency. */
  format?: (value: number) => string,
];

const months = (value: number) => `${value.toFixed(1)} months`;
const percent = (value: number) => `${value.toFixed(1)}%`;

const definitions: readonly Definition[] = [
  ['cash_balance', 'Cash balance', 'liquidity', 'cash', 'bank'],
  ['burn_rate', 'Net burn rate', 'liquidity', 'burn', 'ledger'],
  ['runway', 'Runway', 'liquidity', 'runway', 'computed', months],
  ['mrr', 'Monthly recurring revenue', 'revenue', 'mrr', 'billing'],
  ['arr', 'Annual recurring revenue', 'revenue', 'arr', 'computed'],
  ['revenue', 'Revenue', 'revenue', 'revenue', 'ledger'],
  ['gross_margin', 'Gross margin', 'profitability', 'grossMargin', 'ledger', percent],
  ['headcount', 'Headcount', 'team', 'headcount', 'payroll', String],
];

const estimatedKeys = new Set(['runway', 'gross_margin']);

export function metricRecords(company: DemoCompany, figures: MonthlyFigures, month: Month) {
  return definitions.map(([key, label, category, figure, from, format]) => {
    const isComputed = from === 'computed';
    const system = isComputed ? 'Portfolio Access' : company.systems[from];
    const value = figures[figure];
    return {
      type: 'metric',
      company_id: company.id,
      key,
      label,
      currency: format ? null : company.currency,
      period: month.period,
      source: {
        system: system ?? 'Questionnaire',
        method: isComputed ? 'computed' : system === null ? 'manual' : 'api',
        last_synced: month.syncedAt,
      },
      // A value without a product was entered by hand, so it isn't verified.
      verification: { verified: system !== null },
      confidence: system === null ? 'low' : estimatedKeys.has(key) ? 'medium' : 'high',
      ...(format && { value: format(value) }),
      raw_value: value,
      category,
      as_of: month.asOf,
    };
  });
}
