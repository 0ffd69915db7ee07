import type { OperatorUseCases } from '#core';
import { compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { createFixtures, type Fixtures } from './fixtures.ts';

export interface OperatorSide {
  readonly operator: OperatorUseCases;
  readonly fixtures: Fixtures;
  close(): Promise<void>;
}

/** The operator beside running processes, on the same database, as the command line is. */
export async function openOperatorSide(
  environment: Readonly<Record<string, string>>,
): Promise<OperatorSide> {
  const config = readConfig({ ...environment });
  const rateLimiter = createRateLimiter({ ...config.rateLimit, redisUrls: null });
  const { database, callerUseCases, operatorUseCases } = await compose(config, {
    role: 'command',
    rateLimiter,
    onError: () => undefined,
  });
  return {
    operator: operatorUseCases,
    fixtures: createFixtures(operatorUseCases, callerUseCases),
    async close() {
      await database.close();
      rateLimiter.close();
    },
  };
}
