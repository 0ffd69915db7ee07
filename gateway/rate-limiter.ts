import { once } from 'node:events';
import { Cluster, Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RateLimiter, RateLimitPolicy, Spending } from '#core';
import { createLoneCounter } from './lone-counter.ts';
import { connectRedis, reachNodes, sendTogether } from './redis.ts';

interface RateLimiterConfig extends RateLimitPolicy {
  /** Several: the nodes of a cluster. Null: counted in this process alone. */
  readonly redisUrls: readonly string[] | null;
  /** Called when Redis stops answering and when it answers again, not for each call in between. */
  readonly onChange?: (state: RateLimiterHealth, cause?: unknown) => void;
}

/** `process`: no Redis is configured; `degraded`: it is, but this process counts alone for the time being. */
export type RateLimiterHealth = 'process' | 'shared' | 'degraded';

export interface RunningRateLimiter extends RateLimiter {
  health(): RateLimiterHealth;
  /** Resolves when Redis can be asked, or after half a second: a service may start without it. */
  settle(): Promise<void>;
  close(): void;
}

/** The buckets have different limits, so the library only counts. */
const unlimited = Number.MAX_SAFE_INTEGER;

const settleMilliseconds = 500;

/** With one node of a cluster gone some calls succeed and some fail: only a while without a failure is health. */
const calmMilliseconds = 1_000;

/** What a caller may wait for a cluster. A command ends by itself before that, unless it is sent on to another node. */
const patienceMilliseconds = 45;

export function createRateLimiter(config: RateLimiterConfig): RunningRateLimiter {
  const counted = { points: unlimited, duration: config.windowSeconds, keyPrefix: 'rate-limit' };
  const redis = config.redisUrls === null ? null : connectRedis(config.redisUrls);
  const shared =
    redis && new RateLimiterRedis({ ...counted, storeClient: redis, rejectIfRedisNotReady: true });
  const countAlone = createLoneCounter(config.windowSeconds);
  let health: RateLimiterHealth = shared === null ? 'process' : 'shared';
  let lastFailure = 0;
  let isClosed = false;

  function note(state: RateLimiterHealth, cause?: unknown): void {
    if (state === health || isClosed) return;
    health = state;
    config.onChange?.(state, cause);
  }
  redis?.on('ready', () => {
    lastFailure = 0;
    note('shared');
  });
  redis?.on('close', () => note('degraded', new Error('the connection to Redis is closed')));

  async function spend(bucket: string, points: number): Promise<Spending> {
    if (shared === null) return countAlone(bucket, points);
    try {
      if (redis instanceof Redis) sendTogether(redis);
      const answer = shared.consume(bucket, points);
      const { consumedPoints, msBeforeNext } = await (redis instanceof Cluster
        ? inTime(answer)
        : answer);
      if (performance.now() - lastFailure > calmMilliseconds) note('shared');
      return { points: consumedPoints, millisecondsLeft: msBeforeNext };
    } catch (error) {
      lastFailure = performance.now();
      note('degraded', error);
      return countAlone(bucket, points);
    }
  }

  return {
    policy: { points: config.points, windowSeconds: config.windowSeconds },
    spend,
    health: () => health,
    async settle() {
      if (redis === null) return;
      await waitUntilReady(redis);
      await reachNodes(redis);
      if (redis.status !== 'ready') note('degraded', new Error('Redis cannot be reached'));
    },
    close() {
      isClosed = true;
      redis?.disconnect();
    },
  };
}

async function waitUntilReady(redis: Redis | Cluster): Promise<void> {
  if (redis.status === 'ready') return;
  await once(redis, 'ready', { signal: AbortSignal.timeout(settleMilliseconds) }).catch(
    () => undefined,
  );
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('Redis takes too long')), patienceMilliseconds);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
