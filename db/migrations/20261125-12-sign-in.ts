import { firstRelease, idsIn } from './schema-migration.ts';

export const signIn = firstRelease(
  '20261125-12-sign-in',
  `
  create table desk_session (
    id text collate "C" primary key,
    digest bytea not null
      constraint desk_session_digest unique
      constraint desk_session_digest_is_sha256 check (octet_length(digest) = 32),
    email text not null,
    contact_id text collate "C"
      constraint desk_session_contact references contact (id) on delete set null,
    device text,
    signed_in_by text not null constraint desk_session_way_known
      check (signed_in_by in ('link', 'oidc')),
    created_at timestamptz(3) not null,
    last_seen_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  );
  create index desk_session_by_address on desk_session (email, created_at, id);
  create index desk_session_of_contact on desk_session (contact_id);
  create index desk_session_by_expiry on desk_session (expires_at);
  create table sign_in_link (
    id text collate "C" primary key,
    digest bytea
      constraint sign_in_link_digest unique
      constraint sign_in_link_digest_is_sha256 check (octet_length(digest) = 32),
    email text not null,
    company_id text collate "C" constraint sign_in_link_company references company (id),
    investor_id text collate "C" constraint sign_in_link_investor references investor (id),
    state text not null constraint sign_in_link_state_known
      check (state in ('waiting', 'sent', 'failed', 'handed_out')),
    attempts integer not null,
    next_attempt_at timestamptz(3),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3),
    constraint sign_in_link_at_most_one_owner check (num_nonnulls(company_id, investor_id) < 2),
    constraint sign_in_link_is_whole check (
      (state = 'waiting') = (next_attempt_at is not null)
      and (digest is null or expires_at is not null))
  );
  create index sign_in_link_due on sign_in_link (next_attempt_at, id) where state = 'waiting';
  create index sign_in_link_to_address on sign_in_link (email, created_at)
    where state in ('waiting', 'sent');
  create index sign_in_link_by_age on sign_in_link (created_at);
  create table desk_form (
    session_id text collate "C" not null
      constraint desk_form_session references desk_session (id) on delete cascade,
    id text collate "C" not null,
    primary key (session_id, id)
  );
  -- When a person changes something, the transaction locks the person's session. The service role can't read sessions,
  -- so it calls this function. The function returns only sessions in the row scope.
  -- To avoid deadlocks, the function locks the company or investor first and the contact second, like the removal of a
  -- contact. The lock of the company or investor blocks only a suspension. The lock of the session blocks its deletion,
  -- but not an update of last_seen_at.
  create function lock_acting_session(session_id text, contact_id text)
    returns table (role text, last_seen_at timestamptz, expires_at timestamptz)
    language sql security definer set search_path from current as $$
      with company_owner as (
        select id from company
        where id = (select company_id from contact where contact.id = $2) and suspended_at is null
          and (has_table_privilege(session_user, 'desk_session', 'select')
            or id = any(${idsIn('portfolio_access.companies')}))
        for key share
      ), investor_owner as (
        select id from investor
        where id = (select investor_id from contact where contact.id = $2) and suspended_at is null
          and (has_table_privilege(session_user, 'desk_session', 'select')
            or id = any(${idsIn('portfolio_access.investors')}))
        for key share
      ), acting as (
        select contact.id, contact.role from contact
        where contact.id = $2
          and (exists (select from company_owner) or exists (select from investor_owner))
        for share
      )
      select acting.role, session.last_seen_at, session.expires_at
      from acting join desk_session as session on session.contact_id = acting.id
      where session.id = $1 for key share of session
  $$;
  revoke execute on function lock_acting_session(text, text) from public;`,
);
