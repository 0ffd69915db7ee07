import type { Ports } from '../../ports/index.ts';

interface CountOptions {
  /** Asked before each part. */
  readonly isStopping?: () => boolean;
}

/** Counts in advance what there is to count now. Any number of processes may do so at once. */
export const countAccessRecords =
  ({ accessStatistics, clock }: Ports) =>
  async ({ isStopping }: CountOptions = {}): Promise<void> => {
    const now = clock.now();
    while (!isStopping?.() && (await accessStatistics.countNext(now)));
  };
