import type { DemoCompany } from './companies.ts';
import { seededRandom } from './random.ts';

/** What one month of a company looked like; money in its currency, to the cent. */
export interface MonthlyFigures {
  readonly cash: number;
  readonly burn: number;
  readonly recurringRevenue: number;
  readonly revenue: number;
  /** Per cent, one decimal. */
  readonly grossMargin: number;
  readonly headcount: number;
  /** Months, one decimal. */
  readonly runway: number;
}

/** No company of the demo earns more than it spends; this keeps the runway finite. */
const leastBurn = 10_000;

/** The story of a company, month by month: it grows, hires, spends, and raises money once. */
export function tellHistory(company: DemoCompany, months: number): MonthlyFigures[] {
  const random = seededRandom(company.id);
  const around = (value: number, spread: number) => value * (1 + (random() * 2 - 1) * spread);
  let { cash, recurringRevenue, headcount } = company.start;
  return Array.from({ length: months }, (_, month) => {
    recurringRevenue *= 1 + around(company.monthlyGrowth, 0.6);
    headcount += Math.round(random() * 0.9 + (month > company.round.month ? 0.5 : 0));
    const revenue = around(recurringRevenue, 0.03);
    const margin = around(company.grossMargin, 0.02);
    const spent = around(headcount * company.costPerHead, 0.05);
    const burn = toCents(Math.max(leastBurn, spent - revenue * margin));
    cash += (month === company.round.month ? company.round.amount : 0) - burn;
    return {
      cash: toCents(cash),
      burn,
      recurringRevenue: toCents(recurringRevenue),
      revenue: toCents(revenue),
      grossMargin: toTenths(margin * 100),
      headcount,
      runway: toTenths(cash / burn),
    };
  });
}

export function toCents(amount: number): number {
  return Math.round(amount * 100) / 100;
}

function toTenths(amount: number): number {
  return Math.round(amount * 10) / 10;
}
