import { Migration } from '@mikro-orm/migrations';

/** The mails to the contacts of companies. */
export class Mail extends Migration {
  override up(): void {
    // Who removes a contact removes the mails with its address.
    this.addSql(`
      create table mail (
        id text primary key,
        event_id text not null constraint mail_event references access_event (id),
        contact_id text not null
          constraint mail_contact references company_contact (id) on delete cascade,
        email text not null,
        kind text not null constraint mail_kind_known
          check (kind in ('request_received', 'grant_ending', 'grant_ended')),
        state text not null constraint mail_state_known
          check (state in ('waiting', 'sent', 'failed')),
        attempts integer not null,
        next_attempt_at timestamptz(3),
        last_failure text,
        created_at timestamptz(3) not null,
        sent_at timestamptz(3),
        constraint mail_once unique (event_id, contact_id),
        constraint mail_state_is_whole check (
          (state = 'waiting') = (next_attempt_at is not null)
          and (state = 'sent') = (sent_at is not null))
      )`);
    this.addSql(`create index mail_due on mail (next_attempt_at, id) where state = 'waiting'`);
    this.addSql(`create index mail_newest on mail (created_at desc, id desc)`);
    this.addSql(`create index mail_of_contact on mail (contact_id)`);
    // What happened before there were mails is told to nobody.
    this.addSql(`
      insert into event_consumer (name, position)
        select 'mail', last_position from access_event_feed`);
  }

  override down(): void {
    this.addSql(`delete from event_consumer where name = 'mail'`);
    this.addSql(`drop table mail`);
  }
}
