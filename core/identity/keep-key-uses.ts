import type { Ports } from '../ports.ts';

/** So much later a use must be than the one that is kept, or it is not written: a busy key costs six writes an hour. */
const graininessMilliseconds = 600_000;

/** Writes down which keys were used: a last use is shown up to ten minutes too early, never too late. */
export const keepKeyUses =
  ({ apiKeys, companyKeys, keyUses }: Ports) =>
  async (): Promise<void> => {
    await keyUses.apiKeys.handOver((uses) => apiKeys.keepUses(uses, graininessMilliseconds));
    await keyUses.companyKeys.handOver((uses) =>
      companyKeys.keepUses(uses, graininessMilliseconds),
    );
  };
