import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';

/**
 * A migration of the first release. There is nothing before it to go back to, and everything would be lost.
 *
 * @param name databases remember it: never rename a released migration, never change what it does
 */
export const firstRelease = (name: string, ...parts: readonly string[]): MigrationObject => ({
  name,
  class: class extends Migration {
    override up(): void {
      for (const part of [fixedSearchPath, ...parts]) this.addSql(part);
    }

    override down(): void {
      this.addSql(`do $$ begin
        raise exception 'the schema of the first release is not taken back; drop the database instead';
      end $$`);
    }
  },
});

/**
 * For the functions that say `set search_path from current`: no temporary table of a caller stands in for one of ours,
 * and restoring and replication, which have no search path, find what the functions name.
 */
const fixedSearchPath = `
  select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)`;

/** Also in a session that restores or replays, which fires no other triggers. */
export const fireAlways = (table: string, ...triggers: readonly string[]) =>
  triggers.map((trigger) => `alter table ${table} enable always trigger ${trigger};`).join('\n');

/** A function for triggers that let nothing pass. */
export const refusal = (name: string, message: string, error = 'insufficient_privilege') => `
  create function ${name}() returns trigger language plpgsql as $$
    begin
      raise ${error} using message = '${message}';
    end
  $$;`;

/** The columns, separated by commas, of a row before or after its change. */
export const rowOf = (name: 'old' | 'new', columns: string) =>
  `(${columns.replaceAll(/\w+/g, `${name}.$&`)})`;
