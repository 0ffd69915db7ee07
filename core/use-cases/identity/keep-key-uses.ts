import type { Ports } from '../../ports/index.ts';

/** A use is written only when it is this much later than the one that is kept: a busy key costs six writes an hour. */
const granularityMilliseconds = 600_000;

/** Writes down which keys were used: a last use is shown up to ten minutes too early, never too late. */
export const keepKeyUses =
  ({ apiKeys, companyKeys, keyUses }: Ports) =>
  async (): Promise<void> => {
    await keyUses.apiKeys.handOver((uses) => apiKeys.keepUses(uses, granularityMilliseconds));
    await keyUses.companyKeys.handOver((uses) =>
      companyKeys.keepUses(uses, granularityMilliseconds),
    );
  };
