import { appendOnly, firstRelease } from './schema-migration.ts';

/**
 * Signatures must refer to active_number instead of number. Then no transaction can retire a key that another
 * transaction is using, or store a signature by a retired key. Imported keys belong to other services.
 */
const keys = `
  create table signing_key (
    number smallint generated always as identity primary key,
    kid text not null constraint signing_key_once unique,
    public_key text not null,
    created_at timestamptz(3) not null,
    signs_at timestamptz(3), -- null if the key signs from created_at on
    retired_at timestamptz(3),
    active_number smallint generated always as (case when retired_at is null then number end)
      stored constraint signing_key_active unique,
    is_imported boolean not null default false
  );
  -- The public keys of other systems. These systems sign a company's values before the service receives them.
  create table upstream_signer (
    company_id text collate "C" not null constraint upstream_signer_company references company (id),
    kid text not null,
    jwk jsonb not null
      constraint upstream_signer_is_public check (not jwk ?| array['d', 'k', 'p', 'q']),
    added_at timestamptz(3) not null,
    primary key (company_id, kid)
  );`;

/** A key and its number never change. The trigger stops even the owner of the tables. */
const finality = `
  create function append_only() returns trigger language plpgsql as $$
    begin
      raise insufficient_privilege
        using message = format('rows of %s are only added', tg_table_name);
    end
  $$;
  ${appendOnly('signing_key', 'update of number, kid, public_key, created_at', 'delete', 'truncate')}`;

/**
 * An operator registers signing keys. The service may register only the first key. Otherwise, the service could add any
 * key, and the public would trust it. The first key may already exist as an imported key.
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

/** Private keys are never in the database. */
export const signingKeys = firstRelease('20261125-02-signing-keys', keys, finality, registration);
