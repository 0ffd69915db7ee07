import { Migration } from '@mikro-orm/migrations';

const columns = [
  'id',
  'previous_id',
  'event_id',
  'access_request_id',
  'environment',
  'company_name',
  'investor_name',
  'issued_at',
  'company_id',
];

const all = (row: string) => columns.map((column) => `${row}.${column}`).join(', ');

/** A receipt that was not signed in the transaction of its event says when it was. Those that were before say nothing. */
export class LateSignatures extends Migration {
  override up(): void {
    this.addSql(`
      alter table consent_receipt
        add signed_at timestamptz(3),
        add constraint consent_receipt_late_signature_is_one
          check (signed_at is null or signature is not null)`);
    this.#define(`and old.signed_at is null and new.signed_at is not null
      and new.signed_at between clock_timestamp() - interval '5 minutes'
        and clock_timestamp() + interval '5 minutes'`);
    this.addSql(`
      create function refuse_late_signature_of_new_receipt() returns trigger language plpgsql as $$
        begin
          raise integrity_constraint_violation
            using message = 'what is signed with its event is not signed late';
        end
      $$`);
    this.addSql(`
      create trigger consent_receipt_begins_in_time before insert on consent_receipt
        for each row when (new.signed_at is not null)
        execute function refuse_late_signature_of_new_receipt()`);
  }

  #define(more: string): void {
    this.addSql(`
      create or replace function refuse_change_of_consent_receipt() returns trigger
        language plpgsql as $$
        begin
          if tg_op = 'UPDATE' and old.signature is null and new.signature is not null ${more}
            and (${all('old')}) is not distinct from (${all('new')})
          then
            return new;
          end if;
          raise insufficient_privilege using message = 'receipts and their events are never changed';
        end
      $$`);
  }

  override down(): void {
    this.addSql(`
      do $$ begin
        if exists (select from consent_receipt where signed_at is not null) then
          raise exception 'there are receipts that were signed late, which the version before does not know';
        end if;
      end $$`);
    this.addSql(`drop trigger consent_receipt_begins_in_time on consent_receipt`);
    this.addSql(`drop function refuse_late_signature_of_new_receipt()`);
    this.#define('');
    this.addSql(`alter table consent_receipt drop signed_at`);
  }
}
