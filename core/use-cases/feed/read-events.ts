import { z } from 'zod';
import { AccessError } from '../../model/errors.ts';
import type { FeedEvent } from '../../model/events/access-event.ts';
import { eventTypes } from '../../model/events/event-type.ts';
import type { Owner, Whose } from '../../model/identity/owner.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { coverDataEvent, dataScopesOf } from './cover-data-event.ts';
import { beforeFirstEvent, startOfFeed } from './start-of-feed.ts';

export const maxEvents = 1000;

/** Events that are read in one statement: few at first, because each may name all metrics of a company. */
const eventsAtFirst = 20;
const eventsAtOnce = 200;

/** A page that has as many metrics to name ends, and there is more. */
const maxMetricKeys = 20_000;

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

/** Whose events; with the scopes of the key that asks. Without scopes all grants count. */
type FeedReader = (Owner & { readonly scopes?: readonly string[] }) | null;

/**
 * What happened to the access requests of one side and to the data of its companies, or all that happened, oldest first.
 * An investor is told of data what a live grant covers now.
 *
 * @throws InputError, and AccessError `event_expired` when `after` is unknown or older than the feed goes back
 */
export const readEvents =
  (ports: Ports) =>
  async (whose: FeedReader, input: ReadEventsInput = {}): Promise<EventPage> => {
    const { after, limit, types } = parseInput(readEventsInput, input);
    const position = after == null ? null : await findPosition(ports, whose, after);
    // Clocks differ, so an event that comes after one in the feed can be older: whoever goes on must not miss it.
    const since = position === null ? startOfFeed(ports.clock) : null;
    const scopes = dataScopesOf(whose?.scopes);
    const cover = coverDataEvent(ports);
    const events: FeedEvent[] = [];
    let last = position;
    let asked = Math.min(limit, eventsAtFirst) + 1;
    for (;;) {
      const found = await ports.accessEvents.read({
        reader: whose,
        after: last,
        since,
        limit: asked,
        types: types ?? null,
        data: { scopes, now: ports.clock.now() },
      });
      const covered = await Promise.all(found.map((event) => cover(whose, scopes, event)));
      events.push(...covered.filter((event) => event !== null));
      const page = pageOf(events, limit);
      const hasMore = page.length < events.length;
      // A grant may have ended since the feed was read; the page is filled up with what comes then.
      if (found.length < asked || hasMore) return { events: page, hasMore };
      last = (found.at(-1) as FeedEvent).position;
      if (keysOf(page) < maxMetricKeys / 10) asked = Math.min(limit, eventsAtOnce) + 1;
    }
  };

/** How many metrics the events name. */
const keysOf = (events: readonly FeedEvent[]): number =>
  events.reduce(
    (sum, event) =>
      event.type === 'company_data.updated' ? sum + event.data.metricKeys.length : sum,
    0,
  );

/** So many of the events, or fewer where they name many metrics, and never none. */
function pageOf(events: readonly FeedEvent[], limit: number): readonly FeedEvent[] {
  let keys = 0;
  const end = events.findIndex((event, index) => {
    keys += keysOf([event]);
    return index === limit || (index > 0 && keys > maxMetricKeys);
  });
  return end < 0 ? events : events.slice(0, end);
}

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
  const event = eventIdPattern.test(id) ? await accessEvents.find(id, whose) : null;
  if (event === null || event.createdAt < startOfFeed(clock)) {
    throw new AccessError('event_expired');
  }
  return event.position;
}

const eventIdPattern = /^evt_[0-9A-Za-z]{1,64}$/;
