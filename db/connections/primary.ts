import { sql } from 'kysely';
import type { ServerClock } from './server-clock.ts';
import type { Statement, StatementRunner } from './store.ts';

/**
 * A column that returns the server's time. The column makes its statement fail on a server that isn't the primary:
 * - A standby refuses `pg_current_xact_id()` with the error 25006.
 * - With synchronous standbys, the statement writes an empty message to the write-ahead log, so the commit waits for a
 * standby. If another server has replaced a frozen primary, no standby confirms the message.
 *
 * PostgreSQL evaluates the column once per statement. Without a synchronous standby, the column writes nothing.
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

/** The column `confirmedAt` for a statement that returns many rows. Only the first row has a value. */
export const confirmsPrimary = sql`
  case when question.position = 1 then ${confirmed} end as "confirmedAt"`;

export interface Confirmed {
  /** The server's time in milliseconds since 1970, as text. Null in all rows except the first. */
  readonly confirmedAt: string | null;
}

/** Runs a statement with the column `confirmedAt`, and updates the clock with the server's time. */
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

export const confirmation = sql<Confirmed & { isReadOnly: boolean }>`
  select ${confirmed} as "confirmedAt", current_setting('transaction_read_only') = 'on' as "isReadOnly"`;
