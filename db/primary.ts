import { sql } from 'kysely';

/**
 * A column that lets a statement end only on a server that is still the primary:
 * - A standby refuses it with 25006, as it refuses every write.
 * - Where a standby has to confirm commits, the statement leaves an empty message in the log, and so waits for that
 *   standby. A primary that was frozen while a standby took its place goes on saying what it knew, but it finds nobody
 *   who confirms.
 *
 * It is evaluated once for a statement, so all who share the statement share its commit. Without a synchronous standby it
 * writes nothing.
 */
export const confirmsPrimary = sql`(
    select case
      when pg_is_in_recovery() then pg_current_xact_id()::text
      when current_setting('synchronous_standby_names') <> ''
        then pg_logical_emit_message(true, 'portfolio_access', '')::text
    end
  ) as "confirmsPrimary"`;

/** What that column adds to a row; it tells nothing. */
export interface Confirmed {
  readonly confirmsPrimary: string | null;
}

/** For who asks nothing else but whether it may be written. */
export const confirmation = sql<{ isReadOnly: boolean }>`
  select ${confirmsPrimary}, current_setting('transaction_read_only') = 'on' as "isReadOnly"`;
