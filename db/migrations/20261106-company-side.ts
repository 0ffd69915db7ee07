import { Migration } from '@mikro-orm/migrations';

const grantable = `array['metrics:read', 'accounts:read', 'sources:read']`;
const eventTypes = `(
  'access_request.created', 'access_request.approved', 'access_request.declined',
  'access_request.revoked', 'access_request.expired', 'access_request.extended',
  'access_request.amended', 'access_request.amendment_declined', 'access_request.withdrawn',
  'access_request.expiring')`;

/** Keys and contacts of companies, grants that change, and the feed of events. */
export class CompanySide extends Migration {
  override up(): void {
    this.addSql(`
      create table company_key (
        id text primary key,
        company_id text not null,
        environment text not null,
        digest bytea not null
          constraint company_key_digest unique
          constraint company_key_digest_is_sha256 check (octet_length(digest) = 32),
        hint text not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3),
        revoked_at timestamptz(3),
        replaced_by text constraint company_key_successor references company_key (id),
        constraint company_key_company foreign key (company_id, environment)
          references company (id, environment)
      )`);
    this.addSql(`create index company_key_of_company on company_key (company_id, created_at, id)`);

    this.addSql(`
      create table company_contact (
        id text primary key,
        company_id text not null constraint company_contact_company references company (id),
        email text not null,
        created_at timestamptz(3) not null,
        constraint company_contact_once unique (company_id, email)
      )`);

    this.addSql(`
      alter table access_request
        add previous_scopes text[] not null default '{}',
        add pending_scopes text[] not null default '{}',
        add pending_purpose text,
        add addition_declined boolean not null default false,
        add expiring_at timestamptz(3),
        add last_event_type text`);
    this.addSql(`
      update access_request set
        last_event_type = 'access_request.' || case status when 'pending' then 'created' else status end,
        expiring_at = case when status = 'approved' and expires_at > now() + interval '168 hours'
          then expires_at - interval '168 hours' end`);
    this.addSql(`
      alter table access_request
        alter previous_scopes drop default,
        alter pending_scopes drop default,
        alter last_event_type set not null,
        add constraint access_request_event_type_known check (last_event_type in ${eventTypes}),
        add constraint access_request_approvals_only_add
          check (previous_scopes <@ approved_scopes),
        add constraint access_request_addition_is_to_a_grant check (
          pending_scopes <@ ${grantable} and not pending_scopes && approved_scopes
          and (cardinality(pending_scopes) = 0 or status = 'approved')
          and (pending_purpose is null or cardinality(pending_scopes) > 0)),
        add constraint access_request_declined_addition_was_to_a_grant check (
          not addition_declined or (status = 'approved' and cardinality(pending_scopes) = 0)),
        add constraint access_request_notice_is_of_a_grant
          check (expiring_at is null or status = 'approved')`);
    this.addSql(`
      create index access_request_by_notice on access_request (expiring_at, id)
        where expiring_at is not null`);
    this.addSql(`
      create index access_request_live_of_company on access_request (company_id)
        where status in ('pending', 'approved')`);
    this.addSql(`
      create index access_request_undecided_of_company on access_request (company_id)
        where status = 'pending' or cardinality(pending_scopes) > 0`);

    this.addSql(`
      alter table access_event drop constraint access_event_type_known,
        add constraint access_event_type_known check (type in ${eventTypes})`);
    // An insertion draws its number before it is committed, so a number is no place in the feed.
    this.addSql(`alter table access_event rename position to number`);
    this.addSql(`
      alter table access_event
        add position bigint constraint access_event_position unique,
        add investor_id text,
        add company_id text,
        add actor_type text,
        add actor_id text,
        add reason text`);
    this.addSql(`
      update access_event set
        investor_id = access_request->>'investorId',
        company_id = access_request->>'companyId',
        actor_type = case type when 'access_request.created' then 'investor'
          when 'access_request.expired' then 'clock' else 'operator' end,
        actor_id = case type when 'access_request.created' then access_request->>'investorId' end,
        reason = access_request->>'reason',
        access_request = access_request || jsonb_build_object('previousScopes', '[]'::jsonb,
          'pendingScopes', '[]'::jsonb, 'pendingPurpose', null, 'additionDeclined', false,
          'expiringAt', null, 'lastEventType', type)`);
    this.addSql(`
      alter table access_event
        alter investor_id set not null,
        alter company_id set not null,
        alter actor_type set not null,
        add constraint access_event_actor_known check (actor_type in
          ('investor', 'company_key', 'contact', 'operator', 'clock', 'sandbox'))`);
    this.addSql(`
      create index access_event_without_position on access_event (number) where position is null`);
    this.addSql(`create index access_event_of_company on access_event (company_id, position)`);
    this.addSql(`create index access_event_of_investor on access_event (investor_id, position)`);
    this.addSql(`
      create index access_event_of_request on access_event (access_request_id, number)`);

    this.addSql(`
      create table access_event_feed (
        only_row boolean primary key constraint access_event_feed_is_one check (only_row),
        last_position bigint not null
      )`);
    // All at once: whoever begins to read the feed with the next migrations begins behind what is there.
    this.addSql(`
      update access_event set position = place from (
        select number, row_number() over (order by number) as place from access_event
      ) as numbered where access_event.number = numbered.number`);
    this.addSql(`
      insert into access_event_feed (only_row, last_position)
        select true, coalesce(max(position), 0) from access_event`);
    this.addSql(`
      create function number_access_events() returns bigint language plpgsql as $$
        declare
          base bigint;
          numbered bigint;
        begin
          if not exists (select from access_event where position is null) then
            return (select last_position from access_event_feed);
          end if;
          -- One at a time: whoever waited here sees, with the next statement, what was numbered meanwhile.
          select last_position into base from access_event_feed for update;
          with waiting as (
            select number, row_number() over (order by number) as place
            from (select number from access_event where position is null
              order by number limit 10000) as oldest
          ), changed as (
            update access_event set position = base + waiting.place
            from waiting where access_event.number = waiting.number
            returning 1
          )
          select count(*) into numbered from changed;
          update access_event_feed set last_position = base + numbered;
          return base + numbered;
        end
      $$`);
    this.addSql(`
      create table event_consumer (
        name text primary key,
        position bigint not null
      )`);
  }

  override down(): void {
    this.addSql(`
      do $$ begin
        if exists (select from access_event where type in ('access_request.extended',
          'access_request.amended', 'access_request.amendment_declined',
          'access_request.withdrawn', 'access_request.expiring')) then
          raise exception 'there are events that the version before does not know';
        end if;
      end $$`);
    this.addSql(`drop table event_consumer, access_event_feed, company_contact, company_key`);
    this.addSql(`drop function number_access_events()`);
    this.addSql(`
      alter table access_event drop constraint access_event_type_known,
        drop position, drop investor_id, drop company_id, drop actor_type, drop actor_id, drop reason,
        add constraint access_event_type_known check (type in (
          'access_request.created', 'access_request.approved', 'access_request.declined',
          'access_request.expired', 'access_request.revoked'))`);
    this.addSql(`drop index access_event_of_request`);
    this.addSql(`alter table access_event rename number to position`);
    this.addSql(`
      drop index access_request_live_of_company, access_request_undecided_of_company`);
    this.addSql(`
      alter table access_request drop previous_scopes, drop pending_scopes, drop pending_purpose,
        drop addition_declined, drop expiring_at, drop last_event_type`);
  }
}
