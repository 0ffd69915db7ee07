import type { Ports } from '../../ports/index.ts';

/** A use is stored only if it is this much later than the stored one: six writes per hour for a busy key. */
const granularityMilliseconds = 600_000;

/** Stores the last uses of keys. The stored time can be up to ten minutes too early, never too late. */
export const keepKeyUses =
  ({ apiKeys, companyKeys, keyUses }: Ports) =>
  async (): Promise<void> => {
    await keyUses.apiKeys.handOver((uses) => apiKeys.keepUses(uses, granularityMilliseconds));
    await keyUses.companyKeys.handOver((uses) =>
      companyKeys.keepUses(uses, granularityMilliseconds),
    );
  };
