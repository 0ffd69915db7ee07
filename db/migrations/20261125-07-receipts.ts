import { fireAlways, firstRelease, refusal, rowOf } from './schema-migration.ts';

/** What was not signed in the transaction of its event says when it was, in signed_at. */
const table = `
  create table consent_receipt (
    id text primary key,
    previous_id text
      constraint consent_receipt_has_one_successor unique
      constraint consent_receipt_previous references consent_receipt (id),
    event_id text not null
      constraint consent_receipt_of_event unique
      constraint consent_receipt_event references access_event (id),
    access_request_id text not null,
    company_id text not null,
    environment text not null
      constraint consent_receipt_environment_known check (environment in ('live', 'test')),
    company_name text not null,
    investor_name text not null,
    issued_at timestamptz(3) not null,
    signing_key smallint
      constraint consent_receipt_signing_key references signing_key (active_number),
    signature bytea
      constraint consent_receipt_signature_length check (octet_length(signature) = 64),
    signed_at timestamptz(3),
    constraint consent_receipt_signature_is_whole
      check ((signing_key is null) = (signature is null)),
    constraint consent_receipt_late_signature_is_one
      check (signed_at is null or signature is not null)
  );
  create index consent_receipt_unsigned on consent_receipt (issued_at, id)
    where signature is null;`;

const chain = `
  create function append_consent_receipt() returns trigger
    language plpgsql set search_path from current as $$
    begin
      update access_request set last_receipt_id = new.id
        where id = new.access_request_id and company_id = new.company_id
          and last_receipt_id is not distinct from new.previous_id;
      if not found then
        raise integrity_constraint_violation
          using message = 'a receipt follows the last one of its request';
      end if;
      return null;
    end
  $$;
  create trigger consent_receipt_is_appended after insert on consent_receipt
    for each row execute function append_consent_receipt();
  create function check_receipt_of_access_event() returns trigger
    language plpgsql set search_path from current as $$
    begin
      if not exists (select from consent_receipt where event_id = new.id) then
        raise integrity_constraint_violation
          using message = 'an event is written with its receipt';
      end if;
      return null;
    end
  $$;
  create constraint trigger access_event_has_receipt
    after insert on access_event deferrable initially deferred
    for each row when (new.access_request_id is not null)
    execute function check_receipt_of_access_event();`;

const columns = `id, previous_id, event_id, access_request_id, company_id, environment, company_name,
  investor_name, issued_at`;

const finalReceipts = `
  create function refuse_change_of_consent_receipt() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and old.signature is null and new.signature is not null
        and old.signed_at is null and new.signed_at between
          clock_timestamp() - interval '5 minutes' and clock_timestamp() + interval '5 minutes'
        and ${rowOf('old', columns)} is not distinct from ${rowOf('new', columns)}
      then
        return new;
      end if;
      raise insufficient_privilege using message = 'receipts and their events are never changed';
    end
  $$;
  create trigger consent_receipt_is_final before update or delete on consent_receipt
    for each row execute function refuse_change_of_consent_receipt();
  create trigger consent_receipt_is_kept before truncate on consent_receipt
    for each statement execute function refuse_change_of_consent_receipt();
  ${fireAlways('consent_receipt', 'consent_receipt_is_final', 'consent_receipt_is_kept')}
  ${refusal(
    'refuse_late_signature_of_new_receipt',
    'what is signed with its event is not signed late',
    'integrity_constraint_violation',
  )}
  create trigger consent_receipt_begins_in_time before insert on consent_receipt
    for each row when (new.signed_at is not null)
    execute function refuse_late_signature_of_new_receipt();`;

/** Its place in the feed is written later, and told by no receipt. What is told of data goes once no feed goes back to it. */
const finalEvents = `
  create function refuse_change_of_access_event() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and old.data is not null
        and old.created_at < clock_timestamp() - interval '90 days'
      then
        return old;
      end if;
      raise insufficient_privilege using message = 'receipts and their events are never changed';
    end
  $$;
  create trigger access_event_is_final
    before delete or update of number, id, type, created_at, investor_id, company_id,
      access_request_id, access_request, actor_type, actor_id, actor_signed_in_by, reason, data,
      scopes
      on access_event
    for each row execute function refuse_change_of_access_event();
  ${fireAlways('access_event', 'access_event_is_final')}`;

/**
 * A receipt for each event: those of a request form a chain. The database itself keeps the rules, whoever writes: no
 * event without its receipt, each receipt follows the last one of its request, and nothing is changed but that a
 * receipt is signed. What a receipt says is put together from it and its event, so an event is final too.
 */
export const receipts = firstRelease(
  '20261125-07-receipts',
  table,
  chain,
  finalReceipts,
  finalEvents,
);
