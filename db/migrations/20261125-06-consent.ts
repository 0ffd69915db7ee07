import { firstRelease, rowOf } from './schema-migration.ts';

const grantable = `array['metrics:read', 'accounts:read', 'sources:read']`;
const eventTypes = `(
  'access_request.created', 'access_request.approved', 'access_request.declined',
  'access_request.revoked', 'access_request.expired', 'access_request.extended',
  'access_request.amended', 'access_request.amendment_declined', 'access_request.withdrawn',
  'access_request.expiring')`;

const requests = `
  create table access_request (
    id text primary key,
    investor_id text not null constraint access_request_investor references investor (id),
    company_id text not null constraint access_request_company references company (id),
    requested_scopes text[] not null,
    approved_scopes text[] not null,
    previous_scopes text[] not null,
    pending_scopes text[] not null,
    status text not null,
    version text not null,
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
    last_event_type text not null,
    last_receipt_id text,
    constraint access_request_status_known
      check (status in ('pending', 'approved', 'declined', 'expired', 'revoked')),
    constraint access_request_event_type_known check (last_event_type in ${eventTypes}),
    constraint access_request_asks_for_something
      check (requested_scopes <@ ${grantable} and cardinality(requested_scopes) > 0),
    constraint access_request_grants_what_was_asked
      check (approved_scopes <@ requested_scopes),
    constraint access_request_approvals_only_add
      check (previous_scopes <@ approved_scopes),
    constraint access_request_addition_is_to_a_grant check (
      pending_scopes <@ ${grantable} and not pending_scopes && approved_scopes
      and (cardinality(pending_scopes) = 0 or status = 'approved')
      and (pending_purpose is null or cardinality(pending_scopes) > 0)),
    constraint access_request_declined_addition_was_to_a_grant check (
      not addition_declined or (status = 'approved' and cardinality(pending_scopes) = 0)),
    constraint access_request_notice_is_of_a_grant
      check (expiring_at is null or status = 'approved'),
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
    where status = 'pending' or cardinality(pending_scopes) > 0;
  -- As long as the one of pairs: a database without statistics may take either, and both lead to one row.
  create index access_request_investors_of_company
    on access_request (company_id, investor_id, created_at, id);
  create index access_request_live_by_deadline on access_request (deadline_at, id)
    where status in ('pending', 'approved');
  create index access_request_by_notice on access_request (expiring_at, id)
    where expiring_at is not null;`;

/** What a company decides on. */
const decidedOn =
  'status, requested_scopes, approved_scopes, pending_scopes, expires_at, purpose, pending_purpose';

/**
 * A decision names the version that the company has read, and `amendments` counts how often the investor has amended.
 * Whoever writes: what has changed under its version could be approved unread.
 */
const versions = `
  create function renew_request_version() returns trigger language plpgsql as $$
    begin
      new.version := 'ver_' || replace(gen_random_uuid()::text, '-', '');
      if tg_op = 'UPDATE' and new.last_event_type = 'access_request.amended' then
        new.amendments := new.amendments + 1;
      end if;
      return new;
    end
  $$;
  create trigger access_request_has_version before insert on access_request
    for each row when (new.version is null) execute function renew_request_version();
  create trigger access_request_renews_version before update on access_request
    for each row when (
      new.version = old.version and ${rowOf('new', decidedOn)} is distinct from ${rowOf('old', decidedOn)})
    execute function renew_request_version();`;

/** What a decision needs of the newest request of a pair: the column of the request, and that of the standing. */
const newest = {
  id: 'newest_id',
  created_at: 'newest_created_at',
  status: 'newest_status',
  approved_scopes: 'newest_approved_scopes',
  pending_scopes: 'newest_pending_scopes',
  deadline_at: 'newest_deadline_at',
  "case when status = 'declined' or addition_declined then decided_at end": 'newest_declined_at',
};
const newestColumns = Object.values(newest).join(', ');
const columnsOf = (row: string) =>
  Object.values(newest)
    .map((column) => `${row}.${column}`)
    .join(', ');
const valuesOfRequest = Object.keys(newest).join(', ');

/**
 * How an investor stands with a company, in one row: a decision reads it instead of the portfolio, the suspensions and
 * the requests. It is a copy. Functions that run as the owner write it in the transaction of the change, nobody else may, and a check at the
 * commit refuses a row that says anything else than these and the newest request. Each function writes only the
 * columns of its own source, so that none overwrites what another transaction has committed meanwhile.
 */
