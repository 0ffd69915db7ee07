import { historyPoints, metricDefinitions } from './metrics.ts';

/** How much there is in the database. */
export interface Sizes {
  readonly companies: number;
  /** Access requests in all, dead ones included. */
  readonly requests: number;
  /** Metric points in all. */
  readonly points: number;
  /** Companies with a long history of one metric. */
  readonly longHistories: number;
  /** Investors whose keys are used under load: all of their companies have granted everything. */
  readonly loadInvestors: number;
}

export const portfolioSize = 50;
/** Of each pair of investor and company; the newest is the one that counts. */
export const requestsPerPair = 10;

export const defaultSizes: Sizes = {
  companies: 500,
  requests: 100_000,
  points: 500_000,
  longHistories: 100,
  loadInvestors: 40,
};

/** Enough for every program to do its work once. */
export const smokeSizes: Sizes = {
  companies: 120,
  requests: 5_000,
  points: 30_000,
  longHistories: 5,
  loadInvestors: 10,
};

/** For what is measured with data of its own: enough of the others' to be asked for. */
export const ofReaders = (isSmoke: boolean): Sizes =>
  isSmoke
    ? { companies: 60, requests: 0, points: 20_000, longHistories: 2, loadInvestors: 4 }
    : { ...defaultSizes, points: 260_000, requests: 0 };

/** Investors that are only there to make the tables as long as they should be. */
export function backgroundInvestors({ requests, loadInvestors }: Sizes): number {
  return Math.max(0, Math.round(requests / (portfolioSize * requestsPerPair)) - loadInvestors);
}

/** Points of each series that has no long history. */
export function shortHistory({ companies, points, longHistories }: Sizes): number {
  const short = companies * metricDefinitions.length - longHistories;
  return Math.max(1, Math.round((points - longHistories * historyPoints) / short));
}
