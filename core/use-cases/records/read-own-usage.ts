import type { InvestorContactCaller } from '../../model/identity/caller.ts';
import { rateLimitState, untouchedRateLimit } from '../../model/identity/rate-limit.ts';
import type { Ports } from '../../ports/index.ts';
import type { CountedUse } from '../../ports/statistics.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Of each scope, as many of the newest records are counted: whoever waits for a page waits not long. */
const maxCountedRecords = 20_000;

export interface OwnUsage {
  /** What the pages of the investor's people have spent of the budget that they share, in the present window. */
  readonly desk: { readonly limit: number; readonly spent: number; readonly resetSeconds: number };
  /** Points a window, of a key that has no limit of its own. */
  readonly usualLimit: number;
  /** What each key and person read or was refused in the last 24 hours, by what became of it. */
  readonly uses: readonly CountedUse[];
  /** Whether there was more than is counted at once: then so many of the newest of each scope are. */
  readonly isCut: boolean;
  readonly counted: number;
}

/** How much the caller's investor has asked for in the last hours. */
export const readOwnUsage =
  ({ accessStatistics, rateLimiter, clock }: Ports) =>
  async ({ investorId, scopes, budget }: InvestorContactCaller): Promise<OwnUsage> => {
    const now = clock.now().getTime();
    const { policy } = rateLimiter;
    const [{ uses, isCut }, spending] = await Promise.all([
      accessStatistics.countUses({
        investorId,
        scopes,
        since: new Date(now - day),
        lately: new Date(now - minute),
        limit: maxCountedRecords,
      }),
      budget && rateLimiter.spend(budget.bucket, 0),
    ]);
    const { limit, remaining, resetSeconds } =
      spending === null ? untouchedRateLimit(policy) : rateLimitState(policy.points, spending);
    return {
      desk: { limit, spent: limit - remaining, resetSeconds },
      usualLimit: policy.points,
      uses,
      isCut,
      counted: maxCountedRecords,
    };
  };
