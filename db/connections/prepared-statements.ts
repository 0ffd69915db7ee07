import { createHash } from 'node:crypto';
import type { CompiledQuery, QueryExecutorProvider } from 'kysely';
import { codeOf, convertOutages } from './outages.ts';
import { applySettings, settingsOf, type TransactionSettings } from './row-scope.ts';
import type { Scopes, Statement, StatementRunner, TransactionRunner } from './store.ts';

interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

interface QueryResult {
  readonly rows: unknown[];
}

export interface Pool {
  query(query: Query): Promise<QueryResult>;
  connect(): Promise<Client>;
}

interface Client {
  readonly connection: { readonly stream: { cork(): void; uncork(): void } };
  query(query: Query): Promise<QueryResult>;
  /** If the caller passes an error, the connection is closed. */
  release(error?: Error): void;
}

/** Turns off JIT compilation, which takes longer than any of our statements. A table without statistics triggers it. */
export const plannerSettings: Readonly<Record<string, string>> = { jit: 'off' };

export const genericPlans: Readonly<Record<string, string>> = {
  ...plannerSettings,
  plan_cache_mode: 'force_generic_plan',
  // Makes all prepared statements use indexes. Otherwise, a plan that was made for a small table would scan the
  // complete table even after the table has grown.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/**
 * Runs prepared statements, because planning a statement can take longer than running it. A statement's text must not
 * depend on its parameters, because the server keeps every different text.
 *
 * @param pool must have pipelined connections
 */
export function preparedStatements(
  pool: Pool,
  provider: QueryExecutorProvider,
  onUnprepared: () => void = () => undefined,
): StatementRunner &
  Scopes<TransactionRunner> & { withSettings(settings: TransactionSettings): TransactionRunner } {
  const names = new Map<string, string>();
  let isPrepared = true;

  const toQuery = ({ sql: text, parameters }: CompiledQuery): Query => ({
    text,
    values: [...parameters],
  });
  const toPrepared = (query: Query): Query =>
    isPrepared ? { ...query, name: names.getOrInsertComputed(query.text, nameOf) } : query;

  /** @param send is called again with unnamed queries if the server rejects prepared ones */
  async function sendPrepared<Result>(send: (named: (query: Query) => Query) => Promise<Result>) {
    return send(toPrepared).catch((error: unknown) => {
      if (isOfAnotherSession(error)) {
        if (isPrepared) onUnprepared();
        isPrepared = false;
      } else if (!isOutdated(error)) throw error;
      return send((query) => query);
    });
  }

  const withSettings = (settings: TransactionSettings): TransactionRunner => {
    const settingsQuery = toQuery(applySettings(settings).compile(provider));
    return {
      run: <Result>(statement: Statement<Result>) =>
        convertOutages(() => {
          const query = toQuery(statement.compile(provider));
          return sendPrepared(async (named) => {
            const results = await runInTransaction(pool, [named(settingsQuery), named(query)]);
            return results.rows as Result[];
          });
        }),

      transact: (work) =>
        convertOutages(() =>
          sendPrepared((named) =>
            workInTransaction(pool, named(settingsQuery), (send) =>
              work({
                run: <Result>(statement: Statement<Result>) =>
                  convertOutages(async () => {
                    const query = toQuery(statement.compile(provider));
                    const { rows } = await send(named(query));
                    return rows as Result[];
                  }),
              }),
            ),
          ),
        ),
    };
  };

  return {
    run: <Result>(statement: Statement<Result>) =>
      convertOutages(() => {
        const query = toQuery(statement.compile(provider));
        return sendPrepared(async (named) => (await pool.query(named(query))).rows as Result[]);
      }),

    withSettings,

    scoped: (scope, settings) => withSettings({ ...settings, ...settingsOf(scope) }),
  };
}

const command = (text: string): Query => ({ text, values: [] });

/** Runs the queries in one transaction. After an error, the server skips the queries that follow. */
async function runInTransaction(pool: Pool, queries: readonly Query[]): Promise<QueryResult> {
  const client = await pool.connect();
  try {
    const results = await sendAll(client, [command('begin'), ...queries, command('commit')]);
    client.release();
    return results.at(-2) as QueryResult;
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
}

/** Starts the transaction with the first statement. Rolls the transaction back if the work rejects. */
async function workInTransaction<T>(
  pool: Pool,
  settingsQuery: Query,
  work: (send: (query: Query) => Promise<QueryResult>) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let beginning: Promise<QueryResult[]> | null = null;
  try {
    const result = await work(async (query) => {
      if (beginning !== null) {
        await beginning;
        return client.query(query);
      }
      beginning = sendAll(client, [command('begin'), settingsQuery, query]);
      return (await beginning).at(-1) as QueryResult;
    });
    await client.query(command('commit'));
    client.release();
    return result;
  } catch (error) {
    const isUsable = await client.query(command('rollback')).then(
      () => !isOutdated(error) && !isOfAnotherSession(error),
      () => false,
    );
    client.release(isUsable ? undefined : (error as Error));
    throw error;
  }
}

/**
 * Sends the queries with one system call, because a system call costs as much as some statements. Waits for all
 * queries, then rejects with the first error if there is one.
 */
async function sendAll(client: Client, queries: readonly Query[]): Promise<QueryResult[]> {
  const { stream } = client.connection;
  stream.cork();
  const sent = queries.map((each) => client.query(each));
  stream.uncork();
  await Promise.allSettled(sent);
  return Promise.all(sent);
}

/**
 * Returns true if a migration changed a column type after the statement was prepared. The server hasn't executed the
 * statement, and the pool closes the connection.
 */
function isOutdated(error: unknown): boolean {
  return codeOf(error) === '0A000';
}

/**
 * Returns true if a pooler used a session that lacks the prepared statement, or that has another client's statement.
 * The server hasn't executed the statement. A second attempt with a prepared statement could fail again.
 */
function isOfAnotherSession(error: unknown): boolean {
  return codeOf(error) === '26000' || codeOf(error) === '42P05';
}

/** Derives a statement's name from its text, so that clients that share a connection never confuse statements. */
function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
