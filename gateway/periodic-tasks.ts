import type { Logger } from 'pino';
import type { ServiceUseCases } from '#core';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

/** Each event of the clock is to be there within a minute, also when thousands are due at once. */
const sweepMilliseconds = 15_000;

type Sweeps = Pick<
  ServiceUseCases,
  | 'expireAccessRequests'
  | 'announceExpiringGrants'
  | 'tellStaleSources'
  | 'forgetDataEvents'
  | 'forgetIdempotencyKeys'
  | 'forgetSignIns'
>;

/** Writes down what the clock has decided, again and again. What fails holds nothing else up, and is tried again. */
export function startSweeper(useCases: Sweeps, logger: Pick<Logger, 'error'>): PeriodicTask {
  const onError = (error: unknown): void =>
    logger.error({ err: error }, 'the sweep failed; it is tried again');
  return runPeriodically(
    async (signal) => {
      const options = { isStopping: () => signal.aborted };
      for (const sweep of [
        () => useCases.expireAccessRequests(options),
        () => useCases.announceExpiringGrants(options),
        () => useCases.tellStaleSources(options),
        () => useCases.forgetDataEvents(options),
        () => useCases.forgetIdempotencyKeys(),
        () => useCases.forgetSignIns(),
      ]) {
        if (!signal.aborted) await sweep().catch(onError);
      }
    },
    sweepMilliseconds,
    onError,
  );
}

/** An answer is to be there within two seconds, whichever process was asked; what this one is asked is answered at once. */
const answerMilliseconds = 1_500;

/**
 * Lets the companies of the sandbox decide, again and again; to be run when one was asked. Of failures that follow each
 * other the first is told.
 */
export function startSandbox(
  { answerSandboxRequests }: Pick<ServiceUseCases, 'answerSandboxRequests'>,
  logger: Pick<Logger, 'error'>,
): PeriodicTask {
  return runPeriodically(
    answerSandboxRequests,
    answerMilliseconds,
    (error, isRepeated) =>
      isRepeated || logger.error({ err: error }, 'the sandbox failed; it is tried again'),
  );
}

/** The records of a day that isn't counted are read whenever a company opens its statistics. */
const countMilliseconds = 60_000;

/** Counts the access records of finished days, again and again. Logs the first of several failures in a row. */
export function startRecordCounting(
  { countAccessRecords }: Pick<ServiceUseCases, 'countAccessRecords'>,
  logger: Pick<Logger, 'error'>,
): PeriodicTask {
  return runPeriodically(
    (signal) => countAccessRecords({ isStopping: () => signal.aborted }),
    countMilliseconds,
    (error, isRepeated) =>
      isRepeated ||
      logger.error({ err: error }, 'access records were not counted; it is tried again'),
  );
}

const watchMilliseconds = 600_000;
const runsPerDay = 144;
/** Not the first one, so that a process that has just started serves its callers. */
const fullRun = 1;

export interface ConsentWatch extends PeriodicTask {
  /** How many live requests don't agree with their history, as of the last run. */
  countFindings(): number;
}

/**
 * Compares live requests with their last events every ten minutes, and once a day with all of their events and
 * signatures. Each request with a problem is logged once, but at most 50 of them at a time. One process of a machine does
 * this.
 */
export function startConsentWatch(
  { watchConsents }: Pick<ServiceUseCases, 'watchConsents'>,
  logger: Pick<Logger, 'error'>,
): ConsentWatch {
  let runs = 0;
  let known: readonly string[] = [];
  const task = runPeriodically(
    async (signal) => {
      const found = await watchConsents({
        isFull: runs % runsPerDay === fullRun,
        known,
        isStopping: () => signal.aborted,
      });
      if (signal.aborted) return;
      const fresh = found.filter(({ subject }) => !known.includes(subject));
      for (const { subject, problem } of fresh.slice(0, mostNamed)) {
        logger.error({ accessRequestId: subject, problem }, inconsistentConsent);
      }
      known = found.map(({ subject }) => subject);
      runs += 1;
    },
    watchMilliseconds,
    (error) => logger.error({ err: error }, 'consents were not checked; it is tried again'),
  );
  return { ...task, countFindings: () => known.length };
}

const mostNamed = 50;

const inconsistentConsent =
  'an access request does not agree with its events and receipts: see ConsentFindings in docs/operations.md';
