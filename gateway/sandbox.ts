import type { Logger } from 'pino';
import type { OperatorUseCases } from '#core';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

/** An answer is to be there within two seconds. */
const milliseconds = 500;

/** Lets the companies of the sandbox decide, again and again. Of failures that follow each other the first is told. */
export function startSandbox(
  { answerSandboxRequests }: Pick<OperatorUseCases, 'answerSandboxRequests'>,
  logger: Pick<Logger, 'error'>,
): PeriodicTask {
  return runPeriodically(
    answerSandboxRequests,
    milliseconds,
    (error, isRepeated) =>
      isRepeated || logger.error({ err: error }, 'the sandbox failed; it is tried again'),
  );
}
