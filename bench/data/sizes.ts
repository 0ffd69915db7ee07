import { historyPoints, metricDefinitions } from './metrics.ts';

export interface Sizes {
  readonly companies: number;
  /** The number of access requests, including ended ones. */
  readonly requests: number;
  readonly points: number;
  readonly longHistories: number;
  readonly loadInvestors: number;
}

export const portfolioSize = 50;
/** The number of access requests of an investor to the same company. Only the newest one decides about access. */
export const requestsPerPair = 10;

export const defaultSizes: Sizes = {
  companies: 500,
  requests: 100_000,
  points: 500_000,
  longHistories: 100,
  loadInvestors: 40,
};

export const smokeSizes: Sizes = {
  companies: 120,
  requests: 5_000,
  points: 30_000,
  longHistories: 5,
  loadInvestors: 10,
};

/** Returns the sizes for measurements that create most of their data themselves. */
export const ofReaders = (isSmoke: boolean): Sizes =>
  isSmoke
    ? { companies: 60, requests: 0, points: 20_000, longHistories: 2, loadInvestors: 4 }
    : { ...defaultSizes, points: 260_000, requests: 0 };

/** Returns the number of investors that only fill the tables and send no load. */
export function backgroundInvestors({ requests, loadInvestors }: Sizes): number {
  return Math.max(0, Math.round(requests / (portfolioSize * requestsPerPair)) - loadInvestors);
}

export function shortHistory({ companies, points, longHistories }: Sizes): number {
  const short = companies * metricDefinitions.length - longHistories;
  return Math.max(1, Math.round((points - longHistories * historyPoints) / short));
}
