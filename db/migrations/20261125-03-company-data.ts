import { appendOnly, firstRelease, rowOf } from './schema-migration.ts';

/** The columns signed_at, signature and signing_key are set together. A signature can't refer to a retired key. */
const metrics = `
  create table metric_series (
    id bigint generated always as identity primary key,
    company_id text collate "C" not null constraint metric_series_company references company (id),
    key text not null,
    label text not null,
    category text not null,
    constraint metric_series_company_id_key unique (company_id, key)
  );
  create table metric_point (
    series_id bigint not null constraint metric_point_series references metric_series (id),
    period date not null,
    currency text constraint metric_point_currency_form check (currency ~ '^[A-Z]{3}$'),
    raw_value numeric,
    value text,
    as_of timestamptz(3) not null,
    confidence text not null,
    source_system text not null,
    source_method text not null,
    last_synced timestamptz(3) not null,
    verified boolean not null,
    revision integer not null default 1
      constraint metric_point_revision_is_counted check (revision > 0),
    source_signature text,
    signed_at timestamptz(3),
    signature bytea
      constraint metric_point_signature_is_ed25519 check (octet_length(signature) = 64),
    signing_key smallint
      constraint metric_point_signing_key references signing_key (active_number),
    void_reason text,
    -- The settings log entry that names the person who entered the value. Null if an API key pushed the value.
    settings_change_id text collate "C",
    primary key (series_id, period),
    -- Both columns are null if the value of the period was voided.
    constraint metric_point_is_voided_as_a_whole check (num_nulls(raw_value, value) in (0, 2)),
    constraint metric_point_reason_is_of_a_void check (
      void_reason is null or (raw_value is null and char_length(void_reason) <= 1000)),
    constraint metric_point_is_signed_as_a_whole check (
      num_nulls(signed_at, signature, signing_key) in (0, 3))
  );
  create table metric_revision (
    like metric_point including constraints,
    primary key (series_id, period, revision),
    constraint metric_revision_series foreign key (series_id) references metric_series (id),
    constraint metric_revision_signing_key
      foreign key (signing_key) references signing_key (active_number)
  );`;

const differs = (columns: string) =>
  `${rowOf('new', columns)} is distinct from ${rowOf('old', columns)}`;

const isChanged =
  differs(`currency, raw_value, value, as_of, confidence, source_system, source_method,
  last_synced, verified, source_signature, void_reason`);

const hasOtherSignature = differs('signed_at, signature, signing_key');

const isOfOtherEntry = differs('settings_change_id');

/**
 * A value starts with revision 1. Each change creates the next revision, and the old revision moves to metric_revision.
 * The database enforces this for every role. The database also accepts a signature only once.
 */
const revisions = `
  -- Runs with the rights of the owner, because no role may insert into metric_revision.
  create function keep_revision() returns trigger
    language plpgsql security definer set search_path from current as $$
    declare
      is_changed boolean := ${isChanged};
    begin
      if tg_op = 'INSERT'
        or (new.series_id, new.period) is distinct from (old.series_id, old.period)
        or new.revision <> old.revision + is_changed::integer
        or (is_changed and new.signature = old.signature)
        or (not is_changed and ${isOfOtherEntry})
        or (not is_changed and old.signature is not null and ${hasOtherSignature})
      then
        raise insufficient_privilege using message =
          'a metric value starts with revision 1 and changes only by its next revision';
      end if;
      if is_changed then
        insert into metric_revision select old.*;
      end if;
      return null;
    end
  $$;
  -- Runs after the insert. A BEFORE INSERT trigger would also fire for a row that ON CONFLICT turns into an update.
  create trigger metric_point_begins_with_first_revision after insert on metric_point
    for each row when (new.revision <> 1) execute function keep_revision();
  create trigger metric_point_keeps_revisions after update on metric_point
    for each row execute function keep_revision();`;

/**
 * A signature covers a metric's company and key, so both never change. A stored revision never changes either, but an
 * unsigned revision can still get a signature.
 */
const finality = [
  appendOnly('metric_series', 'update of id, company_id, key', 'delete', 'truncate'),
  appendOnly('metric_point', 'delete', 'truncate'),
  appendOnly(
    'metric_revision',
    `update of series_id, period, currency, raw_value, value, as_of, confidence, source_system,
      source_method, last_synced, verified, revision, source_signature, void_reason,
      settings_change_id`,
    'delete',
    'truncate',
  ),
];

const sourcesAndAccounts = `
  create table source (
    company_id text collate "C" not null constraint source_company references company (id),
    provider text not null,
    account_name text not null,
    status text not null,
    last_synced_at timestamptz(3) not null,
    expected_every text,
    stale_at timestamptz(3),
    -- True if an event has reported that the source is stale, and the source has not recovered since.
    is_stale_reported boolean not null default false,
    constraint source_is_stale_after_it_was_expected check (
      num_nulls(expected_every, stale_at) in (0, 2)
      and coalesce(stale_at > last_synced_at, true)),
    primary key (company_id, provider, account_name)
  );
  -- For counting stale sources.
  create index source_by_staleness on source (stale_at, company_id) where status <> 'failed';
  -- For finding stale sources that no event has reported yet.
  create index source_by_unreported_staleness on source (stale_at, company_id)
    where status <> 'failed' and not is_stale_reported;
  create index source_failed on source (company_id) where status = 'failed';
  create table account (
    company_id text collate "C" not null constraint account_company references company (id),
    id text collate "C" not null,
    provider text not null,
    name text not null,
    type text not null
      constraint account_type_known check (type in ('bank', 'credit', 'ledger')),
    currency text not null constraint account_currency_form check (currency ~ '^[A-Z]{3}$'),
    balance text not null,
    raw_balance numeric not null,
    last_four text,
    last_synced_at timestamptz(3) not null,
    primary key (company_id, id)
  );`;

/** `changeData` raises the version with every change. So if two versions are equal, the data is equal. */
const versions = `
  create table company_data_version (
    company_id text collate "C" primary key
      constraint company_data_version_company references company (id),
    version bigint not null
  );`;

/** Amounts are stored as numeric without a scale, so that every digit is kept. */
export const companyData = firstRelease(
  '20261125-03-company-data',
  metrics,
  revisions,
  ...finality,
  sourcesAndAccounts,
  versions,
);
