import { Migration } from '@mikro-orm/migrations';

/** What the migrations of the first release have in common. */
export abstract class SchemaMigration extends Migration {
  /**
   * For the functions after it that say `set search_path from current`: no temporary table of a caller stands in for one
   * of ours, and restoring and replication, which have no search path, find what the functions name.
   */
  protected fixSearchPath(): void {
    this.addSql(`
      select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)`);
  }

  /** Also in a session that restores or replays, which fires no other triggers. */
  protected fireAlways(table: string, ...triggers: readonly string[]): void {
    for (const trigger of triggers) {
      this.addSql(`alter table ${table} enable always trigger ${trigger}`);
    }
  }

  /** A function for triggers that let nothing pass. */
  protected refusal(name: string, message: string, error = 'insufficient_privilege'): void {
    this.addSql(`
      create function ${name}() returns trigger language plpgsql as $$
        begin
          raise ${error} using message = '${message}';
        end
      $$`);
  }

  /** There is nothing before it to go back to, and everything would be lost. */
  override down(): void {
    this.addSql(`
      do $$ begin
        raise exception 'the schema of the first release is not taken back; drop the database instead';
      end $$`);
  }
}
