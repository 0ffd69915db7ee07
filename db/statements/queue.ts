import type { RawBuilder } from 'kysely';
import {
  type Backlog,
  type FeedEvent,
  type Lease,
  type MailAttempt,
  type MailOutcome,
  type MailQueue,
  noBacklog,
} from '#core';
import { type Store, sql } from '../connections/store.ts';
import { EventConsumerEntity } from '../entities/consent.ts';
import { readFeed } from './access-events.ts';
import { toArray } from './rows.ts';

// SQL for the queues of mails, sign-in links and webhook endpoints. A process claims an item for a limited time. In the
// statements, `item` is the alias of an item's row.

type Sql = RawBuilder<unknown>;

interface Claim {
  readonly table: Sql;
  readonly isDue: Sql;
  /** The column with the due time. For a claimed item, this is the time when the claim expires. */
  readonly dueAt: Sql;
  readonly mark: Sql;
  readonly columns: Sql;
}

/** Claims the items that have been due for the longest time. Concurrent processes get different items. */
export const claimItems = <Result>(
  store: Store,
  { table, isDue, dueAt, mark, columns }: Claim,
  { until, limit }: Lease,
): Promise<Result[]> =>
  store.run(sql<Result>`
    with due as (
      select id from ${table} as item where ${isDue}
      order by ${dueAt}, id limit ${limit} for update skip locked
    )
    update ${table} as item set ${mark}, ${dueAt} = ${until}
    from due where item.id = due.id returning ${columns}`);

/** Removes up to `limit` of the rows that `from` selects. Returns the number of removed rows. */
export async function removeUpTo(
  store: Store,
  table: Sql,
  key: Sql,
  from: Sql,
  limit: number,
): Promise<number> {
  const removed = await store.run(sql`
    delete from ${table} where (${key}) in (select ${key} ${from} limit ${limit}) returning 1`);
  return removed.length;
}

/** @param dueSince SQL that returns the due time of the most overdue item */
export async function readBacklogOf(
  store: Store,
  consumer: ConsumerName,
  waiting: Sql,
  dueSince: Sql,
): Promise<Backlog> {
  const backlog = await store.first(sql<Backlog>`
    select count(*)::int as waiting, min(created_at) as "oldestAt", ${dueSince} as "dueSince",
      least(
        (select created_at from access_event
         where position > (select position from event_consumer where name = ${consumer})
         order by position limit 1),
        (select created_at from access_event where position is null order by number limit 1)
      ) as "oldestUnconsumedAt"
    from ${waiting}`);
  return backlog ?? noBacklog;
}

/** A row of `event_consumer`, which a migration creates. */
type ConsumerName = 'webhooks' | 'mail';

/**
 * Passes the next events of the feed to a consumer. The same transaction stores the consumer's new position, so each
 * event is consumed once, even if a process dies. Does nothing while another process serves this consumer.
 *
 * @returns the number of events. A number below the limit means that no further events exist now
 */
export async function consumeEvents(
  store: Store,
  name: ConsumerName,
  limit: number,
  work: (inside: Store, events: readonly FeedEvent[]) => Promise<void>,
): Promise<number> {
  // Usually, no new event exists, and then this is the only statement.
  const waitingEvent = await store.first(sql`
    select from event_consumer, number_access_events() as last
    where name = ${name} and position < last`);
  if (waitingEvent === null) return 0;
  return store.transact(async (inside) => {
    const consumer = await inside.first(sql<{ position: string }>`
      select position::text from event_consumer where name = ${name} for update skip locked`);
    if (consumer === null) return 0;
    const query = { reader: null, after: consumer.position, since: null, limit };
    const events = await readFeed(inside, query);
    const newest = events.at(-1);
    if (newest === undefined) return 0;
    await work(inside, events);
    await inside.update(EventConsumerEntity, { name }, { position: newest.position });
    return events.length;
  });
}

/** A table with the columns `state`, `attempts` and `next_attempt_at`. */
interface MailTable<Claimed, Row> {
  readonly table: Sql;
  readonly columns: Sql;
  /** True if the mail `earlier` counts towards the rate limit of the mail `item`. */
  readonly isSimilar: Sql;
  read(rows: Row[]): Claimed[] | Promise<Claimed[]>;
  settle(claimed: MailAttempt & { state: 'waiting' }, outcome: MailOutcome): Promise<unknown>;
}

export function createMailQueue<Claimed extends MailAttempt, Row>(
  store: Store,
  { table, columns, isSimilar, read, settle }: MailTable<Claimed, Row>,
): MailQueue<Claimed> {
  return {
    async claim(lease) {
      const claim = {
        table,
        columns,
        isDue: sql`state = 'waiting' and next_attempt_at <= ${lease.now}`,
        dueAt: sql`next_attempt_at`,
        mark: sql`attempts = attempts + 1`,
      };
      return read(await claimItems<Row>(store, claim, lease));
    },

    async findExcessive(ids, { count, milliseconds }) {
      const found = await store.run(sql<{ id: string }>`
        select item.id from ${table} as item
        where item.id = any(${toArray(ids)}::text[]) and ${count} <= (
          select count(*) from (
            select from ${table} as earlier where ${isSimilar}
              and earlier.created_at > item.created_at - ${milliseconds} * interval '1 millisecond'
              and (earlier.created_at, earlier.id) < (item.created_at, item.id)
            limit ${count}
          ) as earlier)`);
      return new Set(found.map(({ id }) => id));
    },

    async settle({ id, attempts }, outcome) {
      await settle({ id, attempts, state: 'waiting' }, outcome);
    },
  };
}
