import { z } from 'zod';
import type { FeedEvent } from '../../model/events/access-event.ts';
import { eventTypes } from '../../model/events/event-type.ts';
import type { Owner } from '../../model/identity/owner.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { coverDataEvent, dataScopesOf } from './cover-data-event.ts';
import { findPosition, noPosition, startOfFeed } from './feed-window.ts';

export const maxEvents = 1000;

/** The first SQL statement reads few events, because one event may name all metrics of a company. */
const eventsAtFirst = 20;
const eventsAtOnce = 200;

/** The maximum number of metric keys in the events of a page. */
const maxMetricKeys = 20_000;

export const readEventsInput = z.strictObject({
  after: z.string().nullish().meta({
    description: 'ID of your last event. Only later events are listed.',
    example: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  }),
  limit: z
    .int()
    .min(1)
    .max(maxEvents)
    .default(100)
    .meta({ description: `The page size, from 1 to ${maxEvents}.`, example: 100 }),
  types: z
    .array(z.enum(eventTypes))
    .min(1)
    .nullish()
    .meta({ description: 'Only events of these types.', example: ['company_data.updated'] }),
});

export type ReadEventsInput = z.input<typeof readEventsInput>;

export interface EventPage {
  readonly events: readonly FeedEvent[];
  readonly hasMore: boolean;
}

/** Null means an operator. Without `scopes`, the owner gets all data that the grants allow. */
type FeedReader = (Owner & { readonly scopes?: readonly string[] }) | null;

/**
 * Returns the events of a company or an investor, or all events for an operator, oldest first. An investor gets only
 * data that a live grant allows reading now.
 *
 * @throws AccessError `event_expired` if `after` is unknown or older than the feed
 */
export const readEvents =
  (ports: Ports) =>
  async (reader: FeedReader, input: ReadEventsInput = {}): Promise<EventPage> => {
    const { after, limit, types } = parseInput(readEventsInput, input);
    const position = after == null ? noPosition : await findPosition(ports, reader, after);
    // Leaves out old events only if the reader starts at the beginning of the feed. Otherwise the reader must get every
    // event after the known one, even an event with an earlier time, because clocks differ.
    const since = position === noPosition ? startOfFeed(ports.clock) : null;
    const scopes = dataScopesOf(reader?.scopes);
    const cover = coverDataEvent(ports);
    const events: FeedEvent[] = [];
    let last = position;
    let batchSize = Math.min(limit, eventsAtFirst) + 1;
    for (;;) {
      const found = await ports.accessEvents.read({
        reader,
        after: last,
        since,
        limit: batchSize,
        types: types ?? null,
        data: { scopes, now: ports.clock.now() },
      });
      const covered = await Promise.all(found.map((event) => cover(reader, scopes, event)));
      events.push(...covered.filter((event) => event !== null));
      const page = pageOf(events, limit);
      const hasMore = page.length < events.length;
      // If a grant has ended during the call, its events are missing from the page. The next events then fill the page.
      if (found.length < batchSize || hasMore) return { events: page, hasMore };
      last = (found.at(-1) as FeedEvent).position;
      if (keysOf(page) < maxMetricKeys / 10) batchSize = Math.min(limit, eventsAtOnce) + 1;
    }
  };

const keysOf = (events: readonly FeedEvent[]): number =>
  events.reduce(
    (sum, event) =>
      event.type === 'company_data.updated' ? sum + event.data.metricKeys.length : sum,
    0,
  );

/** Returns the first events within `limit` and `maxMetricKeys`, but at least one event if there is any. */
function pageOf(events: readonly FeedEvent[], limit: number): readonly FeedEvent[] {
  let keys = 0;
  const end = events.findIndex((event, index) => {
    keys += keysOf([event]);
    return index === limit || (index > 0 && keys > maxMetricKeys);
  });
  return end < 0 ? events : events.slice(0, end);
}
