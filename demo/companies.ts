import type { CompanyAccess } from '#core';

export interface DemoCompany {
  readonly id: string;
  readonly name: string;
  readonly access: CompanyAccess;
  readonly currency: string;
  /** The figures at the start of the history, with amounts in whole units of the currency. */
  readonly start: {
    readonly cash: number;
    readonly recurringRevenue: number;
    readonly headcount: number;
  };
  readonly monthlyGrowth: number;
  readonly grossMargin: number;
  readonly costPerHead: number;
  /** A funding round. `month` is its month in the history. */
  readonly round: { readonly month: number; readonly amount: number };
  /** The software products of the company. Payroll is null if a person enters the number of employees by hand. */
  readonly systems: Readonly<Record<'bank' | 'card' | 'ledger' | 'billing', string>> & {
    readonly payroll: string | null;
  };
  /** The product whose connection is broken. Null if all connections work. */
  readonly disconnected: string | null;
}

export const demoCompanies = [
  {
    id: 'co_harbor',
    name: 'Harbor Robotics',
    access: 'approved',
    currency: 'USD',
    start: { cash: 3_800_000, recurringRevenue: 210_000, headcount: 31 },
    monthlyGrowth: 0.035,
    grossMargin: 0.71,
    costPerHead: 11_800,
    round: { month: 11, amount: 9_000_000 },
    systems: systems('Mercury', 'Brex', 'QuickBooks', 'Stripe', 'Gusto'),
    disconnected: 'Brex',
  },
  {
    id: 'co_juniper',
    name: 'Juniper Health',
    access: 'pending',
    currency: 'EUR',
    start: { cash: 2_150_000, recurringRevenue: 96_000, headcount: 18 },
    monthlyGrowth: 0.042,
    grossMargin: 0.78,
    costPerHead: 8_900,
    round: { month: 7, amount: 4_500_000 },
    systems: systems('Qonto', 'Pleo', 'DATEV', 'Chargebee', 'Personio'),
    disconnected: null,
  },
  {
    id: 'co_lumen',
    name: 'Lumen Energy',
    access: 'none',
    currency: 'USD',
    start: { cash: 6_400_000, recurringRevenue: 330_000, headcount: 52 },
    monthlyGrowth: 0.021,
    grossMargin: 0.58,
    costPerHead: 10_400,
    round: { month: 14, amount: 12_000_000 },
    systems: systems('Mercury', 'Ramp', 'NetSuite', 'Stripe', 'Rippling'),
    disconnected: null,
  },
  {
    id: 'co_orchard',
    name: 'Orchard Foods',
    access: 'revoked',
    currency: 'GBP',
    start: { cash: 1_250_000, recurringRevenue: 64_000, headcount: 12 },
    monthlyGrowth: 0.018,
    grossMargin: 0.44,
    costPerHead: 6_100,
    round: { month: 5, amount: 2_000_000 },
    systems: systems('Starling', 'Pleo', 'Xero', 'GoCardless', null),
    disconnected: null,
  },
] as const satisfies readonly DemoCompany[];

function systems(
  bank: string,
  card: string,
  ledger: string,
  billing: string,
  payroll: string | null,
): DemoCompany['systems'] {
  return { bank, card, ledger, billing, payroll };
}
