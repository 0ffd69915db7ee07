import type { Logger } from 'pino';
import type { ServiceUseCases } from '#core';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

/** A due event must appear within a minute, even if thousands are due. */
const sweepMilliseconds = 15_000;

type Sweeps = Pick<
  ServiceUseCases,
  | 'expireAccessRequests'
  | 'announceExpiringGrants'
  | 'reportStaleSources'
  | 'forgetDataEvents'
  | 'forgetIdempotencyKeys'
  | 'forgetSignIns'
>;

/** Runs all changes that depend on the time. A failed change is retried and doesn't block the others. */
export function startSweeper(useCases: Sweeps, logger: Pick<Logger, 'error'>): PeriodicTask {
  const onError = (error: unknown): void =>
    logger.error({ err: error }, 'the sweep failed; it is tried again');
  return runPeriodically(
    async (signal) => {
      const options = { isStopping: () => signal.aborted };
      for (const sweep of [
        () => useCases.expireAccessRequests(options),
        () => useCases.announceExpiringGrants(options),
        () => useCases.reportStaleSources(options),
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

/** A sandbox company decides within two seconds. This interval is for requests that another process received. */
const answerMilliseconds = 1_500;

/**
 * Lets the sandbox companies decide periodically, and when `run` is called. Logs only the first of several failures in
 * a row.
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

/** The statistics of a company read the access records of each day that isn't counted yet. */
const countMilliseconds = 60_000;

/** Counts the access records of finished days. Logs only the first of several failures in a row. */
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
/** The second run, because a new process serves its callers first. */
const fullRun = 1;

/**
 * Compares live access requests with their last event every ten minutes, and with all events and signatures once a day.
 * Logs each request with a problem once, up to 50 per run. One process per machine does this.
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
      const fresh = found.filter(({ subject }) => !known.includes(subject));
      for (const { subject, problem } of fresh.slice(0, maxNamed)) {
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

const maxNamed = 50;

const inconsistentConsent =
  'an access request does not agree with its events and receipts: see ConsentFindings in docs/operations.md';
