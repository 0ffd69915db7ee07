import { Migration } from '@mikro-orm/migrations';

const columns = `id, previous_id, event_id, access_request_id, environment, company_name, investor_name, issued_at`;

/**
 * A receipt for each event: those of a request form a chain. The database itself keeps the rules, whoever writes: no
 * event without its receipt, each receipt follows the last one of its request, and nothing is changed but that a
 * receipt is signed. What a receipt says is put together from it and its event, so an event is final too.
 */
export class ConsentReceipts extends Migration {
  override up(): void {
    this.addSql(`alter table access_request add last_receipt_id text`);
    this.addSql(`
      create table consent_receipt (
        id text primary key,
        previous_id text
          constraint consent_receipt_has_one_successor unique
          constraint consent_receipt_previous references consent_receipt (id),
        event_id text not null
          constraint consent_receipt_of_event unique
          constraint consent_receipt_event references access_event (id),
        access_request_id text not null,
        environment text not null
          constraint consent_receipt_environment_known check (environment in ('live', 'test')),
        company_name text not null,
        investor_name text not null,
        issued_at timestamptz(3) not null,
        signing_key smallint
          constraint consent_receipt_signing_key references signing_key (active_number),
        signature bytea
          constraint consent_receipt_signature_length check (octet_length(signature) = 64),
        constraint consent_receipt_signature_is_whole
          check ((signing_key is null) = (signature is null))
      )`);
    // From here on no event is written by another transaction, until this one ends.
    this.addSql(`lock table access_event in share row exclusive mode`);
    this.addSql(`
      insert into consent_receipt (${columns})
        select 'rcpt_' || substr(event.id, 5),
          'rcpt_' || substr(lag(event.id) over of_request, 5),
          event.id, event.access_request_id, company.environment, company.name, investor.name,
          event.created_at
        from access_event as event
          join company on company.id = event.company_id
          join investor on investor.id = event.investor_id
        window of_request as (partition by event.access_request_id order by event.number)
        order by event.number`);
    this.addSql(`
      update access_request set last_receipt_id = 'rcpt_' || substr(last.id, 5) from (
        select distinct on (access_request_id) access_request_id, id
        from access_event order by access_request_id, number desc
      ) as last where last.access_request_id = access_request.id`);
    this.addSql(`
      create index consent_receipt_unsigned on consent_receipt (issued_at, id)
        where signature is null`);
    this.#chain();
    this.#noEventWithoutReceipt();
    this.#finality();
  }

  #chain(): void {
    this.addSql(`
      create function append_consent_receipt() returns trigger language plpgsql as $$
        begin
          update access_request set last_receipt_id = new.id
            where id = new.access_request_id and last_receipt_id is not distinct from new.previous_id;
          if not found then
            raise integrity_constraint_violation
              using message = 'a receipt follows the last one of its request';
          end if;
          return null;
        end
      $$`);
    this.addSql(`
      create trigger consent_receipt_is_appended after insert on consent_receipt
        for each row execute function append_consent_receipt()`);
  }

  /**
   * A release that knows no receipts may serve while this schema is there already, as a role that has no right to the new
   * table: hence with the rights of the owner. Such a receipt is signed later.
   */
  #noEventWithoutReceipt(): void {
    this.addSql(`
      do $do$ begin
        execute format('
          create function add_missing_consent_receipt() returns trigger language plpgsql
          security definer set search_path = %I, pg_temp as $$
            begin
              if exists (select from consent_receipt where event_id = new.id) then
                return null;
              end if;
              perform from access_request where id = new.access_request_id for update;
              insert into consent_receipt (${columns})
                select ''rcpt_'' || substr(new.id, 5), access_request.last_receipt_id, new.id,
                  new.access_request_id, company.environment, company.name, investor.name,
                  new.created_at
                from access_request
                  join company on company.id = new.company_id
                  join investor on investor.id = new.investor_id
                where access_request.id = new.access_request_id;
              return null;
            end
          $$', current_schema());
      end $do$`);
    this.addSql(`
      create trigger access_event_has_receipt after insert on access_event
        for each row execute function add_missing_consent_receipt()`);
  }

  #finality(): void {
    this.addSql(`
      create function refuse_change_of_consent_receipt() returns trigger language plpgsql as $$
        begin
          if tg_op = 'UPDATE' and old.signature is null and new.signature is not null
            and (old.id, old.previous_id, old.event_id, old.access_request_id, old.environment,
                old.company_name, old.investor_name, old.issued_at)
              is not distinct from (new.id, new.previous_id, new.event_id, new.access_request_id,
                new.environment, new.company_name, new.investor_name, new.issued_at)
          then
            return new;
          end if;
          raise insufficient_privilege using message = 'receipts and their events are never changed';
        end
      $$`);
    this.addSql(`
      create trigger consent_receipt_is_final before update or delete on consent_receipt
        for each row execute function refuse_change_of_consent_receipt()`);
    this.addSql(`
      create trigger consent_receipt_is_kept before truncate on consent_receipt
        for each statement execute function refuse_change_of_consent_receipt()`);
    this.addSql(`
      create function refuse_change_of_access_event() returns trigger language plpgsql as $$
        begin
          raise insufficient_privilege using message = 'receipts and their events are never changed';
        end
      $$`);
    // Its place in the feed is written later, and told by no receipt.
    this.addSql(`
      create trigger access_event_is_final
        before delete or update of number, id, type, created_at, investor_id, company_id,
          access_request_id, access_request, actor_type, actor_id, reason on access_event
        for each row execute function refuse_change_of_access_event()`);
    // A session that restores or replays fires no other triggers.
    for (const trigger of ['consent_receipt_is_final', 'consent_receipt_is_kept']) {
      this.addSql(`alter table consent_receipt enable always trigger ${trigger}`);
    }
    this.addSql(`alter table access_event enable always trigger access_event_is_final`);
  }

  override down(): void {
    this.addSql(`
      do $$ begin
        if exists (select from consent_receipt where signature is not null) then
          raise exception 'there are signed receipts, which the version before does not know';
        end if;
      end $$`);
    this.addSql(`drop trigger access_event_is_final on access_event`);
    this.addSql(`drop trigger access_event_has_receipt on access_event`);
    this.addSql(`drop table consent_receipt`);
    this.addSql(`
      drop function append_consent_receipt(), add_missing_consent_receipt(),
        refuse_change_of_consent_receipt(), refuse_change_of_access_event()`);
    this.addSql(`alter table access_request drop last_receipt_id`);
  }
}
