import type { DemoCompany } from './companies.ts';
import type { MonthlyFigures } from './history.ts';
import type { Month } from './month.ts';

type Systems = DemoCompany['systems'];

interface Definition {
  readonly key: string;
  readonly label: string;
  readonly category: string;
  readonly confidence: 'high' | 'medium' | 'low';
  readonly raw: (figures: MonthlyFigures) => number;
  /** For people; left to the importer for money. */
  readonly format?: (raw: number) => string;
  /** The system that the value is read from; `computed` from other metrics, `manual` when there is none. */
  readonly from: (systems: Systems) => string | null;
}

const ourselves = 'Portfolio Access';

const definitions: readonly Definition[] = [
  {
    key: 'cash_balance',
    label: 'Cash balance',
    category: 'liquidity',
    confidence: 'high',
    raw: ({ cash }) => cash,
    from: ({ bank }) => bank,
  },
  {
    key: 'burn_rate',
    label: 'Net burn rate',
    category: 'liquidity',
    confidence: 'high',
    raw: ({ burn }) => burn,
    from: ({ ledger }) => ledger,
  },
  {
    key: 'runway',
    label: 'Runway',
    category: 'liquidity',
    confidence: 'medium',
    raw: ({ runway }) => runway,
    format: (raw) => `${raw.toFixed(1)} months`,
    from: () => ourselves,
  },
  {
    key: 'mrr',
    label: 'Monthly recurring revenue',
    category: 'revenue',
    confidence: 'high',
    raw: ({ recurringRevenue }) => recurringRevenue,
    from: ({ billing }) => billing,
  },
  {
    key: 'arr',
    label: 'Annual recurring revenue',
    category: 'revenue',
    confidence: 'high',
    raw: ({ recurringRevenue }) => Math.round(recurringRevenue * 1200) / 100,
    from: () => ourselves,
  },
  {
    key: 'revenue',
    label: 'Revenue',
    category: 'revenue',
    confidence: 'high',
    raw: ({ revenue }) => revenue,
    from: ({ ledger }) => ledger,
  },
  {
    key: 'gross_margin',
    label: 'Gross margin',
    category: 'profitability',
    confidence: 'medium',
    raw: ({ grossMargin }) => grossMargin,
    format: (raw) => `${raw.toFixed(1)}%`,
    from: ({ ledger }) => ledger,
  },
  {
    key: 'headcount',
    label: 'Headcount',
    category: 'team',
    confidence: 'high',
    raw: ({ headcount }) => headcount,
    format: (raw) => `${raw}`,
    from: ({ payroll }) => payroll,
  },
];

/** What is money needs no format of its own. */
const isMoney = ({ format }: Definition) => format === undefined;

/** Every metric of one month of a company, as lines of an import have them. */
export function metricRecords(company: DemoCompany, figures: MonthlyFigures, month: Month) {
  return definitions.map((definition) => {
    const { key, label, category, format } = definition;
    const raw = definition.raw(figures);
    const system = definition.from(company.systems);
    return {
      type: 'metric',
      company_id: company.id,
      key,
      label,
      currency: isMoney(definition) ? company.currency : null,
      period: month.period,
      source: {
        system: system ?? 'Questionnaire',
        method: methodOf(system),
        last_synced: month.syncedAt,
      },
      // What somebody typed in has not been checked against anything.
      verification: { verified: system !== null },
      confidence: system === null ? 'low' : definition.confidence,
      ...(format && { value: format(raw) }),
      raw_value: raw,
      category,
      as_of: month.asOf,
    };
  });
}

function methodOf(system: string | null): 'manual' | 'computed' | 'api' {
  if (system === null) return 'manual';
  return system === ourselves ? 'computed' : 'api';
}
