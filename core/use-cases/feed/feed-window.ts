import { AccessError } from '../../model/errors.ts';
import type { OwnerOrOperator } from '../../model/identity/owner.ts';
import type { Clock } from '../../model/platform.ts';
import { addDays } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import type { SweepOptions } from '../consent/deadlines.ts';

/** The age of the oldest events in the feed. The history of a request keeps its older events. */
export const daysInFeed = 90;

export const startOfFeed = (clock: Clock): Date => addDays(clock.now(), -daysInFeed);

/** Before the first event. A reader without an event can resume after this ID. */
export const beforeFirstEvent = 'evt_start';
export const noPosition = '0';

const eventIdPattern = /^evt_[0-9A-Za-z]{1,64}$/;

/**
 * Returns the position of a reader's last event.
 *
 * @throws AccessError `event_expired` if the event is unknown, is older than the feed or was never the reader's own
 */
export async function findPosition(
  { accessEvents, clock }: Ports,
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

/** Events are in the order of their commits, so an event can be older than its predecessor. */
const extraDays = 1;
const forgottenAtOnce = 1000;

/** Removes data events that are older than the feed. Several processes may run it. */
export const forgetDataEvents =
  ({ accessEvents, clock }: Ports) =>
  async ({ isStopping }: SweepOptions = {}): Promise<void> => {
    const before = addDays(startOfFeed(clock), -extraDays);
    while (!isStopping?.()) {
      if ((await accessEvents.forgetData(before, forgottenAtOnce)) < forgottenAtOnce) return;
    }
  };
