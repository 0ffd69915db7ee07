import type { InvestorContactCaller } from '../../model/identity/caller.ts';
import type { Ports } from '../../ports/index.ts';
import type { CountedUse } from '../../ports/statistics.ts';
import { chargeCaller } from '../identity/admit-caller.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Limits the records counted per scope, because a person waits for the page. */
const maxCountedRecords = 20_000;

export interface OwnUsage {
  /** The caller's budget in the current window, or the budget of all the investor's people if that has fewer points left. */
  readonly desk: { readonly limit: number; readonly spent: number; readonly resetSeconds: number };
  /** Points per window for each person, and for each key without a limit of its own. */
  readonly defaultLimit: number;
  /** The reads and refusals of each key and person in the last 24 hours, by result. */
  readonly uses: readonly CountedUse[];
  /** True if there were more records than are counted. Then only the newest count. */
  readonly isCut: boolean;
  readonly counted: number;
}

/** Returns the usage by the caller's investor in the last hours. */
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
