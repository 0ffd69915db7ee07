-- The roles of the database, for least privilege: the service serves as one that owns nothing and cannot change the
-- schema; the command line works as another one; migrations are the owner's.
--
-- Run it after each `portfolio-access migrate`, as the owner of the schema. Whoever runs it for the first time must be
-- allowed to make roles. However often it is run, the two roles have these rights afterwards, and no others.
-- A role that is made here has no password: give it one, or let your server authenticate it another way.

begin;

do $$
begin
  if not exists (select from pg_roles where rolname = 'portfolio_access_service') then
    create role portfolio_access_service login;
  end if;
  if not exists (select from pg_roles where rolname = 'portfolio_access_operator') then
    create role portfolio_access_operator login;
  end if;
  -- The operator may do whatever the service may.
  if not pg_has_role('portfolio_access_operator', 'portfolio_access_service', 'usage') then
    grant portfolio_access_service to portfolio_access_operator;
  end if;
  execute format('revoke create on schema %I from public', current_schema());
  execute format('revoke all on schema %I from portfolio_access_service, portfolio_access_operator', current_schema());
  execute format('revoke all on all tables in schema %I from portfolio_access_service, portfolio_access_operator', current_schema());
  execute format('revoke all on all sequences in schema %I from portfolio_access_service, portfolio_access_operator', current_schema());
  execute format('revoke all on all functions in schema %I from portfolio_access_service, portfolio_access_operator', current_schema());
  execute format('grant usage on schema %I to portfolio_access_service', current_schema());
end $$;

-- What the service does.

grant select on mikro_orm_migrations, investor, portfolio_membership, api_key to portfolio_access_service;
grant select on metric_series, metric_point, metric_revision, source, account, company_data_version to portfolio_access_service;

-- An update of one column is the right to lock a row.
grant select, update (created_at) on company to portfolio_access_service;
grant select, insert, delete, update (created_at) on company_contact to portfolio_access_service;
grant select, insert, update (is_imported) on signing_key to portfolio_access_service;

-- Companies manage their own keys.
-- Of an investor's key the service writes only when it was used.
grant update (last_used_at) on api_key to portfolio_access_service;
grant select, insert, update (expires_at, revoked_at, replaced_by, last_used_at) on company_key to portfolio_access_service;

-- What proves something is added, never changed; an event gets its place in the feed once.
grant select, insert on access_record, consent_receipt to portfolio_access_service;
grant select on access_record_text, access_record_other to portfolio_access_service;
grant select, insert, update (position) on access_event to portfolio_access_service;
grant execute on function create_access_record_days() to portfolio_access_service;
-- The indexes and the view call it with the rights of whoever writes or reads.
grant execute on function id_text(text,bytea), utf8_text(bytea) to portfolio_access_service;

grant select, insert, update on access_request to portfolio_access_service;
grant select, insert, update, delete on idempotency_key to portfolio_access_service;
-- Whoever numbers events locks its row; the trigger moves it on.
grant select, update (only_row) on access_event_feed to portfolio_access_service;
grant select, update (position) on event_consumer to portfolio_access_service;

-- What the access records come to, by day.
grant select, insert, update (allowed, refused) on access_record_day, access_record_day_sum to portfolio_access_service;
grant select, insert, update (reads, last_read_at) on access_record_grant to portfolio_access_service;
grant select, insert, delete on access_record_late to portfolio_access_service;
grant select, update on access_record_counted to portfolio_access_service;
-- The archive is the owner's to write and to remove.
grant select on access_record_archive, access_record_archive_investor, access_record_day_archived to portfolio_access_service;

grant select, insert, update, delete on webhook_endpoint, webhook_delivery, mail to portfolio_access_service;
grant select, insert, update, delete on desk_session, sign_in_link to portfolio_access_service;
grant select, insert on desk_form to portfolio_access_service;

-- What the command line does besides. Nothing here changes the schema: `migrate`, `access-log archive`,
-- `drop-access-log` and this file are the owner's.

grant insert, update (created_at) on investor to portfolio_access_operator;
grant insert, update (name) on company to portfolio_access_operator;
grant insert, delete on portfolio_membership to portfolio_access_operator;
grant insert, update (name, expires_at, revoked_at, replaced_by) on api_key to portfolio_access_operator;
grant update (name) on company_key to portfolio_access_operator;
grant update (signing_key, signature, signed_at) on consent_receipt to portfolio_access_operator;
grant update (retired_at) on signing_key to portfolio_access_operator;
grant select, insert, delete on upstream_signer to portfolio_access_operator;

-- Imports. The database itself keeps what a value was, whoever changes it.
grant insert, update on metric_series, metric_point, source, account, company_data_version to portfolio_access_operator;
grant insert, update (signed_at, signature, signing_key) on metric_revision to portfolio_access_operator;
grant usage on sequence company_data_version_number to portfolio_access_operator;
grant execute on function analyze_import() to portfolio_access_operator;
grant select, insert, update, delete on import_run, import_company, import_metric, import_source, import_account to portfolio_access_operator;
grant select, insert, update, delete on import_revision, import_signature, import_portfolio to portfolio_access_operator;

commit;
