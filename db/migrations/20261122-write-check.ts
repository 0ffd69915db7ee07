import { Migration } from '@mikro-orm/migrations';

/**
 * What shows whether the database can be written. Emptying the table takes a new file with a new page, so a full disk
 * fails it, and nothing grows, however often it is done. With the rights of the owner, so that it works under every role
 * that serves; the name of the schema stands first, so that nobody's temporary table takes the table's place.
 */
export class WriteCheck extends Migration {
  override up(): void {
    this.addSql(`create table write_check (checked_at timestamptz(3) not null)`);
    this.addSql(`
      do $do$ begin
        execute format('
          create function check_write() returns void language plpgsql security definer
          set search_path = %I, pg_temp as $$
            begin
              truncate write_check;
              insert into write_check values (now());
            end
          $$', current_schema());
      end $do$`);
  }

  override down(): void {
    this.addSql(`drop function check_write()`);
    this.addSql(`drop table write_check`);
  }
}
