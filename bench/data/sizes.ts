import { historyPoints, metricDefinitions } from './metrics.ts';

export interface Sizes {
  readonly companies: number;
  /** All access requests, including dead ones. */
  readonly requests: number;
  /** All metric points. */
  readonly points: number;
  /** Companies with a long history of one metric. */
  readonly longHistories: number;
  /** Investors whose keys are used under load. */
  readonly loadInvestors: number;
}

export const portfolioSize = 50;
/** For each pair of investor and company. The newest one counts. */
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

/** For measurements that create most of their data. */
export const ofReaders = (isSmoke: boolean): Sizes =>
  isSmoke
    ? { companies: 60, requests: 0, points: 20_000, longHistories: 2, loadInvestors: 4 }
    : { ...defaultSizes, points: 260_000, requests: 0 };

/** The number of investors that only fill the tables. */
export function backgroundInvestors({ requests, loadInvestors }: Sizes): number {
  return Math.max(0, Math.round(requests / (portfolioSize * requestsPerPair)) - loadInvestors);
}

/** The number of points of each series without a long history. */
export function shortHistory({ companies, points, longHistories }: Sizes): number {
  const short = companies * metricDefinitions.length - longHistories;
  return Math.max(1, Math.round((points - longHistories * historyPoints) / short));
}
