import {
  accessEventTypes,
  accessRequestStatuses,
  actorTypes,
  dataEventTypes,
  grantableScopes,
} from '#core';
import { firstRelease, oneOf } from './schema-migration.ts';

const grantable = `array[${oneOf(grantableScopes).slice(1, -1)}]`;
const eventTypes = oneOf(accessEventTypes);

const requests = `
  create table access_request (
    id text collate "C" primary key,
    investor_id text collate "C" not null constraint access_request_investor references investor (id),
    company_id text collate "C" not null constraint access_request_company references company (id),
    requested_scopes text[] not null,
    approved_scopes text[] not null,
    previous_scopes text[] not null,
    pending_scopes text[] not null,
    requested_terms jsonb,
    approved_terms jsonb,
    pending_terms jsonb,
    approvals jsonb not null default '[]',
    status text not null,
    version text not null default gen_random_uuid()::text,
    amendments integer not null default 0,
    purpose text,
    pending_purpose text,
    addition_declined boolean not null default false,
    reason text,
    created_at timestamptz(3) not null,
    decided_at timestamptz(3),
    expires_at timestamptz(3),
    deadline_at timestamptz(3) not null,
    expiring_at timestamptz(3),
    review_at timestamptz(3),
    paused_at timestamptz(3),
    first_read_at timestamptz(3),
    last_event_type text not null,
    constraint access_request_status_known
      check (status in ${oneOf(accessRequestStatuses)}),
    constraint access_request_event_type_known check (last_event_type in ${eventTypes}),
    constraint access_request_asks_for_something
      check (requested_scopes <@ ${grantable} and cardinality(requested_scopes) > 0),
    constraint access_request_grants_what_was_asked
      check (approved_scopes <@ requested_scopes),
    constraint access_request_approvals_only_add
      check (previous_scopes <@ approved_scopes),
    constraint access_request_addition_is_to_a_grant check (
      pending_scopes <@ ${grantable} and not pending_scopes && approved_scopes
      and ((cardinality(pending_scopes) = 0 and pending_terms is null) or status = 'approved')
      and (pending_purpose is null or cardinality(pending_scopes) > 0 or pending_terms is not null)),
    constraint access_request_declined_addition_was_to_a_grant check (
      not addition_declined
        or (status = 'approved' and cardinality(pending_scopes) = 0 and pending_terms is null)),
    constraint access_request_notice_is_of_a_grant
      check (num_nonnulls(expiring_at, review_at, paused_at) = 0 or status = 'approved'),
    constraint access_request_grant_is_whole check (case status
      when 'approved' then cardinality(approved_scopes) > 0
        and expires_at is not null and decided_at is not null
      when 'pending' then cardinality(approved_scopes) = 0
        and expires_at is null and decided_at is null
      when 'declined' then cardinality(approved_scopes) = 0 and expires_at is null
      else true end)
  );
  create unique index access_request_one_live on access_request (investor_id, company_id)
    where status in ('pending', 'approved');
  create index access_request_newest_of_pair
    on access_request (investor_id, company_id, created_at desc, id desc);
  create index access_request_newest_of_investor
    on access_request (investor_id, created_at desc, id desc);
  create index access_request_newest_of_company
    on access_request (company_id, created_at desc, id desc);
  create index access_request_grants_of_company
    on access_request (company_id, deadline_at, id) where status = 'approved';
  create index access_request_waiting_of_company on access_request (company_id, created_at, id)
    where status = 'pending' or cardinality(pending_scopes) > 0 or pending_terms is not null;
  -- Has as many columns as the index of pairs. A database without statistics may use either of the two indexes.
  create index access_request_investors_of_company
    on access_request (company_id, investor_id, created_at, id);
  create index access_request_live_by_deadline on access_request (deadline_at, id)
    where status in ('pending', 'approved');
  create index access_request_by_notice on access_request (expiring_at, id)
    where expiring_at is not null;
  create index access_request_by_review on access_request (review_at, id)
    where review_at is not null;
  create index access_request_in_review on access_request (company_id, decided_at, id)
    where last_event_type = 'access_request.review_due';
  create table approval_rule (
    company_id text collate "C" primary key
      constraint approval_rule_company references company (id),
    approvals_required smallint not null
      constraint approval_rule_is_of_people check (approvals_required in (1, 2))
  );`;

