import type { Cluster, Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RateLimitPolicy } from '#core';
import { LocalCounter } from './local-counter.ts';
import {
  createProcessRateLimiter,
  type RateLimiterHealth,
  type RunningRateLimiter,
} from './process-rate-limiter.ts';
import { connectCluster, connectRedis } from './redis.ts';
import { createRedisCalls } from './redis-calls.ts';
import { RedisHealth } from './redis-health.ts';

interface RateLimiterConfig extends RateLimitPolicy {
  /** Several, or one that belongs to a Redis Cluster: its nodes. Null: counted in this process alone. */
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
 * Counts in Redis, and in this process while Redis is away. The greater of both counts holds, so that a process lets no
 * caller spend a budget twice because Redis goes away, comes back or has lost its counts. Other processes don't learn of
 * the points that were spent meanwhile.
 */
function countInRedis(
  urls: readonly string[],
  local: LocalCounter,
  { windowSeconds, onChange, onCallFailed }: RateLimiterConfig,
): Omit<RunningRateLimiter, 'policy'> {
  const countIn = (redis: Redis | Cluster) => ({
    redis,
    inTime: createRedisCalls(redis),
    shared: new RateLimiterRedis({
      points: unlimited,
      duration: windowSeconds,
      keyPrefix: 'rate-limit',
      storeClient: redis,
      rejectIfRedisNotReady: true,
    }),
  });
  let counter = countIn(connectRedis(urls));
  const redisHealth = new RedisHealth({
    redis: counter.redis,
    probe: () => counter.shared.consume(probeBucket, 1),
    connectToCluster() {
      counter.redis.disconnect();
      const cluster = connectCluster(urls);
      counter = countIn(cluster);
      return cluster;
    },
    onChange: (health, reason) => onChange?.(health, reason),
  });
  return {
    async spend(bucket, points) {
      if (!redisHealth.canBeAsked) return local.spend(bucket, points);
      const { inTime, shared } = counter;
      const sentAt = Date.now();
      try {
        const { consumedPoints, msBeforeNext } = await inTime(() => shared.consume(bucket, points));
        const counted = { points: consumedPoints, millisecondsLeft: msBeforeNext };
        return local.reconcile(bucket, points, counted, sentAt);
      } catch (error) {
        onCallFailed?.();
        redisHealth.callFailed(error);
        return local.spend(bucket, points);
      }
    },
    health: () => (redisHealth.isAway ? 'degraded' : 'shared'),
    settle: () => redisHealth.settle(),
    close() {
      redisHealth.stop();
      counter.redis.disconnect();
    },
  };
}
