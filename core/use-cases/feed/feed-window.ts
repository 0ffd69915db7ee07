import { AccessError } from '../../model/errors.ts';
import type { OwnerOrOperator } from '../../model/identity/owner.ts';
import type { Clock } from '../../model/platform.ts';
import { addDays } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import type { SweepOptions } from '../consent/deadlines.ts';

/** The number of days for which the feed keeps events. The history of an access request also keeps older events. */
export const daysInFeed = 90;

export const startOfFeed = (clock: Clock): Date => addDays(clock.now(), -daysInFeed);

/** The ID of the position before the first event. A reader that has no event yet can resume after this ID. */
export const beforeFirstEvent = 'evt_start';
export const noPosition = '0';

const eventIdPattern = /^evt_[0-9A-Za-z]{1,64}$/;

/**
 * Returns the feed position of the last event that a reader has received.
 *
 * @throws AccessError `event_expired` if the event is unknown, is older than the feed or never belonged to the reader
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

/**
 * Data events are deleted this many days after they have left the feed. Events are in the order of their commits, so an
 * event can have an earlier time than the event before it.
 */
const extraDays = 1;
const deletedPerStatement = 1000;

/** Removes data events that are older than the feed. Several processes may run this at the same time. */
export const deleteOldDataEvents =
  ({ accessEvents, clock }: Ports) =>
  async ({ isStopping }: SweepOptions = {}): Promise<void> => {
    const before = addDays(startOfFeed(clock), -extraDays);
    while (!isStopping?.()) {
      if ((await accessEvents.deleteOldData(before, deletedPerStatement)) < deletedPerStatement)
        return;
    }
  };
