import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RateLimiter, RateLimitPolicy, Spending } from '#core';
import { LocalCounter } from './local-counter.ts';
import { connectRedis } from './redis.ts';
import { createRedisCalls } from './redis-calls.ts';
import { RedisWatch } from './redis-watch.ts';

interface RateLimiterConfig extends RateLimitPolicy {
  /** Several: the nodes of a cluster. Null: counted in this process alone. */
  readonly redisUrls: readonly string[] | null;
  /** Called when Redis is found to be away and when it is found to be back, not for each call in between. */
  readonly onChange?: (state: RateLimiterHealth, reason?: string) => void;
}

/** `process`: no Redis is configured; `degraded`: it is, but this process counts alone for the time being. */
export type RateLimiterHealth = 'process' | 'shared' | 'degraded';

export interface RunningRateLimiter extends RateLimiter {
  health(): RateLimiterHealth;
  /** Resolves when Redis can be asked, or after two seconds: a service may start without it. */
  settle(): Promise<void>;
  close(): void;
}

/** The buckets have different limits, so the library only counts. */
const unlimited = Number.MAX_SAFE_INTEGER;

/** What a look at Redis spends of: no digest of a credential looks like it. */
const probeBucket = 'probe';

export function createRateLimiter(config: RateLimiterConfig): RunningRateLimiter {
  const policy = { points: config.points, windowSeconds: config.windowSeconds };
  const local = new LocalCounter(config.windowSeconds);
  return config.redisUrls === null
    ? {
        policy,
        spend: async (bucket, points) => local.spendAlone(bucket, points),
        health: () => 'process',
        settle: async () => undefined,
        close: () => undefined,
      }
    : { policy, ...shareThroughRedis(config.redisUrls, local, config) };
}

/**
 * Counts in Redis, and in this process while Redis is away. Each side goes on from what the other has counted, so a
 * process lets nobody spend a budget twice because Redis goes away, comes back or has forgotten.
 */
function shareThroughRedis(
  urls: readonly string[],
  local: LocalCounter,
  { windowSeconds, onChange }: RateLimiterConfig,
): Omit<RunningRateLimiter, 'policy'> {
  const redis = connectRedis(urls);
  const shared = new RateLimiterRedis({
    points: unlimited,
    duration: windowSeconds,
    keyPrefix: 'rate-limit',
    storeClient: redis,
    rejectIfRedisNotReady: true,
  });
  const call = createRedisCalls(redis);
  const watch = new RedisWatch({
    redis,
    probe: () => shared.consume(probeBucket, 1),
    onAway: (reason) => onChange?.('degraded', reason),
    onBack: () => onChange?.('shared'),
  });

  async function spend(bucket: string, points: number): Promise<Spending> {
    if (!watch.isToBeAsked) return local.spendAlone(bucket, points);
    const askedAt = Date.now();
    const unreported = local.takeUntold(bucket);
    try {
      const { consumedPoints, msBeforeNext } = await call(() =>
        unreported === null
          ? shared.consume(bucket, points)
          : shared.consume(bucket, points + unreported.points, {
              customDuration: unreported.secondsLeft,
            }),
      );
      const told = { points: consumedPoints, millisecondsLeft: msBeforeNext };
      return local.learn(bucket, points, told, askedAt);
    } catch (error) {
      watch.noteFailure(error);
      return local.spendUnanswered(bucket, points);
    }
  }

  return {
    spend,
    health: () => (watch.isAway ? 'degraded' : 'shared'),
    settle: () => watch.settle(),
    close() {
      watch.stop();
      redis.disconnect();
    },
  };
}