const standings = `
  -- Whether the investor may know of the company now: it is in the portfolio, and neither of the two is suspended.
  create function is_open_to(investor_of text, company_of text) returns boolean
    language sql stable set search_path from current as $$
    select exists (
      select from portfolio_membership as membership
        join company on company.id = membership.company_id
        join investor on investor.id = membership.investor_id
      where membership.investor_id = investor_of and membership.company_id = company_of
        and company.suspended_at is null and investor.suspended_at is null)
  $$;
  create table access_standing (
    investor_id text not null,
    company_id text not null,
    in_portfolio boolean not null default false,
    newest_id text,
    newest_created_at timestamptz(3),
    newest_status text,
    newest_approved_scopes text[],
    newest_pending_scopes text[],
    newest_deadline_at timestamptz(3),
    newest_declined_at timestamptz(3),
    primary key (investor_id, company_id)
  );
  create index access_standing_granted on access_standing (company_id, investor_id)
    where in_portfolio and newest_status = 'approved';
  -- The locks wait for a suspension that is not committed yet, and hold one up until the membership is.
  create function portfolio_membership_sets_standing() returns trigger
    language plpgsql security definer set search_path from current as $$
    begin
      if tg_op <> 'INSERT' then
        update access_standing set in_portfolio = false
          where investor_id = old.investor_id and company_id = old.company_id;
      end if;
      if tg_op <> 'DELETE' then
        perform from company where id = new.company_id for share;
        perform from investor where id = new.investor_id for share;
        insert into access_standing as kept (investor_id, company_id, in_portfolio)
          values (new.investor_id, new.company_id, is_open_to(new.investor_id, new.company_id))
          on conflict (investor_id, company_id) do update set in_portfolio = excluded.in_portfolio;
      end if;
      return null;
    end
  $$;
  create trigger portfolio_membership_sets_standing
    after insert or delete or update of investor_id, company_id on portfolio_membership
    for each row execute function portfolio_membership_sets_standing();
  create function empty_portfolios_set_standings() returns trigger
    language plpgsql security definer set search_path from current as $$
    begin
      update access_standing set in_portfolio = false where in_portfolio;
      return null;
    end
  $$;
  create trigger empty_portfolios_set_standings after truncate on portfolio_membership
    for each statement execute function empty_portfolios_set_standings();
  -- The locks wait for a suspension of the other side, and for a company that leaves a portfolio, that are not committed
  -- yet: each of two at once would otherwise leave the row as the other one has found it.
  ${[
    ['company', 'investor'],
    ['investor', 'company'],
  ]
    .map(
      ([owner, other]) => `
  create function suspension_of_${owner}_sets_standings() returns trigger
    language plpgsql security definer set search_path from current as $$
    begin
      perform from portfolio_membership as membership
        join ${other} on ${other}.id = membership.${other}_id
        where membership.${owner}_id = new.id for share;
      update access_standing as kept set in_portfolio = is_open_to(kept.investor_id, kept.company_id)
        where kept.${owner}_id = new.id
          and kept.in_portfolio <> is_open_to(kept.investor_id, kept.company_id);
      return null;
    end
  $$;
  create trigger suspension_of_${owner}_sets_standings after update of suspended_at on ${owner}
    for each row when (old.suspended_at is distinct from new.suspended_at)
    execute function suspension_of_${owner}_sets_standings();`,
    )
    .join('')}
  create function access_request_sets_standing() returns trigger
    language plpgsql security definer set search_path from current as $$
    begin
      insert into access_standing as kept (investor_id, company_id, ${newestColumns})
        select new.investor_id, new.company_id, ${valuesOfRequest} from (select new.*) as request
        on conflict (investor_id, company_id) do update
          set (${newestColumns}) = row(${columnsOf('excluded')})
          where kept.newest_id is null or (excluded.newest_created_at, excluded.newest_id)
            >= (kept.newest_created_at, kept.newest_id);
      return null;
    end
  $$;
  create trigger access_request_sets_standing after insert or update on access_request
    for each row execute function access_request_sets_standing();
  create function check_access_standing() returns trigger
    language plpgsql security definer set search_path from current as $$
    declare
      written record := coalesce(new, old);
    begin
      if exists (
        select from (select written.investor_id, written.company_id) as pair
        left join access_standing as kept using (investor_id, company_id)
        left join lateral (
          select ${Object.entries(newest)
            .map(([value, column]) => `${value} as ${column}`)
            .join(', ')}
          from access_request
          where investor_id = pair.investor_id and company_id = pair.company_id
          order by created_at desc, id desc limit 1
        ) as request on true
        where (coalesce(kept.in_portfolio, false), ${columnsOf('kept')}) is distinct from (
          is_open_to(pair.investor_id, pair.company_id), ${columnsOf('request')})
      ) then
        raise integrity_constraint_violation using message =
          'a standing says what the portfolio, suspensions and the newest access request say';
      end if;
      return null;
    end
  $$;
  ${['access_standing', 'access_request', 'portfolio_membership']
    .map(
      (table) => `
  create constraint trigger ${table}_leaves_standing_true after insert or update or delete
    on ${table} deferrable initially deferred
    for each row execute function check_access_standing();`,
    )
    .join('')}
  -- What each standing has to be, for who looks whether all are true. A pair that left the portfolio without ever having
  -- asked for anything has none here.
  create function expected_access_standings() returns setof access_standing
    language sql stable security definer set search_path from current as $$
    select pair.investor_id, pair.company_id, is_open_to(pair.investor_id, pair.company_id),
      newest.*
    from (
      select investor_id, company_id from portfolio_membership
      union select investor_id, company_id from access_request
    ) as pair
    left join lateral (
      select ${valuesOfRequest} from access_request as request
      where request.investor_id = pair.investor_id and request.company_id = pair.company_id
      order by created_at desc, id desc limit 1
    ) as newest on true
  $$;
  -- For the owner, after rows were restored or written where no trigger fired.
  create function renew_access_standings() returns void
    language plpgsql set search_path from current as $$
    begin
      perform set_config('portfolio_access.everyone', 'on', true);
      lock table company, investor, portfolio_membership, access_request in share mode;
      delete from access_standing;
      insert into access_standing select * from expected_access_standings();
    end
  $$;
  revoke execute on function is_open_to(text, text), expected_access_standings(),
    renew_access_standings() from public;`;

