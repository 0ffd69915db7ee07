import type { InvestorContactCaller } from '../../model/identity/caller.ts';
import type { Ports } from '../../ports/index.ts';
import type { CountedUse } from '../../ports/statistics.ts';
import { chargeCaller } from '../identity/admit-caller.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** The maximum number of counted records. A person waits for the page, so counting must be fast. */
const maxCountedRecords = 20_000;

export interface OwnUsage {
  /**
   * The caller's budget in the present time window. If the budget that all people of the investor share has fewer
   * points left, that budget is shown instead.
   */
  readonly desk: { readonly limit: number; readonly spent: number; readonly resetSeconds: number };
  /** The points per time window for each person, and for each key without its own limit. */
  readonly defaultLimit: number;
  /** The reads and refusals of each key and person in the last 24 hours, by result. */
  readonly uses: readonly CountedUse[];
  /** True if only the newest records are counted. */
  readonly isCut: boolean;
  readonly counted: number;
}

export const readOwnUsage =
  (ports: Ports) =>
  async (caller: InvestorContactCaller): Promise<OwnUsage> => {
    const { accessStatistics, rateLimiter, clock } = ports;
    const { investorId, scopes } = caller;
    const now = clock.now().getTime();
    const [{ uses, isCut }, { rateLimit }] = await Promise.all([
      accessStatistics.countUses({
        investorId,
        scopes,
        since: new Date(now - day),
        recentSince: new Date(now - minute),
        limit: maxCountedRecords,
      }),
      chargeCaller(ports)(caller, 0),
    ]);
    const { limit, remaining, resetSeconds } = rateLimit;
    return {
      desk: { limit, spent: limit - remaining, resetSeconds },
      defaultLimit: rateLimiter.policy.points,
      uses,
      isCut,
      counted: maxCountedRecords,
    };
  };
