import type { Ports } from '../../ports/index.ts';
import type { SweepOptions } from '../consent/deadlines.ts';

/** Counts each finished day that isn't counted yet. Several processes may run it. */
export const countAccessRecords =
  ({ accessStatistics, clock }: Ports) =>
  async ({ isStopping }: SweepOptions = {}): Promise<void> => {
    const now = clock.now();
    while (!isStopping?.() && (await accessStatistics.countNextDay(now)));
  };
