import { Migration } from '@mikro-orm/migrations';

/**
 * What shows whether the database can be written: counting more than fits into the memory of a statement takes a file
 * of a few hundred kilobytes beside the tables, which a full disk fails and which is gone at once; setting a sequence
 * writes and commits in the place that it has. So nothing grows, and nobody waits for a lock: not a dump, here or on a
 * standby, nor another process that does the same. With the rights of the owner, so that it works under every role that
 * serves; the name of the schema stands first, so that nobody's temporary sequence takes the place of this one.
 */
export class WriteCheck extends Migration {
  override up(): void {
    this.addSql(`create sequence write_check`);
    this.addSql(`
      do $do$ begin
        execute format('
          create function check_write() returns void language plpgsql security definer
          set search_path = %I, pg_temp set work_mem = ''64kB'' set temp_tablespaces = ''''
          as $$
            begin
              begin
                perform count(*) from generate_series(1, 20000);
              exception when configuration_limit_exceeded then
                null; -- A server that allows no such files says nothing about its disk.
              end;
              perform setval(''write_check'', 1);
            end
          $$', current_schema());
      end $do$`);
  }

  override down(): void {
    this.addSql(`drop function check_write()`);
    this.addSql(`drop sequence write_check`);
  }
}
