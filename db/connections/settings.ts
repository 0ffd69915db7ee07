import type { BatchLimits, BatchObserver } from './batch.ts';
import type { RefusalQueueSettings } from './refusal-queue.ts';

export interface DatabaseConfig {
  /** Null means the embedded database in `dataDir`. */
  readonly databaseUrl: string | null;
  /** The database URL with the background role. By default, `backgroundUrlOf` derives it from `databaseUrl`. */
  readonly backgroundUrl?: string | null | undefined;
  readonly dataDir: string;
  /** True if a pooler assigns a server session to each transaction. */
  readonly isPooled?: boolean | undefined;
  /** A service locks the embedded database. A command connects to a running service if there is one. */
  readonly role: 'service' | 'command';
  /** Called for errors that no caller receives, for example on an idle connection. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called at most once a second, with the number of refusals whose records may be lost. */
  readonly onRefusalsDropped?: ((count: number) => void) | undefined;
  /** Called once if a pooler doesn't support prepared statements. */
  readonly onUnprepared?: (() => void) | undefined;
  /** Called while a service waits for a command. Gets a description of the command. */
  readonly onWait?: ((lockOwner: string) => void) | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly observer?: DatabaseObserver | undefined;
}

/**
 * The pools of connections. Each pool serves one kind of work:
 * - `scoped`: statements that see only the rows of some companies or investors
 * - `requests`: other statements that serve one HTTP request
 * - `batches`: statements that answer a batch of questions
 * - `background`: work of the service that no caller waits for, like webhooks, mails and the clock
 * - `long_work`: imports, exports and migrations
 */
export type PoolName = 'scoped' | 'requests' | 'batches' | 'background' | 'long_work';

export interface DatabaseObserver extends BatchObserver {
  onWaited(pool: PoolName, milliseconds: number): void;
}

export interface Limits {
  /** The number of connections of all pools of this process together. */
  readonly connections: number;
  /** The longest time that a statement waits for a free connection. */
  readonly acquireMilliseconds: number;
  readonly statementMilliseconds: number;
  /** The time that a service waits for another service. It waits for a command without a limit. */
  readonly serviceWaitMilliseconds: number;
  readonly commandWaitMilliseconds: number;
}

/**
 * Suitable for a few hundred concurrent requests. If the server hangs, a request fails with 503 within four seconds.
 */
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
    // If a process stalls, the server rolls back its transaction, so that other processes get the locks.
    idle_in_transaction_session_timeout: String(2 * statementMilliseconds),
  };
}

/** PGlite runs one statement at a time, so a statement may wait for a long import. */
export const embeddedLimits: Pick<Limits, 'acquireMilliseconds' | 'statementMilliseconds'> = {
  acquireMilliseconds: 60_000,
  statementMilliseconds: 60_000,
};

/** One batch has room for the companies of a large portfolio. */
const questionsPerStatement = 1_000;

export const batchLimits = (
  { acquireMilliseconds }: Limits,
  observer?: BatchObserver,
): BatchLimits => ({
  observer,
  size: questionsPerStatement,
  inFlight: 2,
  waitMilliseconds: acquireMilliseconds,
});

/** The largest record takes 1.1 kB, so all waiting records together need at most 22 MB of memory. */
export const refusalLimits: Pick<
  RefusalQueueSettings,
  'capacity' | 'recordsPerStatement' | 'gatherMilliseconds' | 'retryMilliseconds'
> = {
  capacity: 20_000,
  recordsPerStatement: questionsPerStatement,
  gatherMilliseconds: 100,
  retryMilliseconds: 500,
};
