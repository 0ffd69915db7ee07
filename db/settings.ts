import type { BatchLimits } from './batch.ts';
import type { RefusalQueueSettings } from './refusal-queue.ts';

/** What a database is opened with; the numbers have defaults that fit a service of a few hundred requests at once. */
export interface DatabaseConfig {
  /** Null: the embedded database in dataDir. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /** A service owns the embedded database for as long as it runs, a command for a moment or not at all. */
  readonly role: 'service' | 'command';
  /** Called when something breaks that no call waits for, an idle connection for instance. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called at most once a second, with the number of refusals whose records are not known to be kept. */
  readonly onRefusalsDropped?: ((count: number) => void) | undefined;
  /** Called when a service has to wait for the embedded database, with whoever has it. */
  readonly onWait?: ((lockOwner: string) => void) | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

export interface Limits {
  /** Connections for requests. Imports and migrations have a few of their own. */
  readonly connections: number;
  /** Connections for statements that answer a batch of questions. */
  readonly batchConnections: number;
  /** How long a call waits for a free connection. */
  readonly acquireMilliseconds: number;
  /** How long one statement of a request may take. */
  readonly statementMilliseconds: number;
  /**
   * How long a service waits for another service, and a command for others, to leave the embedded database. A service
   * waits for a command as long as it takes.
   */
  readonly serviceWaitMilliseconds: number;
  readonly commandWaitMilliseconds: number;
}

/** What one statement answers at most; a portfolio of that many companies is read at once. */
const questionsAtOnce = 1_000;

const statementsInFlight = 2;

export function batchLimits({ acquireMilliseconds }: Limits): BatchLimits {
  return {
    size: questionsAtOnce,
    inFlight: statementsInFlight,
    waitMilliseconds: acquireMilliseconds,
  };
}

/** What waits is at most 22 MB: a record of the longest ids and names takes 1.1 kB, measured. */
export const refusalLimits: Pick<
  RefusalQueueSettings,
  'capacity' | 'size' | 'gatherMilliseconds' | 'retryMilliseconds'
> = { capacity: 20_000, size: questionsAtOnce, gatherMilliseconds: 100, retryMilliseconds: 500 };

export const defaultLimits: Limits = {
  connections: 8,
  batchConnections: 8,
  acquireMilliseconds: 2_000,
  statementMilliseconds: 2_500,
  serviceWaitMilliseconds: 10_000,
  commandWaitMilliseconds: 60_000,
};

/** PGlite works on one statement at a time, in this very process: one that waits for an import is not lost. */
export const embeddedPatience: Pick<Limits, 'acquireMilliseconds' | 'statementMilliseconds'> = {
  acquireMilliseconds: 60_000,
  statementMilliseconds: 60_000,
};
