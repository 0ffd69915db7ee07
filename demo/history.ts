import type { DemoCompany } from './companies.ts';

export interface Month {
  /** The last date of the month, `YYYY-MM-DD`. */
  readonly period: string;
  /** The last second of the month, as an ISO text. */
  readonly asOf: string;
  /** A time in the first minutes of the next month. */
  readonly syncedAt: string;
}

/** The figures of a month. Amounts have two decimals. */
export interface MonthlyFigures {
  readonly cash: number;
  readonly burn: number;
  readonly mrr: number;
  readonly arr: number;
  readonly revenue: number;
  /** In percent, with one decimal. */
  readonly grossMargin: number;
  readonly headcount: number;
  /** In months, with one decimal. */
  readonly runway: number;
}

const minute = 60_000;
const second = 1_000;

/** The minimum burn. No demo company earns more than it spends, so its runway always has an end. */
const minBurn = 10_000;

/** Excludes the current month. The oldest month comes first. */
export function completeMonths(count: number, today: Date): Month[] {
  return Array.from({ length: count }, (_, index) => {
    const next = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - count + 1 + index);
    const asOf = new Date(next - second).toISOString();
    return { period: asOf.slice(0, 10), asOf, syncedAt: new Date(next + minute).toISOString() };
  });
}

/** The company grows, hires, spends and raises money once. */
export function simulateHistory(company: DemoCompany, months: number): MonthlyFigures[] {
  const random = seededRandom(company.id);
  const randomizeAround = (value: number, spread: number) =>
    value * (1 + (random() * 2 - 1) * spread);
  let { cash, recurringRevenue, headcount } = company.start;
  return Array.from({ length: months }, (_, month) => {
    recurringRevenue *= 1 + randomizeAround(company.monthlyGrowth, 0.6);
    headcount += Math.round(random() * 0.9 + (month > company.round.month ? 0.5 : 0));
    const revenue = randomizeAround(recurringRevenue, 0.03);
    const margin = randomizeAround(company.grossMargin, 0.02);
    const spent = randomizeAround(headcount * company.costPerHead, 0.05);
    const burn = toCents(Math.max(minBurn, spent - revenue * margin));
    cash += (month === company.round.month ? company.round.amount : 0) - burn;
    const mrr = toCents(recurringRevenue);
    return {
      cash: toCents(cash),
      burn,
      mrr,
      arr: toCents(mrr * 12),
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

/** Returns numbers from 0 to 1 (mulberry32). They depend only on the seed, so the demo data is always the same. */
function seededRandom(seed: string): () => number {
  let state = hash(seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return value;
}
