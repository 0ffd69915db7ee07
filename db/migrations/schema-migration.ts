import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';

/**
 * A migration of the first release. Reverting such a migration would delete all data, so the reversal is refused.
 *
 * @param name stored in databases: never rename or change a released migration
 */
export const firstRelease = (name: string, ...parts: readonly string[]): MigrationObject => ({
  name,
  class: class extends Migration {
    override up(): void {
      for (const part of [fixedSearchPath, ...parts]) this.addSql(part);
    }

    override down(): void {
      this.addSql(`do $$ begin
        raise exception 'the schema of the first release cannot be reverted; drop the database instead';
      end $$`);
    }
  },
});

/**
 * Fixes the search path of functions, so that a caller's temporary table can't replace one of our tables. The functions
 * then also find the tables during a restore or replication, where no search path is set.
 */
const fixedSearchPath = `
  select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)`;

export const oneOf = (values: readonly string[]) =>
  `(${values.map((value) => `'${value}'`).join(', ')})`;

/** The IDs in a setting of row-level security. Null if the setting is unset. */
export const idsIn = (setting: string) => `nullif(current_setting('${setting}', true), '')::text[]`;

/**
 * Makes a table refuse the given statements, even in a session that restores or replicates data. A statement directly
 * on a partition isn't refused, because it doesn't fire the trigger of the partitioned table.
 *
 * @param events for example `update of id` and `delete`
 */
export const appendOnly = (table: string, ...events: readonly string[]) => `
  create trigger append_only before ${events.join(' or ')} on ${table}
    for each statement execute function append_only();
  alter table ${table} enable always trigger append_only;`;

export const rowOf = (name: 'old' | 'new', columns: string) =>
  `(${columns.replaceAll(/\w+/g, `${name}.$&`)})`;

/** Allows five minutes of difference between the clocks of the service and the database. */
export const isNotPast = (instant: string) =>
  `(${instant} >= clock_timestamp() - interval '5 minutes')`;
export const isNow = (instant: string) => `(${instant} between
  clock_timestamp() - interval '5 minutes' and clock_timestamp() + interval '5 minutes')`;
