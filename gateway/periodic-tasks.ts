import type { Logger } from 'pino';
import type { ServiceUseCases } from '#core';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

/** The interval between sweeps. A due event must be written within a minute, even if thousands of events are due. */
const sweepMilliseconds = 15_000;

type Sweeps = Pick<
  ServiceUseCases,
  | 'expireAccessRequests'
  | 'announceExpiringGrants'
  | 'announceReviews'
  | 'reportStaleSources'
  | 'deleteOldDataEvents'
  | 'deleteExpiredIdempotencyKeys'
  | 'deleteExpiredSignIns'
>;

/** Runs all due changes, such as expirations. A failed change is retried and doesn't block the others. */
export function startSweeper(useCases: Sweeps, logger: Pick<Logger, 'error'>): PeriodicTask {
  const onError = (error: unknown): void =>
    logger.error({ err: error }, 'the sweep failed; the service will try again');
  return runPeriodically(
    async (signal) => {
      const options = { isStopping: () => signal.aborted };
      for (const sweep of [
        () => useCases.expireAccessRequests(options),
        () => useCases.announceExpiringGrants(options),
        () => useCases.announceReviews(options),
        () => useCases.reportStaleSources(options),
        () => useCases.deleteOldDataEvents(options),
        () => useCases.deleteExpiredIdempotencyKeys(),
        () => useCases.deleteExpiredSignIns(),
      ]) {
        if (!signal.aborted) await sweep().catch(onError);
      }
    },
    sweepMilliseconds,
    onError,
  );
}

/** A sandbox company must decide within two seconds, even if another process received the request. */
const answerMilliseconds = 1_500;

/** Decides for the sandbox companies, periodically and on `run`. Logs only the first of several failures. */
export function startSandbox(
  { answerSandboxRequests }: Pick<ServiceUseCases, 'answerSandboxRequests'>,
  logger: Pick<Logger, 'error'>,
): PeriodicTask {
  return runPeriodically(
    answerSandboxRequests,
    answerMilliseconds,
    (error, isRepeated) =>
      isRepeated || logger.error({ err: error }, 'the sandbox failed; the service will try again'),
  );
}

/** Counting is frequent, because a company's statistics read all access records that aren't counted yet. */
const countMilliseconds = 60_000;

/** Counts the access records of dates that are over. If several runs in a row fail, logs only the first failure. */
export function startRecordCounting(
  { countAccessRecords }: Pick<ServiceUseCases, 'countAccessRecords'>,
  logger: Pick<Logger, 'error'>,
): PeriodicTask {
  return runPeriodically(
    (signal) => countAccessRecords({ isStopping: () => signal.aborted }),
    countMilliseconds,
    (error, isRepeated) =>
      isRepeated ||
      logger.error({ err: error }, 'access records were not counted; the service will try again'),
  );
}

const watchMilliseconds = 600_000;
const runsPerDay = 144;
/** The number of the run that checks everything. A new process must serve callers first, so this is the second run. */
const fullRun = 1;

/**
 * Every ten minutes, compares live access requests with their last event. Once a day, compares them with all events and
 * signatures. Logs each access request with a problem only once, and up to 50 of them per run. Only one process per
 * machine runs this check.
 */
export function startConsentWatch(
  { watchConsents }: Pick<ServiceUseCases, 'watchConsents'>,
  logger: Pick<Logger, 'error'>,
) {
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
      const newFindings = found.filter(({ subject }) => !known.includes(subject));
      for (const { subject, problem } of newFindings.slice(0, maxNamed)) {
        logger.error({ accessRequestId: subject, problem }, inconsistentConsent);
      }
      known = found.map(({ subject }) => subject);
      runs += 1;
    },
    watchMilliseconds,
    (error) =>
      logger.error({ err: error }, 'consents were not checked; the service will try again'),
  );
  return { ...task, countFindings: () => known.length };
}

const maxNamed = 50;

const inconsistentConsent =
  'an access request does not agree with its events and receipts: see ConsentFindings in docs/operations.md';
