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
  /** Several URLs name the nodes of a Redis Cluster. Null means that only this process counts. */
  readonly redisUrls: readonly string[] | null;
  readonly onChange?: (health: RateLimiterHealth, reason?: string) => void;
  /** Called if a call to Redis failed or was too slow. */
  readonly onCallFailed?: () => void;
}

/** The library only counts and never refuses, because each bucket has its own limit. */
const unlimited = Number.MAX_SAFE_INTEGER;

/** The bucket for probes. All other buckets are named by a digest, so no other bucket has this name. */
const probeBucket = 'probe';

export function createRateLimiter(config: RateLimiterConfig): RunningRateLimiter {
  if (config.redisUrls === null) return createProcessRateLimiter(config);
  const policy = { points: config.points, windowSeconds: config.windowSeconds };
  const local = new LocalCounter(config.windowSeconds);
  return { policy, ...countInRedis(config.redisUrls, local, config) };
}

/**
 * Counts in Redis and in this process, and uses the larger count. So a caller can't spend the same points twice in one
 * process, even if Redis fails, returns or loses counts. Points that are spent in one process during an outage are
 * unknown to other processes.
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
      if (!redisHealth.acceptsCalls) return local.spend(bucket, points);
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
    health: () => (redisHealth.isUnavailable ? 'degraded' : 'shared'),
    settle: () => redisHealth.settle(),
    close() {
      redisHealth.stop();
      counter.redis.disconnect();
    },
  };
}
