import { appendOnly, firstRelease } from './schema-migration.ts';

/**
 * Signatures must refer to active_number, not to number. Then the database refuses to retire a key in use, and to store
 * a
 * signature by a retired key, without a race. Imported keys belong to other services and sign nothing here.
 */
const keys = `
  create table signing_key (
    number smallint generated always as identity primary key,
    kid text not null constraint signing_key_once unique,
    public_key text not null,
    created_at timestamptz(3) not null,
    -- Null: from created_at on.
    signs_at timestamptz(3),
    retired_at timestamptz(3),
    active_number smallint generated always as (case when retired_at is null then number end)
      stored constraint signing_key_active unique,
    is_imported boolean not null default false
  );
  -- Of those who sign values of a company before they come here.
  create table upstream_signer (
    company_id text not null constraint upstream_signer_company references company (id),
    kid text not null,
    jwk jsonb not null
      constraint upstream_signer_is_public check (not jwk ?| array['d', 'k', 'p', 'q']),
    added_at timestamptz(3) not null,
    primary key (company_id, kid)
  );`;

/** Roles have no right to change final columns. The trigger stops the owner, too. */
const finality = `
  create function append_only() returns trigger language plpgsql as $$
    begin
      raise insufficient_privilege
        using message = format('rows of %s are only added', tg_table_name);
    end
  $$;
  ${appendOnly('signing_key', 'update of number, kid, public_key, created_at', 'delete', 'truncate')}`;

/**
 * The operator registers keys. The service registers the first one only: the public would trust signatures of any key
 * that the service added later. An imported key becomes the first one if the service signs with it.
 */
const registration = `
  create function register_first_signing_key(text, text, timestamptz) returns void
    language sql security definer set search_path from current as $$
      lock table signing_key in share row exclusive mode;
      insert into signing_key (kid, public_key, created_at, is_imported)
        select $1, $2, $3, false where not exists (select from signing_key where not is_imported)
        on conflict (kid) do update set is_imported = false where signing_key.retired_at is null;
  $$;
  revoke execute on function register_first_signing_key(text, text, timestamptz) from public;`;

/** The public keys that sign values and receipts. Private keys are never in the database. */
export const signingKeys = firstRelease('20261125-02-signing-keys', keys, finality, registration);
