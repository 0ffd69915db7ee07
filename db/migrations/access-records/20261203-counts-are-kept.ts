import { Migration } from '@mikro-orm/migrations';

/** The condition under which a row of each table was lowered. */
const lowered: Readonly<Record<string, string>> = {
  access_record_day: 'new.allowed < old.allowed or new.refused < old.refused',
  access_record_day_sum: 'new.allowed < old.allowed or new.refused < old.refused',
  access_record_grant: 'new.reads < old.reads or new.last_read_at < old.last_read_at',
  access_record_counted: `new.counted_until < old.counted_until
    or new.counted_until > greatest(old.counted_until, old.next_until)
    or new.next_until > clock_timestamp()`,
};

/** The role that counts adds. Only the owner, who drops records, lowers what they came to. */
export class CountsAreKept extends Migration {
  override up(): void {
    this.addSql(`
      do $do$ begin
        execute format('
          create function refuse_lower_count() returns trigger language plpgsql
          set search_path = %I, pg_temp as $$
            begin
              if may_write_history(tg_relid) then
                return new;
              end if;
              raise insufficient_privilege
                using message = ''what was counted of access records is not lowered'';
            end
          $$', current_schema());
      end $do$`);
    for (const [table, condition] of Object.entries(lowered)) {
      this.addSql(`
        create trigger ${table}_only_grows before update on ${table}
          for each row when (${condition}) execute function refuse_lower_count()`);
    }
  }

  override down(): void {
    for (const table of Object.keys(lowered)) {
      this.addSql(`drop trigger ${table}_only_grows on ${table}`);
    }
    this.addSql(`drop function refuse_lower_count()`);
  }
}
