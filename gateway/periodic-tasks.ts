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

/** What is not counted yet is counted whenever a company looks, so there should never be much of it. */
const countMilliseconds = 60_000;

/** Counts access records in advance, again and again. Of failures that follow each other the first is told. */
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
