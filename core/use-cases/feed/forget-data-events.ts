import { addDays } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import { startOfFeed } from './start-of-feed.ts';

/** An event can be older than one before it in the feed, because it waited for its commit: who goes on must not miss it. */
const daysLonger = 1;
const forgottenAtOnce = 1000;

interface SweepOptions {
  /** Asked before each transaction. */
  readonly isStopping?: () => boolean;
}

/** Forgets what was told of data before the feed begins; by any number of processes. */
export const forgetDataEvents =
  ({ accessEvents, clock }: Pick<Ports, 'accessEvents' | 'clock'>) =>
  async ({ isStopping }: SweepOptions = {}): Promise<void> => {
    const before = addDays(startOfFeed(clock), -daysLonger);
    while (!isStopping?.()) {
      if ((await accessEvents.forgetData(before, forgottenAtOnce)) < forgottenAtOnce) return;
    }
  };
