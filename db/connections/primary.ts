import { sql } from 'kysely';
import type { ServerClock } from './server-clock.ts';
import type { Statement, StatementRunner } from './store.ts';

/**
 * A column that lets a statement end only on a server that is still the primary, and returns the time there:
 * - A standby refuses it with 25006, as it refuses every write.
 * - Where a standby has to confirm commits, the statement leaves an empty message in the log, and so waits for that
 *   standby. A frozen primary that was replaced can still answer, but no standby confirms its message.
 *
 * It is evaluated once for a statement, so all who share the statement share its commit. Without a synchronous standby it
 * writes nothing.
 */
const confirmed = sql`(
    select case
      when pg_is_in_recovery() then pg_current_xact_id()::text
      else round(extract(epoch from clock_timestamp()) * 1000)::text || case
        when current_setting('synchronous_standby_names') = '' then ''
        else left(pg_logical_emit_message(true, 'portfolio_access', '')::text, 0)
      end
    end
  )`;

/** The same for a statement with many rows: only the first row has the column. */
export const confirmsPrimary = sql`
  case when question.position = 1 then ${confirmed} end as "confirmedAt"`;

/** The column's value in a row. */
export interface Confirmed {
  /** Milliseconds since 1970, as text. Null in all rows except the first. */
  readonly confirmedAt: string | null;
}

/** Runs a statement with that column, and updates the clock. */
export async function runConfirmed<Result extends Confirmed>(
  { batches, clock }: { readonly batches: StatementRunner; readonly clock: ServerClock },
  statement: Statement<Result>,
): Promise<Result[]> {
  const sentAt = performance.now();
  const rows = await batches.run(statement);
  const [first] = rows;
  if (first?.confirmedAt != null) {
    clock.observe(Number(first.confirmedAt), sentAt, performance.now());
  }
  return rows;
}

/** Only checks whether the server can be written to. */
export const confirmation = sql<Confirmed & { isReadOnly: boolean }>`
  select ${confirmed} as "confirmedAt", current_setting('transaction_read_only') = 'on' as "isReadOnly"`;
