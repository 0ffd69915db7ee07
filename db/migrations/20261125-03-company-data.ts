import { fireAlways, firstRelease, refusal, rowOf } from './schema-migration.ts';

/** Signing time, signature and key are the signature of a value together; a retired key cannot be referred to. */
const metrics = `
  create table metric_series (
    id bigint generated always as identity primary key,
    company_id text not null constraint metric_series_company references company (id),
    key text not null,
    label text not null,
    category text not null,
    constraint metric_series_company_id_key unique (company_id, key)
  );
  -- What a signature is verified by.
  create trigger metric_series_keeps_its_name before update on metric_series
    for each row when ((old.id, old.company_id, old.key)
      is distinct from (new.id, new.company_id, new.key))
    execute function refuse_change_of_proof();
  create table metric_point (
    series_id bigint not null constraint metric_point_series references metric_series (id),
    period date not null,
    currency text constraint metric_point_currency_form check (currency ~ '^[A-Z]{3}$'),
    raw_value numeric not null,
    value text not null,
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
    primary key (series_id, period),
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

/** What is a new revision when it changes. */
const isChanged =
  differs(`currency, raw_value, value, as_of, confidence, source_system, source_method,
  last_synced, verified, source_signature`);

const hasOtherSignature = differs('signed_at, signature, signing_key');

const refuseChange = refusal(
  'refuse_change_of_metric',
  'a value of a metric is never deleted, and changed by its next revision only',
);

/**
 * A changed value of a metric is its next revision, and the one before stays in metric_revision. The database itself
 * keeps this rule, whoever writes: nothing is changed without a trace, and a signature comes once.
 */
const revisions = `
  -- Each is looked up by the key, so no plan goes through the table.
  create function keep_metric_revisions() returns trigger
    language plpgsql set search_path from current as $$
    begin
      insert into metric_revision
      select former.* from former cross join lateral (
        select revision from metric_point
        where series_id = former.series_id and period = former.period offset 0
      ) as present
      where present.revision <> former.revision;
      return null;
    end
  $$;
  create trigger metric_point_changes_by_revision before update on metric_point
    for each row when (
      (new.series_id, new.period) is distinct from (old.series_id, old.period)
      or new.revision <> old.revision + case when ${isChanged} then 1 else 0 end
      or (${isChanged} and new.signature = old.signature)
      or (not ${isChanged} and old.signature is not null and ${hasOtherSignature})
    ) execute function refuse_change_of_metric();
  create trigger metric_point_keeps_revisions after update on metric_point
    referencing old table as former
    for each statement execute function keep_metric_revisions();
  create trigger metric_revision_is_final before update on metric_revision
    for each row when (
      (new.series_id, new.period, new.revision)
        is distinct from (old.series_id, old.period, old.revision)
      or ${isChanged}
      or (old.signature is not null and ${hasOtherSignature})
    ) execute function refuse_change_of_metric();`;

/** A session that restores or replays may write what is there, but not lose it. */
const refuseDeletion = (table: string) => `
  create trigger ${table}_is_not_deleted before delete on ${table}
    for each row execute function refuse_change_of_metric();
  create trigger ${table}_is_not_truncated before truncate on ${table}
    for each statement execute function refuse_change_of_metric();
  ${fireAlways(table, `${table}_is_not_deleted`, `${table}_is_not_truncated`)}`;

const sourcesAndAccounts = `
  create table source (
    company_id text not null constraint source_company references company (id),
    provider text not null,
    account_name text not null,
    status text not null,
    last_synced_at timestamptz(3) not null,
    expected_every text,
    stale_at timestamptz(3),
    -- Whether an event has told that it is stale, and nothing has changed that since.
    is_stale_told boolean not null default false,
    constraint source_is_stale_after_it_was_expected check (
      num_nulls(expected_every, stale_at) in (0, 2)
      and coalesce(stale_at > last_synced_at, true)),
    primary key (company_id, provider, account_name)
  );
  -- What the operator is told of: how many sources have stopped.
  create index source_by_staleness on source (stale_at, company_id) where status <> 'failed';
  -- Whom the clock has still to tell of.
  create index source_by_untold_staleness on source (stale_at, company_id)
    where status <> 'failed' and not is_stale_told;
  create index source_failed on source (company_id) where status = 'failed';
  create table account (
    company_id text not null constraint account_company references company (id),
    id text not null,
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

/** Metrics, sources and accounts. Amounts are numeric without a scale: every digit comes back. */
export const companyData = firstRelease(
  '20261125-03-company-data',
  metrics,
  refuseChange,
  revisions,
  refuseDeletion('metric_point'),
  refuseDeletion('metric_revision'),
  sourcesAndAccounts,
);
