import type { RawBuilder } from 'kysely';
import type { ClaimedLink, MailAttempt, MailOutcome, Outbox, Outboxes } from '#core';
import { MailEntity } from '../entities/mail.ts';
import { SignInLinkEntity } from '../entities/sign-in.ts';
import { columnsOf, type Row, type Store, sql } from '../store.ts';
import { withSubjects } from './mails.ts';
import { toArray } from './rows.ts';

/** A table whose rows are mails; statements call one of them `mail`. */
interface Queue<Claimed, Read> {
  readonly table: RawBuilder<unknown>;
  /** The columns of a row that a claim returns. */
  readonly columns: RawBuilder<unknown>;
  /** The condition under which the row `earlier` counts against the bound of `mail`. */
  readonly isAlike: RawBuilder<unknown>;
  read(rows: Read[]): Claimed[] | Promise<Claimed[]>;
  settle(where: ClaimedRow, outcome: MailOutcome): Promise<unknown>;
}

interface ClaimedRow extends MailAttempt {
  readonly state: 'waiting';
}

function createOutbox<Claimed extends MailAttempt, Read>(
  store: Store,
  { table, columns, isAlike, read, settle }: Queue<Claimed, Read>,
): Outbox<Claimed> {
  return {
    async claim({ now, until, limit }) {
      const claimed = await store.run(sql<Read>`
        with due as (
          select id from ${table} where state = 'waiting' and next_attempt_at <= ${now}
          order by next_attempt_at, id limit ${limit} for update skip locked
        )
        update ${table} as mail set attempts = attempts + 1, next_attempt_at = ${until}
        from due where mail.id = due.id returning ${columns}`);
      return read(claimed);
    },

    async findExcessive(ids, { count, milliseconds }) {
      const found = await store.run(sql<{ id: string }>`
        select mail.id from ${table} as mail
        where mail.id = any(${toArray(ids)}::text[]) and ${count} <= (
          select count(*) from (
            select from ${table} as earlier where ${isAlike}
              and earlier.created_at > mail.created_at - ${milliseconds} * interval '1 millisecond'
              and (earlier.created_at, earlier.id) < (mail.created_at, mail.id)
            limit ${count}
          ) as earlier)`);
      return new Set(found.map(({ id }) => id));
    },

    async settle({ id, attempts }, outcome) {
      await settle({ id, attempts, state: 'waiting' }, outcome);
    },
  };
}

const investorOf = (mail: 'mail' | 'earlier') =>
  sql`(select investor_id from access_event where id = ${sql.ref(`${mail}.event_id`)})`;

export const createOutboxes = (store: Store): Outboxes => ({
  notices: createOutbox(store, {
    table: sql.table('mail'),
    columns: columnsOf(MailEntity, 'mail'),
    isAlike: sql`earlier.contact_id = mail.contact_id and earlier.state <> 'failed'
      and earlier.kind = mail.kind and ${investorOf('earlier')} = ${investorOf('mail')}`,
    read: (rows: Row<'mail'>[]) => withSubjects(store, rows),
    settle: (where, { state, nextAttemptAt, lastFailure, sentAt }) =>
      store.update(MailEntity, where, { state, nextAttemptAt, lastFailure, sentAt }),
  }),
  signInLinks: createOutbox(store, {
    table: sql.table('sign_in_link'),
    columns: sql`mail.id, mail.email, mail.attempts, mail.created_at as "createdAt",
      exists (select from contact
        where email = mail.email and suspended_at is null) as "isOfContact"`,
    isAlike: sql`earlier.email = mail.email and earlier.state in ('waiting', 'sent')`,
    read: (rows: ClaimedLink[]) => rows,
    settle: (where, { state, nextAttemptAt }) =>
      store.update(SignInLinkEntity, where, { state, nextAttemptAt }),
  }),
});
