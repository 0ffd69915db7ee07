import { z } from 'zod';
import { AccessError } from '../../model/errors.ts';
import type { FeedEvent } from '../../model/events/access-event.ts';
import { isOwned, type Whose } from '../../model/identity/owner.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { beforeFirstEvent, startOfFeed } from './start-of-feed.ts';

export const maxEvents = 1000;

export const readEventsInput = z.strictObject({
  after: z.string().nullish().meta({
    description: 'Id of the last event that you have; only later ones are listed.',
    example: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  }),
  limit: z
    .int()
    .min(1)
    .max(maxEvents)
    .default(100)
    .meta({ description: `How many at most; from 1 to ${maxEvents}.`, example: 100 }),
});

export type ReadEventsInput = z.input<typeof readEventsInput>;

export interface EventPage {
  readonly events: readonly FeedEvent[];
  readonly hasMore: boolean;
}

/**
 * What happened to the access requests of one side, or to all of them, oldest first.
 *
 * @throws InputError, and AccessError `event_expired` when `after` is unknown or older than the feed goes back
 */
export const readEvents =
  (ports: Ports) =>
  async (whose: Whose, input: ReadEventsInput = {}): Promise<EventPage> => {
    const { after, limit } = parseInput(readEventsInput, input);
    const position = after == null ? null : await findPosition(ports, whose, after);
    // Clocks differ, so an event that comes after one in the feed can be older: whoever goes on must not miss it.
    const since = position === null ? startOfFeed(ports.clock) : null;
    const found = await ports.accessEvents.read({
      reader: whose,
      after: position,
      since,
      limit: limit + 1,
    });
    return { events: found.slice(0, limit), hasMore: found.length > limit };
  };

/**
 * The place in the feed of the last event that a reader has; null: before the first.
 *
 * @throws AccessError `event_expired`, also for an event that the reader never got
 */
export async function findPosition(
  { accessEvents, clock }: Pick<Ports, 'accessEvents' | 'clock'>,
  whose: Whose,
  id: string,
): Promise<string | null> {
  if (id === beforeFirstEvent) return null;
  const event = eventIdPattern.test(id) ? await accessEvents.find(id) : null;
  const since = startOfFeed(clock);
  if (event === null || event.createdAt < since || !isOwned(event.accessRequest, whose)) {
    throw new AccessError('event_expired');
  }
  return event.position;
}

const eventIdPattern = /^evt_[0-9A-Za-z]{1,64}$/;
