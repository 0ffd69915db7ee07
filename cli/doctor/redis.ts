import type { Config } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import type { Findings } from './finding.ts';

/** Uses the same operations as the service. */
export async function checkRedis(
  { redisUrls, rateLimit, databaseUrl }: Config,
  findings: Findings,
): Promise<void> {
  if (redisUrls === null) {
    const words = 'REDIS_URL is not set: each process counts the rate limit by itself';
    if (databaseUrl === null) return findings.ok(words);
    return findings.warn(words, 'set REDIS_URL when there are several processes');
  }
  let reason = 'no answer';
  const limiter = createRateLimiter({
    ...rateLimit,
    redisUrls,
    onChange: (_health, because = reason) => {
      reason = because;
    },
  });
  try {
    await limiter.settle();
    if (limiter.health() === 'shared') return findings.ok('Redis counts the rate limit');
    findings.fail(
      `Redis can’t be used (${reason}), so each process counts the rate limit by itself`,
      adviceFor(reason),
    );
  } finally {
    limiter.close();
  }
}

function adviceFor(reason: string): string {
  const address = 'use an address that always leads to the primary';
  if (reason.startsWith('READONLY')) return `REDIS_URL names a replica: ${address}`;
  if (reason.includes('unknown command')) {
    return `REDIS_URL names a Sentinel or a server without scripts: ${address}`;
  }
  return 'check REDIS_URL, and that Redis runs and lets this user write';
}
