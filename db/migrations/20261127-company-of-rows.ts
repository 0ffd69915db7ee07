import { Migration } from '@mikro-orm/migrations';

const tables = ['consent_receipt', 'mail', 'webhook_delivery', 'access_record_grant'];

const columns = (more: string) =>
  `id, previous_id, event_id, access_request_id, environment, company_name, investor_name, issued_at${more}`;

const finalColumns = (row: string, more: string) =>
  `${row}.id, ${row}.previous_id, ${row}.event_id, ${row}.access_request_id, ${row}.environment,
    ${row}.company_name, ${row}.investor_name, ${row}.issued_at${more && `, ${row}.company_id`}`;

/**
 * Rows of a company say so themselves, and not only by what they belong to, so that all of a company can be found, and
 * moved, table by table (docs/scale.md). A receipt is of the company of its request.
 */
export class CompanyOfRows extends Migration {
  override up(): void {
    for (const table of ['consent_receipt', 'mail', 'webhook_delivery']) {
      this.addSql(`alter table ${table} add column company_id text`);
      // A receipt is never changed, but by this.
      if (table === 'consent_receipt') {
        this.addSql(`alter table ${table} disable trigger consent_receipt_is_final`);
      }
      this.addSql(`
        update ${table} set company_id = event.company_id
          from access_event as event where event.id = event_id`);
      if (table === 'consent_receipt') {
        this.addSql(`alter table ${table} enable always trigger consent_receipt_is_final`);
      }
      this.addSql(`alter table ${table} alter column company_id set not null`);
    }
    this.addSql(`alter table access_record_grant add column company_id text`);
    this.addSql(`
      update access_record_grant as known set company_id = day.company_id
        from access_record_day as day where day.grant_id = known.grant_id`);
    this.addSql(`
      update access_record_grant as known set company_id = request.company_id
        from access_request as request
        where request.id = known.grant_id and known.company_id is null`);
    // Of what is left nobody can say whose it was, and nothing is shown.
    this.addSql(`delete from access_record_grant where company_id is null`);
    this.addSql(`alter table access_record_grant alter column company_id set not null`);
    this.#defineFunctions(true);
    this.#fillForEarlierReleases();
  }

  /** A release that knows nothing of the column may serve while this schema is there already. */
  #fillForEarlierReleases(): void {
    this.addSql(`
      do $do$ begin
        execute format('
          create function fill_company_of_row() returns trigger language plpgsql
          set search_path = %I, pg_temp as $$
            begin
              if tg_table_name = ''consent_receipt'' then
                select company_id into new.company_id
                  from access_request where id = new.access_request_id;
              elsif tg_table_name = ''access_record_grant'' then
                select company_id into new.company_id from access_request where id = new.grant_id;
              else
                select company_id into new.company_id from access_event where id = new.event_id;
              end if;
              return new;
            end
          $$', current_schema());
      end $do$`);
    for (const table of tables) {
      this.addSql(`
        create trigger ${table}_fills_company before insert on ${table}
          for each row when (new.company_id is null) execute function fill_company_of_row()`);
    }
  }

  #defineFunctions(hasCompany: boolean): void {
    const more = hasCompany ? ', company_id' : '';
    this.addSql(`
      do $do$ begin
        execute format('
          create or replace function append_consent_receipt() returns trigger language plpgsql
          set search_path = %I, pg_temp as $$
            begin
              update access_request set last_receipt_id = new.id
                where id = new.access_request_id ${hasCompany ? 'and company_id = new.company_id' : ''}
                  and last_receipt_id is not distinct from new.previous_id;
              if not found then
                raise integrity_constraint_violation
                  using message = ''a receipt follows the last one of its request'';
              end if;
              return null;
            end
          $$', current_schema());
        execute format('
          create or replace function add_missing_consent_receipt() returns trigger language plpgsql
          security definer set search_path = %I, pg_temp as $$
            begin
              if exists (select from consent_receipt where event_id = new.id) then
                return null;
              end if;
              perform from access_request where id = new.access_request_id for update;
              insert into consent_receipt (${columns(more)})
                select ''rcpt_'' || substr(new.id, 5), access_request.last_receipt_id, new.id,
                  new.access_request_id, company.environment, company.name, investor.name,
                  new.created_at${more && ', new.company_id'}
                from access_request
                  join company on company.id = new.company_id
                  join investor on investor.id = new.investor_id
                where access_request.id = new.access_request_id;
              return null;
            end
          $$', current_schema());
      end $do$`);
    this.addSql(`
      create or replace function refuse_change_of_consent_receipt() returns trigger
        language plpgsql as $$
        begin
          if tg_op = 'UPDATE' and old.signature is null and new.signature is not null
            and (${finalColumns('old', more)}) is not distinct from (${finalColumns('new', more)})
          then
            return new;
          end if;
          raise insufficient_privilege using message = 'receipts and their events are never changed';
        end
      $$`);
  }

  override down(): void {
    this.#defineFunctions(false);
    for (const table of tables) {
      this.addSql(`drop trigger ${table}_fills_company on ${table}`);
      this.addSql(`alter table ${table} drop column company_id`);
    }
    this.addSql(`drop function fill_company_of_row()`);
  }
}
