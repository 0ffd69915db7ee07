import type { ArchiveStep } from '#core';
import { compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';

/** Archives the days before one, and kills itself at a step of the first of them. */
const [before = '', killedAt] = process.argv.slice(2) as [string, ArchiveStep];

const config = readConfig();
const { operatorUseCases } = await compose(config, {
  role: 'command',
  rateLimiter: createRateLimiter({ ...config.rateLimit, redisUrls: null }),
  onError(error) {
    throw error;
  },
});
await operatorUseCases.archiveAccessRecords({
  before: new Date(before),
  onStep(_, step) {
    if (step === killedAt) process.kill(process.pid, 'SIGKILL');
  },
});
throw new Error(`nothing came to the step ${killedAt}`);
