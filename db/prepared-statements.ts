import { createHash } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { read, type Store } from './store.ts';

/**
 * For the few statements that answer many questions at once and run all the time: PostgreSQL plans each of them once a
 * connection, which takes it longer than answering some questions does.
 */
export interface StatementRunner {
  run<Row>(statement: RawBuilder<Row>): Promise<Row[]>;
}

/** The part of the driver's pool that is used here. */
export interface Pool {
  query(statement: {
    name?: string;
    text: string;
    values: unknown[];
  }): Promise<{ rows: unknown[] }>;
}

/** What the server is asked to do with statements of this kind, whatever it believes about the tables. */
export const genericPlans: Readonly<Record<string, string>> = {
  plan_cache_mode: 'force_generic_plan',
  // They only ever take steps into indexes; a plan that was made while a table was small must not be another one.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

/** The text of a statement must not depend on what is asked: the server keeps every text that it gets. */
export function preparedStatements({ kysely }: Store, pool: Pool): StatementRunner {
  const names = new Map<string, string>();
  return {
    async run<Row>(statement: RawBuilder<Row>) {
      const { sql: text, parameters } = statement.compile(kysely);
      const name = names.getOrInsertComputed(text, nameOf);
      const values = [...parameters];
      const { rows } = await pool.query({ name, text, values }).catch((error: unknown) => {
        if (!isOutdated(error)) throw error;
        return pool.query({ text, values });
      });
      return rows as Row[];
    },
  };
}

/** PGlite has one session for all connections, in which a name stands for the statement of whoever came last. */
export const plainStatements = (store: Store): StatementRunner => ({
  run: (statement) => read(store, statement),
});

/**
 * A migration has changed the type of a column since the statement was planned, or a pooler has put another connection
 * in the place of the one that knows it. Nothing was carried out then, and the pool drops the connection, so that it
 * does not happen there again.
 */
function isOutdated(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '0A000' || code === '26000' || code === '42P05';
}

/** By its text: whoever else has named a statement so on the same connection means the same. */
function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
