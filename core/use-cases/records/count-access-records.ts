import type { Ports } from '../../ports/index.ts';

interface CountOptions {
  /** Called before each day. */
  readonly isStopping?: () => boolean;
}

/** Counts each finished day that isn't counted yet. Any number of processes may call it at once. */
export const countAccessRecords =
  ({ accessStatistics, clock }: Ports) =>
  async ({ isStopping }: CountOptions = {}): Promise<void> => {
    const now = clock.now();
    while (!isStopping?.() && (await accessStatistics.countNextDay(now)));
  };
