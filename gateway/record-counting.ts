import type { Logger } from 'pino';
import type { OperatorUseCases } from '#core';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

/** What is not counted yet is counted whenever a company looks, so there should never be much of it. */
const milliseconds = 60_000;

/** Counts access records in advance, again and again. Of failures that follow each other the first is told. */
export function startRecordCounting(
  { countAccessRecords }: Pick<OperatorUseCases, 'countAccessRecords'>,
  logger: Pick<Logger, 'error'>,
): PeriodicTask {
  return runPeriodically(
    (signal) => countAccessRecords({ isStopping: () => signal.aborted }),
    milliseconds,
    (error, isRepeated) =>
      isRepeated ||
      logger.error({ err: error }, 'access records were not counted; it is tried again'),
  );
}
