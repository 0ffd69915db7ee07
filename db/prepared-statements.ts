import { createHash } from 'node:crypto';
import type { QueryExecutorProvider } from 'kysely';
import { translated } from './outages.ts';
import type { Statement, StatementRunner } from './store.ts';

/** The part of the driver's pool that is used here. */
export interface Pool {
  query(statement: {
    name?: string;
    text: string;
    values: unknown[];
  }): Promise<{ rows: unknown[] }>;
}

/**
 * Settings of the server's planner for all statements. To compile one takes longer than to run any of ours, and a table
 * without statistics is enough to make the server compile.
 */
export const quickPlans: Readonly<Record<string, string>> = { jit: 'off' };

/** The same for prepared statements. */
export const genericPlans: Readonly<Record<string, string>> = {
  ...quickPlans,
  plan_cache_mode: 'force_generic_plan',
  // All of them take steps into indexes only. Without this, a plan made while a table is small would read all of it.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/**
 * Runs statements that PostgreSQL plans once a connection: planning one takes longer than answering some questions does.
 * The text of a statement must not depend on what is asked, because the server keeps every text that it gets.
 */
export function preparedStatements(
  pool: Pool,
  provider: QueryExecutorProvider,
  onUnprepared: () => void = () => undefined,
): StatementRunner {
  const names = new Map<string, string>();
  let isPrepared = true;
  return {
    run: <Result>(statement: Statement<Result>) =>
      translated(async () => {
        const { sql: text, parameters } = statement.compile(provider);
        const values = [...parameters];
        if (!isPrepared) return (await pool.query({ text, values })).rows as Result[];
        const name = names.getOrInsertComputed(text, nameOf);
        const { rows } = await pool.query({ name, text, values }).catch((error: unknown) => {
          if (isOfAnotherSession(error)) {
            if (isPrepared) onUnprepared();
            isPrepared = false;
          } else if (!isOutdated(error)) throw error;
          return pool.query({ text, values });
        });
        return rows as Result[];
      }),
  };
}

/**
 * A migration has changed the type of a column since the statement was planned. Nothing was executed then, and the pool
 * drops the connection, so that it does not happen there again.
 */
function isOutdated(error: unknown): boolean {
  return (error as { code?: unknown }).code === '0A000';
}

/**
 * A pooler has given the statement to a session that does not know it, or to one that learned it from somebody else.
 * Nothing was executed; it would happen again and again.
 */
function isOfAnotherSession(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '26000' || code === '42P05';
}

/** The same text has the same name everywhere, so a connection that others use too never mixes two statements up. */
function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
