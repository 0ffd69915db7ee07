import { noticeKinds } from '#core';
import { firstRelease, oneOf } from './schema-migration.ts';

const kindsOfNotices = oneOf(noticeKinds);

/** When an endpoint is removed, its secrets are deleted. The row stays until the endpoint's deliveries are deleted. */
const endpoints = `
  create table webhook_endpoint (
    id text collate "C" primary key,
    company_id text collate "C" constraint webhook_endpoint_company references company (id),
    investor_id text collate "C" constraint webhook_endpoint_investor references investor (id),
    url text not null,
    types text[] not null,
    secret text not null,
    previous_secret text,
    previous_secret_until timestamptz(3),
    created_at timestamptz(3) not null,
    disabled_at timestamptz(3),
    disabled_reason text,
    dropped_data_events integer not null default 0,
    removed_at timestamptz(3),
    due_at timestamptz(3),
    claim_id text collate "C",
    constraint webhook_endpoint_one_owner check (num_nonnulls(company_id, investor_id) = 1),
    constraint webhook_endpoint_disabled_for_a_reason
      check ((disabled_at is null) = (disabled_reason is null)),
    constraint webhook_endpoint_previous_secret_ends
      check ((previous_secret is null) = (previous_secret_until is null))
  );
  create index webhook_endpoint_of_company on webhook_endpoint (company_id, created_at, id)
    where removed_at is null and company_id is not null;
  create index webhook_endpoint_of_investor on webhook_endpoint (investor_id, created_at, id)
    where removed_at is null and investor_id is not null;
  create index webhook_endpoint_due on webhook_endpoint (due_at, id) where due_at is not null;
  create index webhook_endpoint_claimed on webhook_endpoint (claim_id)
    where claim_id is not null;
  create index webhook_endpoint_removed on webhook_endpoint (removed_at)
    where removed_at is not null;`;

const deliveries = `
  create table webhook_delivery (
    endpoint_id text collate "C" not null
      constraint webhook_delivery_endpoint references webhook_endpoint (id),
    event_id text collate "C" not null constraint webhook_delivery_event references access_event (id),
    event_type text not null,
    state text not null constraint webhook_delivery_state_known
      check (state in ('pending', 'delivered', 'failed')),
    attempts integer not null,
    next_attempt_at timestamptz(3),
    last_attempt_at timestamptz(3),
    last_status integer,
    last_failure text,
    created_at timestamptz(3) not null,
    company_id text collate "C" not null,
    -- event_id comes first, so that old events can be deleted quickly.
    primary key (event_id, endpoint_id),
    constraint webhook_delivery_pending_has_a_next_attempt
      check ((state = 'pending') = (next_attempt_at is not null))
  );
  create index webhook_delivery_due on webhook_delivery (endpoint_id, next_attempt_at, event_id)
    where state = 'pending';
  -- Counts the waiting data events per endpoint and company, because their number is limited.
  create index webhook_delivery_waiting on webhook_delivery (endpoint_id, company_id)
    where state = 'pending';
  create index webhook_delivery_newest
    on webhook_delivery (endpoint_id, created_at desc, event_id desc);
  create index webhook_delivery_ended on webhook_delivery (created_at)
    where state <> 'pending';`;

const mails = `
  create table mail (
    id text collate "C" primary key,
    event_id text collate "C" constraint mail_event references access_event (id),
    contact_id text collate "C"
      constraint mail_contact references contact (id) on delete cascade,
    email text not null,
    kind text not null constraint mail_kind_known
      check (kind in ${kindsOfNotices} or kind in ('contact_invited', 'settings_changed', 'news', 'digest')),
    state text not null constraint mail_state_known
      check (state in ('waiting', 'sent', 'failed')),
    attempts integer not null,
    next_attempt_at timestamptz(3),
    last_failure text,
    created_at timestamptz(3) not null,
    sent_at timestamptz(3),
    company_id text collate "C",
    investor_id text collate "C",
    constraint mail_one_owner check (num_nonnulls(company_id, investor_id) = 1),
    constraint mail_once unique (event_id, contact_id),
    constraint mail_of_settings_once unique (settings_change_id, email),
    settings_change_id text collate "C",
    -- A news mail covers the events between these two positions of the feed, for one company or for all companies.
    after_position bigint,
    until_position bigint,
    about_company_id text collate "C",
    constraint mail_of_an_event check (
      (kind in ${kindsOfNotices}) = (event_id is not null)),
    constraint mail_of_settings_is_to_an_address check (
      (kind in ('contact_invited', 'settings_changed')) = (settings_change_id is not null)
      and (kind = 'settings_changed') = (contact_id is null)),
    constraint mail_of_news_is_of_the_feed check (
      (kind in ('news', 'digest')) = (after_position is not null and until_position is not null)
      and (kind = 'news') = (about_company_id is not null)),
    constraint mail_state_is_whole check (
      (state = 'waiting') = (next_attempt_at is not null)
      and (state = 'sent') = (sent_at is not null))
  );
  create unique index mail_invites_once on mail (contact_id) where kind = 'contact_invited';
  -- Later news are added to a waiting mail, unless a process has already claimed the mail.
  create unique index mail_gathers on mail (contact_id, kind, coalesce(about_company_id, ''))
    where kind in ('news', 'digest') and state = 'waiting' and attempts = 0;
  create index mail_due on mail (next_attempt_at, id) where state = 'waiting';
  create index mail_newest on mail (created_at desc, id desc);
  create index mail_of_contact on mail (contact_id);
  -- Counts the last mails to a contact. Leaves out failed mails, for example those that the mail limit has stopped.
  create index mail_to_contact on mail (contact_id, created_at) where state <> 'failed';`;

const consumers = `insert into event_consumer (name, position) values ('webhooks', 0), ('mail', 0)`;

export const notices = firstRelease('20261125-11-notices', endpoints, deliveries, mails, consumers);
