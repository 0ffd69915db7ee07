import { createHash } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { read, type Store } from './store.ts';

/**
 * For the few statements that answer many questions at once and run all the time: PostgreSQL plans each of them once a
 * connection, which takes it longer than answering some questions does.
 */
export interface Planned {
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
export const planOnce: Readonly<Record<string, string>> = {
  plan_cache_mode: 'force_generic_plan',
  // They only ever take steps into indexes; a plan that was made while a table was small must not be another one.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

/** The text of a statement must not depend on what is asked: the server keeps every text that it gets. */
export function planned({ kysely }: Store, pool: Pool): Planned {
  const names = new Map<string, string>();
  return {
    async run<Row>(statement: RawBuilder<Row>) {
      const { sql: text, parameters } = statement.compile(kysely);
      const name = names.getOrInsertComputed(text, nameOf);
      const values = [...parameters];
      const { rows } = await pool.query({ name, text, values }).catch((error: unknown) => {
        if (!isOutdated(error) && !isForgotten(error)) throw error;
        // Under the name that it had, each connection would go on failing first.
        if (isOutdated(error)) names.set(text, nameOf(name));
        return pool.query({ text, values });
      });
      return rows as Row[];
    },
  };
}

/** PGlite has one session for all connections, in which a name stands for the statement of whoever came last. */
export const unplanned = (store: Store): Planned => ({
  run: (statement) => read(store, statement),
});

/** A migration has changed the type of a column since the statement was planned. Nothing was carried out. */
const isOutdated = (error: unknown): boolean => codeOf(error) === '0A000';

/** A pooler has put another connection in the place of the one that knows the name. Nothing was carried out. */
const isForgotten = (error: unknown): boolean =>
  codeOf(error) === '26000' || codeOf(error) === '42P05';

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** By its text, or by the name before it: whoever else has named a statement so on a connection means the same. */
function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
