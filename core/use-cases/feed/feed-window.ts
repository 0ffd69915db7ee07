import { AccessError } from '../../model/errors.ts';
import type { OwnerOrOperator } from '../../model/identity/owner.ts';
import type { Clock } from '../../model/platform.ts';
import { addDays } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';

/** The age of the oldest events in the feed. Older events of requests stay in the histories of the requests. */
export const daysInFeed = 90;

/** The first instant of the feed. */
export const startOfFeed = (clock: Clock): Date => addDays(clock.now(), -daysInFeed);

/** The ID and the position before the first event. A reader without an event can resume after this ID. */
export const beforeFirstEvent = 'evt_start';
export const noPosition = '0';

const eventIdPattern = /^evt_[0-9A-Za-z]{1,64}$/;

/**
 * Returns the position of the last event that a reader has.
 *
 * @throws AccessError `event_expired` if the event is unknown, is older than the feed or was never the reader's own
 */
export async function findPosition(
  { accessEvents, clock }: Pick<Ports, 'accessEvents' | 'clock'>,
  reader: OwnerOrOperator,
  id: string,
): Promise<string> {
  if (id === beforeFirstEvent) return noPosition;
  const event = eventIdPattern.test(id) ? await accessEvents.find(id, reader) : null;
  if (event === null || event.createdAt < startOfFeed(clock)) {
    throw new AccessError('event_expired');
  }
  return event.position;
}

/** An event waits for its commit, so it can be older than its predecessor in the feed. Readers must not miss it. */
const extraDays = 1;
const forgottenAtOnce = 1000;

interface SweepOptions {
  /** Checked before each transaction. */
  readonly isStopping?: () => boolean;
}

/** Removes data events from before the start of the feed. Any number of processes may run it. */
export const forgetDataEvents =
  ({ accessEvents, clock }: Pick<Ports, 'accessEvents' | 'clock'>) =>
  async ({ isStopping }: SweepOptions = {}): Promise<void> => {
    const before = addDays(startOfFeed(clock), -extraDays);
    while (!isStopping?.()) {
      if ((await accessEvents.forgetData(before, forgottenAtOnce)) < forgottenAtOnce) return;
    }
  };
