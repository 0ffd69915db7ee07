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

/** A list of literals, for a CHECK that knows the values of a union of the core. */
export const oneOf = (values: readonly string[]) =>
  `(${values.map((value) => `'${value}'`).join(', ')})`;

/** The ids that a setting of row-level security names; null where it isn't set. */
export const idsIn = (setting: string) => `nullif(current_setting('${setting}', true), '')::text[]`;

/** Also in a session that restores or replays, which fires no other triggers. */
const fireAlways = (table: string, ...triggers: readonly string[]) =>
  triggers.map((trigger) => `alter table ${table} enable always trigger ${trigger};`).join('\n');

/**
 * Refuses such statements, also in a session that restores or replays. A statement on a partition fires no trigger of its
 * table.
 *
 * @param events for example `update of id` and `delete`
 */
export const appendOnly = (table: string, ...events: readonly string[]) => `
  create trigger append_only before ${events.join(' or ')} on ${table}
    for each statement execute function append_only();
  ${fireAlways(table, 'append_only')}`;

/** The columns, separated by commas, of a row before or after its change. */
export const rowOf = (name: 'old' | 'new', columns: string) =>
  `(${columns.replaceAll(/\w+/g, `${name}.$&`)})`;

/** Tolerates five minutes between the clocks of the service and of the database. */
export const isNotPast = (instant: string) =>
  `(${instant} >= clock_timestamp() - interval '5 minutes')`;
export const isNow = (instant: string) => `(${instant} between
  clock_timestamp() - interval '5 minutes' and clock_timestamp() + interval '5 minutes')`;
