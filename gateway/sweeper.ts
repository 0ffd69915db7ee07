import type { Logger } from 'pino';
import type { OperatorUseCases } from '#core';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

/** Each event of the clock is to be there within a minute, also when thousands are due at once. */
const milliseconds = 15_000;

type Sweeps = Pick<
  OperatorUseCases,
  'expireAccessRequests' | 'announceExpiringGrants' | 'forgetIdempotencyKeys' | 'forgetSignIns'
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
        () => useCases.forgetIdempotencyKeys(),
        () => useCases.forgetSignIns(),
      ]) {
        if (!signal.aborted) await sweep().catch(onError);
      }
    },
    milliseconds,
    onError,
  );
}
