import { Migration } from '@mikro-orm/migrations';

/** Together they are the signature of a value; a retired key cannot be referred to (see signing_key). */
const signatureColumns = (table: string) => `
  add signed_at timestamptz(3),
  add signature bytea
    constraint ${table}_signature_is_ed25519 check (octet_length(signature) = 64),
  add signing_key smallint
    constraint ${table}_signing_key references signing_key (active_number),
  add constraint ${table}_is_signed_as_a_whole check (
    num_nulls(signed_at, signature, signing_key) in (0, 3))`;

const signatureValues = (row: string) => `(${row}.signed_at, ${row}.signature, ${row}.signing_key)`;

/** What is a new revision when it changes. */
const valueColumns = (row: string) => `
  (${[
    'currency',
    'raw_value',
    'value',
    'as_of',
    'confidence',
    'source_system',
    'source_method',
    'last_synced',
    'verified',
    'source_signature',
  ]
    .map((column) => `${row}.${column}`)
    .join(', ')})`;

/**
 * A changed value of a metric is its next revision, and the one before stays in metric_revision; both may be signed. The
 * database itself keeps this rule, whoever writes: nothing is deleted, nothing is changed without a trace, and a
 * signature comes once.
 */
export class MetricRevisions extends Migration {
  override up(): void {
    this.addSql(`
      alter table metric_point
        add revision integer not null default 1
          constraint metric_point_revision_is_counted check (revision > 0),
        add source_signature text,
        ${signatureColumns('metric_point')}`);
    this.addSql(`create table metric_revision (like metric_point including constraints)`);
    this.addSql(`
      alter table metric_revision
        add primary key (series_id, period, revision),
        add constraint metric_revision_series foreign key (series_id) references metric_series (id),
        add constraint metric_revision_signing_key
          foreign key (signing_key) references signing_key (active_number)`);
    this.addSql(`alter table import_metric add source_signature text`);
    // The fill factor leaves room for the signature, which comes after the line.
    this.addSql(`
      create unlogged table import_signature (
        import_id text not null,
        line bigint not null,
        environment text not null,
        revision integer not null,
        signed_at timestamptz(3),
        signature bytea,
        signing_key smallint,
        primary key (import_id, line)
      ) with (fillfactor = 50)`);
    this.#keepRevisions();
    this.#refuseDeletion();
    this.#renewVersions();
  }

  #keepRevisions(): void {
    this.addSql(`
      create function refuse_change_of_metric() returns trigger language plpgsql as $$
        begin
          raise insufficient_privilege using
            message = 'a value of a metric is never deleted, and changed by its next revision only';
        end
      $$`);
    this.addSql(`
      create function keep_metric_revision() returns trigger language plpgsql as $$
        begin
          insert into metric_revision select old.*;
          return new;
        end
      $$`);
    const isChanged = `${valueColumns('new')} is distinct from ${valueColumns('old')}`;
    const hasOtherSignature = `${signatureValues('new')} is distinct from ${signatureValues('old')}`;
    this.addSql(`
      create trigger metric_point_changes_by_revision before update on metric_point
        for each row when (
          (new.series_id, new.period) is distinct from (old.series_id, old.period)
          or new.revision <> old.revision + case when ${isChanged} then 1 else 0 end
          or (${isChanged} and new.signature = old.signature)
          or (not ${isChanged} and old.signature is not null and ${hasOtherSignature})
        ) execute function refuse_change_of_metric()`);
    // After the refusal, by its name: triggers of a kind are fired in the order of their names.
    this.addSql(`
      create trigger metric_point_keeps_revision before update on metric_point
        for each row when (new.revision <> old.revision)
        execute function keep_metric_revision()`);
    this.addSql(`
      create trigger metric_revision_is_final before update on metric_revision
        for each row when (
          (new.series_id, new.period, new.revision)
            is distinct from (old.series_id, old.period, old.revision)
          or ${isChanged}
          or (old.signature is not null and ${hasOtherSignature})
        ) execute function refuse_change_of_metric()`);
  }

  #refuseDeletion(): void {
    for (const table of ['metric_point', 'metric_revision']) {
      this.addSql(`
        create trigger ${table}_is_not_deleted before delete on ${table}
          for each row execute function refuse_change_of_metric()`);
      this.addSql(`
        create trigger ${table}_is_not_truncated before truncate on ${table}
          for each statement execute function refuse_change_of_metric()`);
      // A session that restores or replays fires no other triggers; it may write what is there, but not lose it.
      for (const event of ['deleted', 'truncated']) {
        this.addSql(`alter table ${table} enable always trigger ${table}_is_not_${event}`);
      }
    }
  }

  /** What a company is told of earlier revisions changes by itself only when one of them is signed. */
  #renewVersions(): void {
    this.addSql(`
      create trigger metric_revision_update_is_noted after update on metric_revision
        referencing old table as former new table as latter
        for each statement execute function metric_point_update_is_noted()`);
    this.addSql(`
      alter table metric_revision enable always trigger metric_revision_update_is_noted`);
  }

  override down(): void {
    this.addSql(`
      do $$ begin
        if exists (select from metric_revision) then
          raise exception 'there are values with earlier revisions, which the version before does not know';
        end if;
      end $$`);
    this.addSql(`drop table metric_revision, import_signature`);
    for (const trigger of [
      'changes_by_revision',
      'keeps_revision',
      'is_not_deleted',
      'is_not_truncated',
    ]) {
      this.addSql(`drop trigger metric_point_${trigger} on metric_point`);
    }
    this.addSql(`drop function keep_metric_revision(), refuse_change_of_metric()`);
    this.addSql(`alter table import_metric drop source_signature`);
    this.addSql(`
      alter table metric_point
        drop revision, drop source_signature, drop signed_at, drop signature, drop signing_key`);
  }
}
