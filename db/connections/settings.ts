import type { BatchLimits, BatchObserver } from './batch.ts';
import type { RefusalQueueSettings } from './refusal-queue.ts';

export interface DatabaseConfig {
  /** Null: the embedded database in dataDir. */
  readonly databaseUrl: string | null;
  /** The same database as the role of what works for everybody; without it see `backgroundUrlOf`. */
  readonly backgroundUrl?: string | null | undefined;
  readonly dataDir: string;
  /** Whether a pooler stands between that chooses a session of PostgreSQL for each transaction. */
  readonly isPooled?: boolean | undefined;
  /** A service owns the embedded database as long as it runs; a command goes through a running service if it can. */
  readonly role: 'service' | 'command';
  /** Called when something breaks that no call waits for, an idle connection for instance. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called at most once a second, with the number of refusals whose records are not known to be kept. */
  readonly onRefusalsDropped?: ((count: number) => void) | undefined;
  /** Called once, when a pooler turns out not to know prepared statements: they are planned anew each time from then on. */
  readonly onUnprepared?: (() => void) | undefined;
  /** Called when a service has to wait for the embedded database, with the process that has it. */
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
  /** A call has waited for so long for a connection, whether it got one or not. */
  waited(pool: PoolName, milliseconds: number): void;
}

export interface Limits {
  /** Connections that this process holds at most, divided over its pools by `divideConnections`. */
  readonly connections: number;
  /** How long a call waits for a free connection. */
  readonly acquireMilliseconds: number;
  /** How long one statement of a request may take. */
  readonly statementMilliseconds: number;
  /** How long a service waits for another service to leave the embedded database; for a command it waits without end. */
  readonly serviceWaitMilliseconds: number;
  /** How long a command waits for others to leave the embedded database. */
  readonly commandWaitMilliseconds: number;
}

/**
 * For a service of a few hundred requests at once. A question that has waited for its turn and then for a server that
 * hangs is answered with 503 in less than four seconds.
 */
export const defaultLimits: Limits = {
  connections: 18,
  acquireMilliseconds: 1_500,
  statementMilliseconds: 2_000,
  serviceWaitMilliseconds: 10_000,
  commandWaitMilliseconds: 60_000,
};

/** Settings of a session, in milliseconds. */
export function timeLimits(statementMilliseconds: number) {
  return {
    statement_timeout: String(statementMilliseconds),
    // A transaction whose process has stalled must not keep its locks.
    idle_in_transaction_session_timeout: String(2 * statementMilliseconds),
  };
}

/** PGlite works on one statement at a time, in this very process, so one that waits for an import is not lost. */
export const embeddedLimits: Pick<Limits, 'acquireMilliseconds' | 'statementMilliseconds'> = {
  acquireMilliseconds: 60_000,
  statementMilliseconds: 60_000,
};

/** A portfolio of so many companies is read at once. */
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

/** Records that wait take at most 22 MB: one with the longest ids and names takes 1.1 kB, measured. */
export const refusalLimits: Pick<
  RefusalQueueSettings,
  'capacity' | 'size' | 'gatherMilliseconds' | 'retryMilliseconds'
> = { capacity: 20_000, size: questionsAtOnce, gatherMilliseconds: 100, retryMilliseconds: 500 };
