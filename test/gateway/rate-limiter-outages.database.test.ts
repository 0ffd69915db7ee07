import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RateLimiterHealth } from '../../gateway/rate-limit/process-rate-limiter.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { isFull } from '../support/property-runs.ts';
import { type OwnRedis, startRedis } from '../support/redis.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const limit = 600;
const patience = { timeout: 60_000 };

const own = await startRedis();
const isInstalled = own !== null;
await own?.stop();

async function startOwnRedis(): Promise<OwnRedis> {
  const redis = await startRedis();
  if (redis === null) throw new Error('Redis is gone');
  onTestFinished(redis.stop);
  return redis;
}

/** Waits until the limiter of one process is connected to Redis. */
async function openLimiter(...redisUrls: string[]) {
  const changes: RateLimiterHealth[] = [];
  let failures = 0;
  const limiter = createRateLimiter({
    points: limit,
    windowSeconds: 60,
    redisUrls,
    onChange: (health) => changes.push(health),
    onCallFailed: () => {
      failures += 1;
    },
  });
  onTestFinished(limiter.close);
  await limiter.settle();
  await expect.poll(limiter.health, patience).toBe('shared');
  return {
    ...limiter,
    changes,
    failures: () => failures,
    until: (health: RateLimiterHealth) => expect.poll(limiter.health, patience).toBe(health),
  };
}

type Limiter = Awaited<ReturnType<typeof openLimiter>>;

const newBucket = () => `bucket-${randomUUID()}`;

/** Makes a few calls at a time. Returns the number of calls within the limit. */
async function pass({ spend }: Limiter, bucket: string, calls: number): Promise<number> {
  let passed = 0;
  for (let made = 0; made < calls; made += 10) {
    const spendings = await Promise.all(Array.from({ length: 10 }, () => spend(bucket, 1)));
    passed += spendings.filter(({ points }) => points <= limit).length;
  }
  return passed;
}

function blockEventLoop(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

const nextTurn = () => new Promise((done) => setImmediate(done));

/** Makes 50 calls at a time, and blocks the event loop while Redis answers. */
async function passWhileBlocked({ spend }: Limiter, bucket: string, calls: number) {
  const answers: ReturnType<Limiter['spend']>[] = [];
  for (let made = 0; made < calls; made += 50) {
    for (let call = 0; call < 50; call += 1) answers.push(spend(bucket, 1));
    await nextTurn();
    blockEventLoop(100);
    await nextTurn();
  }
  return (await Promise.all(answers)).filter(({ points }) => points <= limit).length;
}

/**
 * On an overloaded machine, Redis may exceed its time limit, which counts as an outage. So a
 * degraded limiter's test is repeated.
 */
const untilRedisIsInTime = { retry: { count: 2, condition: /degraded/ } };

describe.skipIf(!isInstalled)(
  'a caller’s rate limit while the event loop is blocked again and again',
  () => {
    it(
      'is counted exactly in Redis, and allows exactly the right number of calls',
      untilRedisIsInTime,
      async () => {
        const { url } = await startOwnRedis();
        const limiter = await openLimiter(url);
        const bucket = newBucket();
        const passed = await passWhileBlocked(limiter, bucket, 700);
        expect(limiter.changes).toEqual([]);
        expect(passed).toBe(limit);
        const other = await openLimiter(url);
        expect(await other.spend(bucket, 1)).toMatchObject({ points: 701 });
      },
    );

    it.skipIf(!isFull)('is counted exactly in a cluster as well', untilRedisIsInTime, async () => {
      const cluster = await startRedisCluster();
      if (cluster === null) throw new Error('Redis is gone');
      onTestFinished(cluster.stop);
      const limiter = await openLimiter(...cluster.url.split(','));
      const bucket = newBucket();
      const passed = await passWhileBlocked(limiter, bucket, 700);
      expect(limiter.changes).toEqual([]);
      expect(passed).toBe(limit);
      const other = await openLimiter(...cluster.url.split(','));
      expect(await other.spend(bucket, 1)).toMatchObject({ points: 701 });
    });
  },
);

describe.skipIf(!isInstalled)(
  'a caller’s rate limit during an outage of Redis within one window',
  () => {
    it('isn’t exceeded if Redis pauses and resumes', async () => {
      const redis = await startOwnRedis();
      const limiter = await openLimiter(redis.url);
      const bucket = newBucket();
      const before = await pass(limiter, bucket, 300);
      expect(limiter.failures()).toBe(0);
      redis.pause();
      const meanwhile = await pass(limiter, bucket, 200);
      expect(limiter.failures()).toBeGreaterThan(0);
      await expect.poll(() => limiter.changes, patience).toEqual(['degraded']);
      redis.resume();
      await limiter.until('shared');
      const after = await pass(limiter, bucket, 700);
      expect([before, meanwhile, after]).toEqual([300, 200, 100]);
      expect(limiter.changes).toEqual(['degraded', 'shared']);
    });

    it('isn’t exceeded later if a process uses it up while Redis is paused', async () => {
      const redis = await startOwnRedis();
      const limiter = await openLimiter(redis.url);
      const bucket = newBucket();
      expect(await pass(limiter, bucket, 500)).toBe(500);
      redis.pause();
      expect(await pass(limiter, bucket, 500)).toBe(100);
      redis.resume();
      await limiter.until('shared');
      expect(await pass(limiter, bucket, 200)).toBe(0);
    });

    it('isn’t exceeded if Redis is killed and returns empty', async () => {
      const first = await startOwnRedis();
      const target = { host: '127.0.0.1', port: first.port };
      const proxy = await startTcpProxy(target);
      onTestFinished(proxy.close);
      const limiter = await openLimiter(`redis://127.0.0.1:${proxy.port}`);
      const bucket = newBucket();
      const before = await pass(limiter, bucket, 300);
      await first.stop();
      await limiter.until('degraded');
      const meanwhile = await pass(limiter, bucket, 200);
      target.port = (await startOwnRedis()).port;
      await limiter.until('shared');
      const after = await pass(limiter, bucket, 700);
      expect([before, meanwhile, after]).toEqual([300, 200, 100]);
    });

    it('is counted locally during the outage, and in Redis afterwards, even without a call in between', async () => {
      const redis = await startOwnRedis();
      const limiter = await openLimiter(redis.url);
      redis.pause();
      await limiter.until('degraded');
      redis.resume();
      await limiter.until('shared');
      await expect.poll(() => limiter.changes, patience).toEqual(['degraded', 'shared']);
    });
  },
);
