export interface RateLimitPolicy {
  readonly points: number;
  readonly windowSeconds: number;
}

/** The people of an organisation share one budget. It is this many times as large as the default budget. */
export const budgetsOfPeople = 5;

/** The points that were spent from a bucket in the present time window, including the present call. */
export interface Spending {
  readonly points: number;
  /** The time until the window ends. */
  readonly millisecondsLeft: number;
}

export interface RateLimitState {
  /** Points per time window. */
  readonly limit: number;
  /** Points left in the window. Never negative. */
  readonly remaining: number;
  /** Whole seconds until the time window ends, rounded up. At least 1 after a point was spent. */
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

export function rateLimitState(
  limit: number,
  { points, millisecondsLeft }: Spending,
): RateLimitState {
  return {
    limit,
    remaining: Math.max(0, limit - points),
    resetSeconds: Math.max(1, Math.ceil(millisecondsLeft / 1000)),
    exceeded: points > limit,
  };
}

/** Returns true if the budget was already used up before the call spent `points`. */
export function wasExhausted(limit: number, spent: Spending, points: number): boolean {
  return spent.points - points >= limit;
}

/** The rate limit state for a caller whose points aren't counted. */
export function fullRateLimit({ points, windowSeconds }: RateLimitPolicy): RateLimitState {
  return { limit: points, remaining: points, resetSeconds: windowSeconds, exceeded: false };
}

/** The cost of one call in points. A call in a batch costs the same. */
export const callCost = 1;

const recordsPerPoint = 100;

/** The cost of a push: one point for each hundred records, rounded up, and at least one point. */
export const pushCost = (records: number): number =>
  Math.max(callCost, Math.ceil(records / recordsPerPoint));

const fileBytesPerPoint = 65_536;

/** The cost of a file that is read row by row: one point for each 64 KiB, rounded up, even if the file has few rows. */
export const fileCost = (bytes: number): number =>
  Math.max(callCost, Math.ceil(bytes / fileBytesPerPoint));

/** The number of rows of a list that one point pays for. It equals the maximum page size. */
export const rowsPerPoint = 200;

/**
 * The cost of an operation with several reads or changes. Each read of company data costs a point, even if it is
 * refused. Each mutation and each page of a long list also costs a point. So one point pays for at most one access
 * record.
 */
export function operationCost(charged: number): number {
  return Math.max(callCost, charged);
}
