import type { Ports } from '../../ports/index.ts';

/** The shortest time between two stored uses of a key. So even a busy key causes at most six writes per hour. */
const granularityMilliseconds = 600_000;

/** Stores the last uses of keys. A stored time is up to ten minutes too early, never too late. */
export const storeKeyUses =
  ({ apiKeys, companyKeys, keyUses }: Ports) =>
  async (): Promise<void> => {
    await keyUses.apiKeys.flush((uses) => apiKeys.storeUses(uses, granularityMilliseconds));
    await keyUses.companyKeys.flush((uses) => companyKeys.storeUses(uses, granularityMilliseconds));
  };
