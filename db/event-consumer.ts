import type { FeedEvent } from '#core';
import { readFeed } from './repositories/access-events.ts';
import { type Store, sql } from './store.ts';

/** When the oldest event happened that a consumer has not taken; a part of a statement. */
export const oldestUnconsumedAt = (name: string) => sql<Date | null>`least(
  (select created_at from access_event
   where position > (select position from event_consumer where name = ${name})
   order by position limit 1),
  (select created_at from access_event where position is null order by number limit 1))`;

/**
 * Hands the next events of the feed to a consumer and moves its place behind them, in one transaction with whatever the
 * work writes: each event is taken once, by any number of processes, and none is lost when one dies. While another
 * process is at it, nothing is done.
 *
 * @param name of a row of `event_consumer`, which the consumer's migration has made
 * @returns how many events were taken; less than the limit: there are no more now
 */
export async function consumeEvents(
  store: Store,
  name: string,
  limit: number,
  work: (inside: Store, events: readonly FeedEvent[]) => Promise<void>,
): Promise<number> {
  // Most looks find nothing new, and need no more than this statement for it.
  const behind = await store.first(sql`
    select from event_consumer, number_access_events() as last
    where name = ${name} and position < last`);
  if (behind === null) return 0;
  return store.transact(async (inside) => {
    const consumer = await inside.first(sql<{ position: string }>`
      select position::text from event_consumer where name = ${name} for update skip locked`);
    if (consumer === null) return 0;
    const events = await readFeed(inside, {
      reader: null,
      after: consumer.position,
      since: null,
      limit,
    });
    const newest = events.at(-1);
    if (newest === undefined) return 0;
    await work(inside, events);
    await inside.run(sql`
      update event_consumer set position = ${newest.position}::bigint where name = ${name}`);
    return events.length;
  });
}