/** `number` is assigned before the commit, so the order in the feed needs `position`. */
const events = `
  create table access_event (
    number bigint generated always as identity primary key,
    position bigint constraint access_event_position unique,
    id text collate "C" not null constraint access_event_id unique,
    type text not null constraint access_event_type_known
      check (type in ${eventTypes} or type in ${oneOf(dataEventTypes)}),
    created_at timestamptz(3) not null,
    investor_id text collate "C",
    company_id text collate "C" not null,
    access_request_id text collate "C"
      constraint access_event_access_request references access_request (id),
    access_request jsonb,
    actor_type text constraint access_event_actor_known check (
      actor_type in ${oneOf(actorTypes)}),
    actor_id text collate "C",
    actor_signed_in_by text
      constraint access_event_way_known check (actor_signed_in_by in ('link', 'oidc')),
    reason text,
    -- Only for data events: the change, and the scopes that allow reading the change.
    data jsonb,
    scopes text[],
    constraint access_event_of_contact_tells_way check (
      (actor_type is not distinct from 'contact') = (actor_signed_in_by is not null)),
    constraint access_event_is_of_a_request_or_of_data check (case
      when type in ${eventTypes} then num_nulls(investor_id, access_request_id, access_request, actor_type) = 0
        and num_nonnulls(data, scopes) = 0
      else num_nonnulls(investor_id, access_request_id, access_request, actor_type, actor_id, reason) = 0
        and num_nulls(data, scopes) = 0
        and scopes <@ ${grantable} and cardinality(scopes) > 0 end)
  );
  create index access_event_without_position on access_event (number) where position is null;
  create index access_event_of_company on access_event (company_id, position);
  create index access_event_of_data on access_event (company_id, position)
    where investor_id is null;
  -- The search for old data events uses this index. Consent events are never deleted, so the index leaves them out.
  create index access_event_of_data_by_time on access_event (created_at) where investor_id is null;
  create index access_event_of_investor on access_event (investor_id, position);
  create index access_event_of_request on access_event (access_request_id, number);
  -- For a new reader, who starts with the oldest event of the feed.
  create index access_event_by_time on access_event (created_at);`;

/** Only the function number_access_events assigns positions and updates last_position. */
const feed = `
  create table access_event_feed (
    only_row boolean primary key constraint access_event_feed_is_one check (only_row),
    last_position bigint not null
  );
  insert into access_event_feed (only_row, last_position) values (true, 0);
  create table event_consumer (
    name text primary key,
    position bigint not null
  );
  create function number_access_events() returns bigint
    language plpgsql security definer set search_path from current as $$
    declare
      base bigint;
      numbered bigint;
    begin
      if not exists (select from access_event where position is null) then
        return (select last_position from access_event_feed);
      end if;
      -- Only one transaction at a time gets this lock. After the wait, the next statement sees the new positions.
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
  $$;
  revoke execute on function number_access_events() from public;`;

const idempotencyKeys = `
  create table idempotency_key (
    investor_id text collate "C" not null constraint idempotency_key_investor references investor (id),
    key text not null,
    claim_id text collate "C" not null,
    fingerprint bytea not null,
    claimed_at timestamptz(3) not null,
    leased_until timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    outcome text constraint idempotency_key_outcome_known
      check (outcome in ('created', 'existing')),
    access_request_id text collate "C"
      constraint idempotency_key_access_request references access_request (id),
    primary key (investor_id, key),
    constraint idempotency_key_outcome_is_whole
      check ((outcome is null) = (access_request_id is null))
  );
  create index idempotency_key_by_expiry on idempotency_key (expires_at);`;

export const consent = firstRelease('20261125-06-consent', requests, events, feed, idempotencyKeys);