/** What is told of the data of a company is told of no request, and by nobody. */
const dataEventTypes = `('company_data.updated', 'source.failed', 'source.recovered', 'source.stale')`;

/** An insertion draws its number before it is committed, so a number is no place in the feed. */
const events = `
  create table access_event (
    number bigint generated always as identity primary key,
    position bigint constraint access_event_position unique,
    id text not null constraint access_event_id unique,
    type text not null constraint access_event_type_known
      check (type in ${eventTypes} or type in ${dataEventTypes}),
    created_at timestamptz(3) not null,
    investor_id text,
    company_id text not null,
    access_request_id text
      constraint access_event_access_request references access_request (id),
    access_request jsonb,
    actor_type text constraint access_event_actor_known check (actor_type in
      ('investor', 'company_key', 'contact', 'operator', 'clock', 'sandbox')),
    actor_id text,
    actor_signed_in_by text
      constraint access_event_way_known check (actor_signed_in_by in ('link', 'oidc')),
    reason text,
    -- What has changed of the data, and the scopes of which each covers a part of it.
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
  -- Consent events are kept: who looks for old events of data must not pass them all.
  create index access_event_of_data_by_time on access_event (created_at) where investor_id is null;
  create index access_event_of_investor on access_event (investor_id, position);
  create index access_event_of_request on access_event (access_request_id, number);
  -- A reader that has no event yet begins with the oldest of the feed, which is not the oldest of the table.
  create index access_event_by_time on access_event (created_at);`;

/** A trigger moves the end of the feed on (see the history that is written once). */
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
      return base + numbered;
    end
  $$;`;

const idempotencyKeys = `
  create table idempotency_key (
    investor_id text not null constraint idempotency_key_investor references investor (id),
    key text not null,
    claim_id text not null,
    fingerprint bytea not null,
    claimed_at timestamptz(3) not null,
    leased_until timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    outcome text constraint idempotency_key_outcome_known
      check (outcome in ('created', 'existing')),
    access_request_id text
      constraint idempotency_key_access_request references access_request (id),
    primary key (investor_id, key),
    constraint idempotency_key_outcome_is_whole
      check ((outcome is null) = (access_request_id is null))
  );
  create index idempotency_key_by_expiry on idempotency_key (expires_at);`;

/** Who may read what, and the feed of what has happened. */
export const consent = firstRelease(
  '20261125-06-consent',
  requests,
  versions,
  standings,
  events,
  feed,
  idempotencyKeys,
);
