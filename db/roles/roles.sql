-- The database roles. They own nothing and cannot change the schema.
--   portfolio_access_service     HTTP requests of one company or investor (DATABASE_URL). Sees only the rows of its row
--                                scope, and no row without a row scope.
--   portfolio_access_background  work for all companies and investors: access decisions, access records, credentials,
--                                webhooks, mails, the clock (DATABASE_BACKGROUND_URL)
--   portfolio_access_operator    the command line
--
-- Run this file after each `portfolio-access migrate`, as the owner of the schema. The first run needs the right to create
-- roles. After each run, the roles have exactly these rights.
-- A new role has no password. Set one, or configure another authentication on the server.
-- Never make portfolio_access_service a member of another role: injected SQL could switch to that role.

begin;

do $$
begin
  if not exists (select from pg_roles where rolname = 'portfolio_access_service') then
    create role portfolio_access_service login;
  end if;
  if not exists (select from pg_roles where rolname = 'portfolio_access_background') then
    create role portfolio_access_background login;
  end if;
  if not exists (select from pg_roles where rolname = 'portfolio_access_operator') then
    create role portfolio_access_operator login;
  end if;
  -- The operator has all rights of the background role.
  if not pg_has_role('portfolio_access_operator', 'portfolio_access_background', 'usage') then
    grant portfolio_access_background to portfolio_access_operator;
  end if;
end $$;

-- The rows that each role sees. The migrations create the policies `of_scope`. A policy that is already correct stays
-- unchanged, because a change would lock its table and block readers.
-- Policies are changed before rights. Changing a policy locks the table, and a grant locks the table's row in pg_class.
-- A vacuum takes these two locks in the same order. The opposite order could cause a deadlock.

do $$
declare
  each record;
  restriction record;
  background constant oid := 'portfolio_access_background'::regrole;
  service constant oid := 'portfolio_access_service'::regrole;
begin
  for each in
    select pg_class.oid::regclass as name, pg_get_userbyid(relowner) as owner,
      exists (
        select from pg_policy
        where polrelid = pg_class.oid and polname = 'of_background' and polroles = array[background]
          and polcmd = '*' and polpermissive and pg_get_expr(polqual, polrelid) = 'true' and polwithcheck is null
      ) as has_background,
      exists (
        select from pg_policy
        where polrelid = pg_class.oid and polname = 'of_scope'
          and not (polroles @> array[relowner, service] and polroles <@ array[relowner, service])
      ) as has_wrong_scope,
      exists (
        select from pg_policy
        where polrelid = pg_class.oid and polname = 'of_everyone' and polroles <> array[relowner]
      ) as has_wrong_everyone
    from pg_class
    where relnamespace = to_regnamespace(quote_ident(current_schema())) and relrowsecurity
    order by relispartition, pg_class.oid
  loop
    if not each.has_background then
      execute format('drop policy if exists of_background on %s', each.name);
      execute format('create policy of_background on %s to portfolio_access_background using (true)', each.name);
    end if;
    if each.has_wrong_scope then
      execute format('alter policy of_scope on %s to %I, portfolio_access_service', each.name, each.owner);
    end if;
    if each.has_wrong_everyone then
      execute format('alter policy of_everyone on %s to %I', each.name, each.owner);
    end if;
    -- The operator is a member of the background role, so the restrictions of that role also apply to the operator.
    for restriction in
      select polname as name from pg_policy, pg_class
      where polrelid = each.name and pg_class.oid = polrelid and not polpermissive
        and not (polroles @> array[relowner, service, background] and polroles <@ array[relowner, service, background])
    loop
      execute format('alter policy %I on %s to %I, portfolio_access_service, portfolio_access_background',
        restriction.name, each.name, each.owner);
    end loop;
  end loop;
end $$;

do $$
begin
  execute format('revoke create on schema %I from public', current_schema());
  execute format('revoke all on schema %I from portfolio_access_service, portfolio_access_background, portfolio_access_operator', current_schema());
  execute format('revoke all on all tables in schema %I from portfolio_access_service, portfolio_access_background, portfolio_access_operator', current_schema());
  execute format('revoke all on all sequences in schema %I from portfolio_access_service, portfolio_access_background, portfolio_access_operator', current_schema());
  execute format('revoke all on all functions in schema %I from portfolio_access_service, portfolio_access_background, portfolio_access_operator', current_schema());
  execute format('grant usage on schema %I to portfolio_access_service, portfolio_access_background', current_schema());
end $$;

-- The history of consent. No role can choose the number or position of an event, or insert a receipt with a late
-- signature. The ID, the parties and the creation time of an access request never change.

grant select, insert (id, type, created_at, investor_id, company_id, access_request_id, access_request, actor_type, actor_id, actor_signed_in_by, reason, data, scopes) on access_event to portfolio_access_service, portfolio_access_background;
grant select, insert (id, previous_id, event_id, access_request_id, company_id, environment, company_name, investor_name, issued_at, signing_key, signature) on consent_receipt to portfolio_access_service, portfolio_access_background;
grant select, insert (id, investor_id, company_id, requested_scopes, approved_scopes, previous_scopes, pending_scopes, requested_terms, approved_terms, pending_terms, approvals, status, version, amendments, purpose, pending_purpose, addition_declined, reason, created_at, decided_at, expires_at, deadline_at, expiring_at, review_at, paused_at, first_read_at, last_event_type) on access_request to portfolio_access_service, portfolio_access_background;
grant update (requested_scopes, approved_scopes, previous_scopes, pending_scopes, requested_terms, approved_terms, pending_terms, approvals, status, version, amendments, purpose, pending_purpose, addition_declined, reason, decided_at, expires_at, deadline_at, expiring_at, review_at, paused_at, first_read_at, last_event_type) on access_request to portfolio_access_service, portfolio_access_background;

