/** The limit of every caller that has none of its own. */
export interface RateLimitPolicy {
  /** Points a window. */
  readonly points: number;
  readonly windowSeconds: number;
}

/** The people of an organisation together may spend this many budgets of the default size. */
export const budgetsOfPeople = 5;

/** The points of a bucket that are spent in the present window, this call included. */
export interface Spending {
  readonly points: number;
  /** Until the window ends. */
  readonly millisecondsLeft: number;
}

/** The state of one budget, as its caller is told it. */
export interface RateLimitState {
  /** Points a window. */
  readonly limit: number;
  /** Points left in the window; never negative. */
  readonly remaining: number;
  /** Whole seconds until the window resets, rounded up; at least 1 once a point was spent. */
  readonly resetSeconds: number;
  /** Whether this call went over the limit. */
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

/** Whether the budget was used up before the last so many points of it were spent. */
export function wasUsedUp(limit: number, spent: Spending, points: number): boolean {
  return spent.points - points >= limit;
}

/** The budget that is shown to a caller whose points are not counted. */
export function untouchedRateLimit({ points, windowSeconds }: RateLimitPolicy): RateLimitState {
  return { limit: points, remaining: points, resetSeconds: windowSeconds, exceeded: false };
}

/** What one call costs, alone or in a batch. In points of the rate limit. */
export const callCost = 1;

const recordsPerPoint = 100;

/** What a push of so many records costs: a point for each started hundred, and never less than a call. */
export const pushCost = (records: number): number =>
  Math.max(callCost, Math.ceil(records / recordsPerPoint));

const fileBytesPerPoint = 65_536;

/** The cost of a file that is read row by row: a point for each started 64 KiB, however few rows it has. */
export const fileCost = (bytes: number): number =>
  Math.max(callCost, Math.ceil(bytes / fileBytesPerPoint));

/** Each started so many rows of a list are a point; a page never has more. */
export const rowsPerPoint = 200;

/**
 * What one operation costs that may read and write many times: a point for each read of gated data, allowed or
 * refused, for each mutation, so that one point is at most one access record, and for each page of a list that can be
 * long; and never less than a call.
 */
export function operationCost(charged: number): number {
  return Math.max(callCost, charged);
}
