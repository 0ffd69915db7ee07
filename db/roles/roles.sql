-- The roles of the database, for least privilege. They own nothing and cannot change the schema; migrations are the
-- owner's.
--   portfolio_access_service     requests of one company or investor (DATABASE_URL of the service): outside of a scope
--                                it sees no row, and in one the rows of the scope
--   portfolio_access_background  what works for everybody: the decision, access records, credentials, webhooks, mails,
--                                the clock (DATABASE_BACKGROUND_URL)
--   portfolio_access_operator    the command line
--
-- Run it after each `portfolio-access migrate`, as the owner of the schema. Whoever runs it for the first time must be
-- allowed to make roles. However often it is run, the roles have these rights afterwards, and no others.
-- A role that is made here has no password: give it one, or let your server authenticate it another way.
-- Never make the first role a member of another one: whatever gets into its statements could take that one's place.

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
  -- The operator may do whatever the background work may, and sees what it sees.
  if not pg_has_role('portfolio_access_operator', 'portfolio_access_background', 'usage') then
    grant portfolio_access_background to portfolio_access_operator;
  end if;
end $$;

-- Whose rows each role sees. What a scope leaves is said by the policies that the migrations have made. A policy that is
-- right is left alone: to change it would lock its table against readers. Policies come before rights: a vacuum holds its
-- table while it waits for that table's row of pg_class, which changed rights lock; to want the table then is a deadlock.

do $$
declare
  each record;
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

-- What requests of one company or investor do.

grant select on portfolio_membership, access_standing, contact to portfolio_access_service;
grant select on metric_series, metric_point, metric_revision, source, account, company_data_version to portfolio_access_service;
-- An update of one column is the right to lock a row.
grant select, update (created_at) on company, investor to portfolio_access_service;
grant select, update (is_imported) on signing_key to portfolio_access_service;
-- Companies and investors manage their own keys.
grant select, insert, update (expires_at, revoked_at, replaced_by, last_used_at) on company_key, api_key to portfolio_access_service;
grant select, insert, update on access_request to portfolio_access_service;
grant select, update on idempotency_key to portfolio_access_service;
grant select, insert on access_event, consent_receipt, webhook_endpoint, settings_change to portfolio_access_service;
-- Companies push their own data. The database itself keeps what a value was, whoever changes it. What may be updated is
-- named, because the right to update a whole table is the right to lock it.
grant insert, update (label, category) on metric_series to portfolio_access_service;
grant insert, update (currency, raw_value, value, as_of, confidence, source_system, source_method, last_synced, verified, revision, source_signature, signed_at, signature, signing_key) on metric_point to portfolio_access_service;
grant insert on metric_revision to portfolio_access_service;
grant insert, update (status, last_synced_at, expected_every, stale_at, is_stale_told) on source to portfolio_access_service;
grant insert, update (provider, name, type, currency, balance, raw_balance, last_four, last_synced_at) on account to portfolio_access_service;
grant insert, update (version) on company_data_version to portfolio_access_service;
grant select, insert, update (fingerprint, pushed_at, expires_at, created, revised, unchanged, data_version) on idempotent_push to portfolio_access_service;

-- What the service does besides, for everybody.

grant select on mikro_orm_migrations, portfolio_membership, access_standing, api_key to portfolio_access_background;
grant select on metric_series, metric_point, metric_revision, source, account, company_data_version to portfolio_access_background;

-- An update of one column is the right to lock a row.
grant select, update (created_at) on company, investor to portfolio_access_background;
grant select, insert, delete, update (created_at, role) on contact to portfolio_access_background;
grant select, insert, update (is_imported) on signing_key to portfolio_access_background;

grant update (last_used_at) on api_key to portfolio_access_background;
grant select, insert, update (expires_at, revoked_at, replaced_by, last_used_at) on company_key to portfolio_access_background;

-- What proves something is added, never changed; an event gets its place in the feed once, and the trigger lets go none
-- but those of data that no feed goes back to.
grant select, insert on access_record, consent_receipt, settings_change to portfolio_access_background;
grant select on access_record_text, access_record_other to portfolio_access_background;
grant select, insert, delete, update (position) on access_event to portfolio_access_background;
grant execute on function create_access_record_days() to portfolio_access_background;
grant execute on function expected_access_standings() to portfolio_access_background;
-- The indexes and the view call it with the rights of whoever writes or reads.
grant execute on function id_text(text,bytea), utf8_text(bytea) to portfolio_access_background;

grant select, insert, update on access_request to portfolio_access_background;
grant select, insert, update, delete on idempotency_key to portfolio_access_background;
grant select, delete on idempotent_push to portfolio_access_background;
-- Whoever numbers events locks its row; the trigger moves it on.
grant select, update (only_row) on access_event_feed to portfolio_access_background;
grant select, update (position) on event_consumer to portfolio_access_background;

-- The clock tells of sources that are stale, with a version of the data as any change has one.
grant update (is_stale_told) on source to portfolio_access_background;
grant insert, update (version) on company_data_version to portfolio_access_background;

-- What the access records come to, by day.
grant select, insert, update (allowed, refused) on access_record_day, access_record_day_sum to portfolio_access_background;
grant select, insert, update (reads, last_read_at) on access_record_grant to portfolio_access_background;
grant select, insert, delete on access_record_late to portfolio_access_background;
grant select, update on access_record_counted to portfolio_access_background;
-- The archive is the owner's to write and to remove.
grant select on access_record_archive, access_record_archive_investor, access_record_day_archived to portfolio_access_background;

grant select, insert, update, delete on webhook_endpoint, webhook_delivery, mail to portfolio_access_background;
grant select, insert, update, delete on desk_session, sign_in_link to portfolio_access_background;
grant select, insert on desk_form to portfolio_access_background;

-- What the command line does besides. Nothing here changes the schema: `migrate`, `access-log archive`,
-- `drop-access-log` and this file are the owner's.

grant insert, update (name, suspended_at) on investor to portfolio_access_operator;
grant insert, update (name, suspended_at) on company to portfolio_access_operator;
grant insert, delete on portfolio_membership to portfolio_access_operator;
grant insert, update (name, expires_at, revoked_at, replaced_by) on api_key to portfolio_access_operator;
grant update (name) on company_key to portfolio_access_operator;
grant update (signing_key, signature, signed_at) on consent_receipt to portfolio_access_operator;
grant update (retired_at) on signing_key to portfolio_access_operator;
grant select, insert, delete on upstream_signer to portfolio_access_operator;

-- Imports. The database itself keeps what a value was, whoever changes it.
grant insert, update on metric_series, metric_point, source, account, company_data_version to portfolio_access_operator;
grant insert, update (signed_at, signature, signing_key) on metric_revision to portfolio_access_operator;
grant execute on function analyze_import() to portfolio_access_operator;
grant select, insert, update, delete on import_run, import_company, import_metric, import_source, import_account to portfolio_access_operator;
grant select, insert, update, delete on import_revision, import_signature, import_portfolio to portfolio_access_operator;

commit;
