import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RateLimitPolicy } from '#core';
import { LocalCounter } from './local-counter.ts';
import {
  createProcessRateLimiter,
  type RateLimiterHealth,
  type RunningRateLimiter,
} from './process-rate-limiter.ts';
import { connectRedis } from './redis.ts';
import { createRedisCalls } from './redis-calls.ts';
import { RedisHealth } from './redis-health.ts';

interface RateLimiterConfig extends RateLimitPolicy {
  /** Several: the nodes of a cluster. Null: counted in this process alone. */
  readonly redisUrls: readonly string[] | null;
  /** Called when Redis is found to be away and when it is found to be back, not for each call in between. */
  readonly onChange?: (health: RateLimiterHealth, reason?: string) => void;
  /** Called for each call that Redis has not answered, or not in time. */
  readonly onCallFailed?: () => void;
}

/** The buckets have different limits, so the library only counts. */
const unlimited = Number.MAX_SAFE_INTEGER;

/** The bucket of the probes; no digest of a credential looks like it. */
const probeBucket = 'probe';

export function createRateLimiter(config: RateLimiterConfig): RunningRateLimiter {
  if (config.redisUrls === null) return createProcessRateLimiter(config);
  const policy = { points: config.points, windowSeconds: config.windowSeconds };
  const local = new LocalCounter(config.windowSeconds);
  return { policy, ...countInRedis(config.redisUrls, local, config) };
}

/**
 * Counts in Redis, and in this process while Redis is away. Each side goes on from the count of the other, so a process
 * lets nobody spend a budget twice because Redis goes away, comes back or has lost its counts.
 */
function countInRedis(
  urls: readonly string[],
  local: LocalCounter,
  { windowSeconds, onChange, onCallFailed }: RateLimiterConfig,
): Omit<RunningRateLimiter, 'policy'> {
  const redis = connectRedis(urls);
  const shared = new RateLimiterRedis({
    points: unlimited,
    duration: windowSeconds,
    keyPrefix: 'rate-limit',
    storeClient: redis,
    rejectIfRedisNotReady: true,
  });
  const inTime = createRedisCalls(redis);
  const redisHealth = new RedisHealth({
    redis,
    probe: () => shared.consume(probeBucket, 1),
    onChange: (health, reason) => onChange?.(health, reason),
  });
  return {
    async spend(bucket, points) {
      if (!redisHealth.canBeAsked) return local.spend(bucket, points, points);
      const askedAt = Date.now();
      const unreported = local.takeUnreported(bucket);
      try {
        const { consumedPoints, msBeforeNext } = await inTime(() =>
          unreported === null
            ? shared.consume(bucket, points)
            : shared.consume(bucket, points + unreported.points, {
                customDuration: unreported.secondsLeft,
              }),
        );
        const counted = { points: consumedPoints, millisecondsLeft: msBeforeNext };
        return local.reconcile(bucket, points, counted, askedAt);
      } catch (error) {
        onCallFailed?.();
        redisHealth.callFailed(error);
        return local.spend(bucket, points, 0);
      }
    },
    health: () => (redisHealth.isAway ? 'degraded' : 'shared'),
    settle: () => redisHealth.settle(),
    close() {
      redisHealth.stop();
      redis.disconnect();
    },
  };
}
