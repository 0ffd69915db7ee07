import type { BatchLimits, BatchObserver } from './batch.ts';
import type { RefusalQueueSettings } from './refusal-queue.ts';

export interface DatabaseConfig {
  /** Null: the embedded database in dataDir. */
  readonly databaseUrl: string | null;
  /** The same database with the background role. Default: see `backgroundUrlOf`. */
  readonly backgroundUrl?: string | null | undefined;
  readonly dataDir: string;
  /** True if a pooler assigns a session to each transaction. */
  readonly isPooled?: boolean | undefined;
  /** A service owns the embedded database while it runs. A command uses a running service if there is one. */
  readonly role: 'service' | 'command';
  /** Called for errors outside of calls, for example of an idle connection. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called at most once a second, with the number of refusals whose records may be lost. */
  readonly onRefusalsDropped?: ((count: number) => void) | undefined;
  /** Called once if a pooler doesn't support prepared statements, which are then planned each time. */
  readonly onUnprepared?: (() => void) | undefined;
  /** Called with the owner's process if a service must wait for the embedded database. */
  readonly onWait?: ((lockOwner: string) => void) | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly observer?: DatabaseObserver | undefined;
}

/**
 * The groups of connections, each for a kind of work:
 * - `scoped`: statements in the scope of one company or investor, or of a batch of them
 * - `requests`: other statements of one request
 * - `batches`: statements that answer a batch of questions
 * - `background`: what the service does by itself, like webhooks, mails, the clock and the sandbox
 * - `long_work`: imports, exports and migrations
 */
export type PoolName = 'scoped' | 'requests' | 'batches' | 'background' | 'long_work';

export interface DatabaseObserver extends BatchObserver {
  /** Called with the time that a call waited for a connection. */
  waited(pool: PoolName, milliseconds: number): void;
}

export interface Limits {
  /** The largest number of connections of this process, for all pools. */
  readonly connections: number;
  /** The time that a call waits for a free connection. */
  readonly acquireMilliseconds: number;
  /** The timeout of one statement of a request. */
  readonly statementMilliseconds: number;
  /**
   * The time that a service waits for another service to release the embedded database. It waits for a command without
   * limit.
   */
  readonly serviceWaitMilliseconds: number;
  /** The time that a command waits for the embedded database. */
  readonly commandWaitMilliseconds: number;
}

/**
 * For a service with a few hundred concurrent requests. If the server hangs, a question gets 503 in less than four
 * seconds.
 */
export const defaultLimits: Limits = {
  connections: 18,
  acquireMilliseconds: 1_500,
  statementMilliseconds: 2_000,
  serviceWaitMilliseconds: 10_000,
  commandWaitMilliseconds: 60_000,
};

/** Session settings in milliseconds. */
export function timeLimits(statementMilliseconds: number) {
  return {
    statement_timeout: String(statementMilliseconds),
    // A stalled process must not keep the locks of its transaction.
    idle_in_transaction_session_timeout: String(2 * statementMilliseconds),
  };
}

/** Longer, because PGlite runs one statement at a time, and a statement may wait for an import. */
export const embeddedLimits: Pick<Limits, 'acquireMilliseconds' | 'statementMilliseconds'> = {
  acquireMilliseconds: 60_000,
  statementMilliseconds: 60_000,
};

/** A portfolio of this size is read at once. */
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

/** Limits the waiting records to 22 MB: the largest record takes 1.1 kB, measured. */
export const refusalLimits: Pick<
  RefusalQueueSettings,
  'capacity' | 'size' | 'gatherMilliseconds' | 'retryMilliseconds'
> = { capacity: 20_000, size: questionsAtOnce, gatherMilliseconds: 100, retryMilliseconds: 500 };
