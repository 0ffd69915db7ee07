import { appendOnly, firstRelease } from './schema-migration.ts';

/** `signed_at` is set only if a receipt was signed later than its event. */
const table = `
  create table consent_receipt (
    id text collate "C" primary key,
    previous_id text collate "C" constraint consent_receipt_has_one_successor unique,
    event_id text collate "C" not null
      constraint consent_receipt_of_event unique
      constraint consent_receipt_event references access_event (id),
    access_request_id text collate "C" not null,
    company_id text collate "C" not null,
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
      check (signed_at is null or signature is not null),
    constraint consent_receipt_follows_another check (previous_id <> id),
    constraint consent_receipt_of_request unique (access_request_id, id),
    constraint consent_receipt_previous foreign key (access_request_id, previous_id)
      references consent_receipt (access_request_id, id)
  );
  create unique index consent_receipt_one_first on consent_receipt (access_request_id)
    where previous_id is null;
  create index consent_receipt_unsigned on consent_receipt (issued_at, id)
    where signature is null;`;

/** A receipt can get a late signature, and an event can get its position. All other columns never change. */
const finality = [
  appendOnly(
    'consent_receipt',
    `update of id, previous_id, event_id, access_request_id, company_id, environment, company_name,
      investor_name, issued_at`,
    'delete',
    'truncate',
  ),
  // Old data events may be deleted. The foreign keys of receipts prevent the deletion of all other events.
  appendOnly(
    'access_event',
    `update of number, id, type, created_at, investor_id, company_id, access_request_id,
      access_request, actor_type, actor_id, actor_signed_in_by, reason, data, scopes`,
    'truncate',
  ),
];

/**
 * Each event of an access request has a receipt, and an access request's receipts form a chain. The constraints allow
 * one first receipt per access request and one successor per receipt. A successor must belong to the same access
 * request.
 */
export const receipts = firstRelease('20261125-07-receipts', table, ...finality);
