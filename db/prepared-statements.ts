import { createHash } from 'node:crypto';
import type { CompiledQuery, QueryExecutorProvider } from 'kysely';
import { translated } from './outages.ts';
import { applying, settingsOf, type TransactionSettings } from './row-scope.ts';
import type { Scopes, StatementRunner } from './store.ts';

interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

interface QueryResult {
  readonly rows: unknown[];
}

/** The part of the driver's pool that is used here. */
export interface Pool {
  query(query: Query): Promise<QueryResult>;
  connect(): Promise<Client>;
}

interface Client {
  readonly pipeline: boolean;
  query(query: Query): Promise<QueryResult>;
  /** With an error, the connection is closed. */
  release(error?: Error): void;
}

/**
 * Settings of the server's planner for all statements. To compile one takes longer than to run any of ours, and a table
 * without statistics is enough to make the server compile.
 */
export const plannerSettings: Readonly<Record<string, string>> = { jit: 'off' };

/** The same for prepared statements. */
export const genericPlans: Readonly<Record<string, string>> = {
  ...plannerSettings,
  plan_cache_mode: 'force_generic_plan',
  // All of them take steps into indexes only. Without this, a plan made while a table is small would read all of it.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/**
 * Whether the statements of a batch are sent without waiting for the answers to those before them. False makes each wait
 * for the one before it, and changes nothing else.
 */
export const isPipelined = true;

/**
 * Runs statements that PostgreSQL plans once a connection: planning one takes longer than answering some questions does.
 * The text of a statement must not depend on what is asked, because the server keeps every text that it gets.
 */
export function preparedStatements(
  pool: Pool,
  provider: QueryExecutorProvider,
  onUnprepared: () => void = () => undefined,
): StatementRunner & Scopes & { within(settings: TransactionSettings): StatementRunner } {
  const names = new Map<string, string>();
  let isPrepared = true;

  const toQuery = ({ sql: text, parameters }: CompiledQuery): Query => ({
    ...(isPrepared && { name: names.getOrInsertComputed(text, nameOf) }),
    text,
    values: [...parameters],
  });

  /** @param send is called once more, for queries without names, when the server takes none of these */
  async function answered<Result>(
    compiled: readonly CompiledQuery[],
    send: (queries: readonly Query[]) => Promise<QueryResult>,
  ): Promise<Result[]> {
    const queries = compiled.map(toQuery);
    const { rows } = await send(queries).catch((error: unknown) => {
      if (isOfAnotherSession(error)) {
        if (isPrepared) onUnprepared();
        isPrepared = false;
      } else if (!isOutdated(error)) throw error;
      return send(queries.map(({ text, values }) => ({ text, values })));
    });
    return rows as Result[];
  }

  const within = (settings: TransactionSettings): StatementRunner => {
    const opening = applying(settings).compile(provider);
    return {
      run: (statement) =>
        translated(() =>
          answered([opening, statement.compile(provider)], (queries) =>
            runInTransaction(pool, queries),
          ),
        ),
    };
  };

  return {
    run: (statement) =>
      translated(() =>
        answered([statement.compile(provider)], ([query]) => pool.query(query as Query)),
      ),

    within,

    scoped: (scope) => within(settingsOf(scope)),
  };
}

const command = (text: string): Query => ({ text, values: [] });

/** Answers what the last query does. After an error the server carries out none of those that follow. */
async function runInTransaction(pool: Pool, queries: readonly Query[]): Promise<QueryResult> {
  const client = await pool.connect();
  const commands = [command('begin'), ...queries, command('commit')];
  const send = (each: Query) => client.query(each);
  try {
    const results = await (client.pipeline
      ? allOnceEnded(commands.map(send))
      : Array.fromAsync(commands, send));
    client.release();
    return results.at(-2) as QueryResult;
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
}

/** Rejects with the first error, when nothing is under way any more. */
async function allOnceEnded<Result>(sent: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(sent);
  return Promise.all(sent);
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
