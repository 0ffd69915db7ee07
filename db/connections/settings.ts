import type { BatchLimits, BatchObserver } from './batch.ts';
import type { RefusalQueueSettings } from './refusal-queue.ts';

export interface DatabaseConfig {
  /** Null: the embedded database in `dataDir`. */
  readonly databaseUrl: string | null;
  /** The same database with the background role. By default derived by `backgroundUrlOf`. */
  readonly backgroundUrl?: string | null | undefined;
  readonly dataDir: string;
  /** True if a pooler assigns a session to each transaction. */
  readonly isPooled?: boolean | undefined;
  /** A service owns the embedded database while it runs. A command uses a running service if there is one. */
  readonly role: 'service' | 'command';
  /** Called for errors outside of calls, for example on an idle connection. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called at most once a second, with the number of refusals whose records may be lost. */
  readonly onRefusalsDropped?: ((count: number) => void) | undefined;
  /** Called once if a pooler doesn't support prepared statements. */
  readonly onUnprepared?: (() => void) | undefined;
  /** Called with a description of the command that a service waits for. */
  readonly onWait?: ((lockOwner: string) => void) | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly observer?: DatabaseObserver | undefined;
}

/**
 * The groups of connections, each for one kind of work:
 * - `scoped`: statements in the scope of some companies or investors
 * - `requests`: other statements of one request
 * - `batches`: statements that answer a batch of questions
 * - `background`: work of the service without a caller, like webhooks, mails and the clock
 * - `long_work`: imports, exports and migrations
 */
export type PoolName = 'scoped' | 'requests' | 'batches' | 'background' | 'long_work';

export interface DatabaseObserver extends BatchObserver {
  waited(pool: PoolName, milliseconds: number): void;
}

export interface Limits {
  /** For all pools of this process. */
  readonly connections: number;
  /** The time that a call waits for a free connection. */
  readonly acquireMilliseconds: number;
  readonly statementMilliseconds: number;
  /**
   * The time that a service waits for another service to release the embedded database. The wait for a command has no
   * limit.
   */
  readonly serviceWaitMilliseconds: number;
  readonly commandWaitMilliseconds: number;
}

/** For a few hundred concurrent requests. If the server hangs, a call fails with 503 in less than four seconds. */
export const defaultLimits: Limits = {
  connections: 18,
  acquireMilliseconds: 1_500,
  statementMilliseconds: 2_000,
  serviceWaitMilliseconds: 10_000,
  commandWaitMilliseconds: 60_000,
};

export function timeLimits(statementMilliseconds: number) {
  return {
    statement_timeout: String(statementMilliseconds),
    // A stalled process must not keep the locks of its transaction.
    idle_in_transaction_session_timeout: String(2 * statementMilliseconds),
  };
}

/** PGlite runs one statement at a time, and a statement may wait for an import. */
export const embeddedLimits: Pick<Limits, 'acquireMilliseconds' | 'statementMilliseconds'> = {
  acquireMilliseconds: 60_000,
  statementMilliseconds: 60_000,
};

/** The companies of a large portfolio fit into one batch. */
const questionsAtOnce = 1_000;

export const batchLimits = (
  { acquireMilliseconds }: Limits,
  observer?: BatchObserver,
): BatchLimits => ({
  observer,
  size: questionsAtOnce,
  inFlight: 2,
  waitMilliseconds: acquireMilliseconds,
});

/** The largest record takes 1.1 kB, so the waiting records take at most 22 MB. */
export const refusalLimits: Pick<
  RefusalQueueSettings,
  'capacity' | 'recordsAtOnce' | 'gatherMilliseconds' | 'retryMilliseconds'
> = {
  capacity: 20_000,
  recordsAtOnce: questionsAtOnce,
  gatherMilliseconds: 100,
  retryMilliseconds: 500,
};
