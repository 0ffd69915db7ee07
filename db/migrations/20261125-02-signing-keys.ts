import { fireAlways, firstRelease } from './schema-migration.ts';

/**
 * Whatever keeps a signature must refer to active_number, not to number: then the database itself refuses to retire a key
 * that something depends on, and to store what was signed with a retired key, without a race between the two. Imported
 * keys are those of other services, which sign nothing here.
 */
const keys = `
  create table signing_key (
    number smallint generated always as identity primary key,
    kid text not null constraint signing_key_once unique,
    public_key text not null,
    created_at timestamptz(3) not null,
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

const finality = `
  create function refuse_change_of_proof() returns trigger language plpgsql as $$
    begin
      raise exception '% keeps what signatures are verified by, and is not changed', tg_table_name
        using errcode = 'insufficient_privilege';
    end
  $$;
  create trigger signing_key_is_final before update on signing_key
    for each row when ((old.number, old.kid, old.public_key, old.created_at)
      is distinct from (new.number, new.kid, new.public_key, new.created_at))
    execute function refuse_change_of_proof();
  create trigger signing_key_stays before delete or truncate on signing_key
    for each statement execute function refuse_change_of_proof();
  ${fireAlways('signing_key', 'signing_key_is_final', 'signing_key_stays')}`;

/**
 * Whoever may retire keys registers them, and the service the very first one: what it adds by itself later would be
 * published, and verify signatures that nobody here has made.
 */
const registration = `
  create function refuse_unregistered_key() returns trigger
    language plpgsql set search_path from current as $$
    begin
      -- Of two processes that begin at once, the second registers what is there by now, which changes nothing.
      if has_column_privilege(tg_relid, 'retired_at', 'update') or (
        tg_op = 'INSERT' and exists (select from signing_key where kid = new.kid)
      ) or (
        not new.is_imported and new.retired_at is null
        and not exists (select from signing_key where not is_imported)
      ) then
        return new;
      end if;
      raise insufficient_privilege
        using message = 'an operator registers keys, the service only the first one';
    end
  $$;
  create trigger signing_key_is_registered before insert on signing_key
    for each row execute function refuse_unregistered_key();
  -- Otherwise a key of others becomes one of ours, or none of ours is left and the next one is the first again.
  create trigger signing_key_stays_whose_it_is before update of is_imported on signing_key
    for each row when (new.is_imported is distinct from old.is_imported)
    execute function refuse_unregistered_key();`;

/** The public halves of the keys that sign values and receipts. A private half is never in the database. */
export const signingKeys = firstRelease('20261125-02-signing-keys', keys, finality, registration);