-- HTTP requests of one company or investor.

grant select on portfolio_membership, contact, upstream_signer to portfolio_access_service;
grant select, insert, update (approvals_required) on approval_rule to portfolio_access_service, portfolio_access_background;
grant select on metric_series, metric_point, metric_revision, source, account, company_data_version to portfolio_access_service;
-- A role can lock a row only if it may update at least one column.
grant select, update (created_at) on company, investor to portfolio_access_service;
grant select, update (created_at) on signing_key to portfolio_access_service;
grant select, insert, update (expires_at, revoked_at, replaced_by, last_used_at) on company_key, api_key to portfolio_access_service;
-- Every change checks its API key or session. The service role can't read the table of sessions.
grant execute on function lock_acting_session(text,text) to portfolio_access_service;
grant select, update on idempotency_key to portfolio_access_service;
grant select, insert on webhook_endpoint, settings_change to portfolio_access_service;
-- Each entry of the settings log is mailed to the people concerned.
grant insert (id, company_id, investor_id, email, kind, state, attempts, next_attempt_at, created_at, settings_change_id) on mail to portfolio_access_service;
-- Companies push their own data. A trigger moves a changed value to metric_revision, so no role needs to insert there.
-- Columns are listed, because the right to update all columns also allows locking the table.
grant insert (company_id, key, label, category), update (label, category) on metric_series to portfolio_access_service;
grant insert, update (currency, raw_value, value, as_of, confidence, source_system, source_method, last_synced, verified, revision, source_signature, signed_at, signature, signing_key, void_reason, settings_change_id) on metric_point to portfolio_access_service;
grant insert, update (status, last_synced_at, expected_every, stale_at, is_stale_reported) on source to portfolio_access_service;
grant insert, update (provider, name, type, currency, balance, raw_balance, last_four, last_synced_at) on account to portfolio_access_service;
grant insert, update (version) on company_data_version to portfolio_access_service;
grant select, insert, update (fingerprint, pushed_at, expires_at, created, revised, unchanged, data_version) on idempotent_push to portfolio_access_service;

-- Background work of the service.

grant select on mikro_orm_migrations, portfolio_membership, api_key to portfolio_access_background;
grant select on metric_series, metric_point, metric_revision, source, account, company_data_version to portfolio_access_background;

grant select, update (created_at) on company, investor to portfolio_access_background;
grant select, insert, delete, update (role, language, time_zone, news_choices) on contact to portfolio_access_background;
grant select, update (created_at) on signing_key to portfolio_access_background;
grant execute on function register_first_signing_key(text,text,timestamp with time zone) to portfolio_access_background;

grant update (last_used_at) on api_key to portfolio_access_background;
grant select, insert, update (expires_at, revoked_at, replaced_by, last_used_at) on company_key to portfolio_access_background;

-- Access records and settings log entries are evidence, so they can only be added. The function number_access_events
-- assigns positions. The policy `forgotten` allows deleting data events that are too old for the feed.
grant select, insert on access_record, settings_change to portfolio_access_background;
grant select on access_record_other to portfolio_access_background;
grant delete on access_event to portfolio_access_background;
grant execute on function number_access_events() to portfolio_access_background;
grant execute on function create_access_record_days() to portfolio_access_background;

grant select, insert, update, delete on idempotency_key to portfolio_access_background;
grant select, delete on idempotent_push to portfolio_access_background;
grant select on access_event_feed to portfolio_access_background;
grant select, update (position) on event_consumer to portfolio_access_background;

-- The clock reports stale sources. Like every other change to data, such a report raises the data version.
grant update (is_stale_reported) on source to portfolio_access_background;
grant insert, update (version) on company_data_version to portfolio_access_background;

grant select, insert on access_day, access_day_count, access_grant_use to portfolio_access_background;

grant select, insert, update, delete on webhook_endpoint, webhook_delivery, mail to portfolio_access_background;
grant select, insert, update, delete on desk_session, sign_in_link to portfolio_access_background;
grant select, insert on desk_form to portfolio_access_background;
grant execute on function lock_acting_session(text,text) to portfolio_access_background;

-- Other work of the command line. Only the owner may change the schema, so `migrate`, `access-log drop` and this file
-- need the owner.

grant insert, update (name, suspended_at) on investor to portfolio_access_operator;
grant insert, update (name, suspended_at) on company to portfolio_access_operator;
grant insert, update (added_at, company_name, removed_at) on portfolio_membership to portfolio_access_operator;
grant insert, update (name, expires_at, revoked_at, replaced_by) on api_key to portfolio_access_operator;
grant update (name) on company_key to portfolio_access_operator;
grant update (signing_key, signature, signed_at) on consent_receipt to portfolio_access_operator;
grant insert (kid, public_key, created_at, signs_at, is_imported), update (signs_at, retired_at, is_imported) on signing_key to portfolio_access_operator;
grant select, insert, delete on upstream_signer to portfolio_access_operator;

grant insert, update on metric_series, metric_point, source, account to portfolio_access_operator;
grant update (signed_at, signature, signing_key) on metric_revision to portfolio_access_operator;
grant insert, update (fingerprint, pushed_at, expires_at, created, revised, unchanged, data_version) on idempotent_push to portfolio_access_operator;

commit;
