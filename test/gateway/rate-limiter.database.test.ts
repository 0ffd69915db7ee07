import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RateLimiterHealth } from '../../gateway/rate-limit/process-rate-limiter.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { describeRateLimiter, rateLimiterPolicy } from '../contracts/rate-limiter.contract.ts';
import { findFreePort, findRedis } from '../support/redis.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const patience = { timeout: 60_000 };

const redis = await findRedis();
const redisCluster = await startRedisCluster();
afterAll(() => Promise.all([redis?.stop(), redisCluster?.stop()]));

function openLimiter(url: string | null) {
  const changes: RateLimiterHealth[] = [];
  const rateLimiter = createRateLimiter({
    ...rateLimiterPolicy,
    redisUrls: url?.split(',') ?? null,
    onChange: (health) => changes.push(health),
  });
  return { rateLimiter, changes, close: rateLimiter.close };
}

const untilShared = ({ rateLimiter }: ReturnType<typeof openLimiter>) =>
  vi.waitFor(() => expect(rateLimiter.health()).toBe('shared'), patience);

describeRateLimiter('in this process', () => openLimiter(null));

describe.skipIf(redis === null)('with Redis', () => {
  const url = redis?.url ?? '';

  describeRateLimiter('in Redis', async () => {
    const opened = openLimiter(url);
    await untilShared(opened);
    return opened;
  });

  it('two processes share the limit of a caller', async () => {
    const [one, other] = [openLimiter(url), openLimiter(url)];
    await Promise.all([untilShared(one), untilShared(other)]);
    const bucket = `bucket-${randomUUID()}`;
    await one.rateLimiter.spend(bucket, 3);
    expect(await other.rateLimiter.spend(bucket, 1)).toMatchObject({ points: 4 });
    one.close();
    other.close();
  });

  describe('that fails', () => {
    let proxy: TcpProxy;

    beforeAll(async () => {
      proxy = await startTcpProxy({ host: redis?.host ?? '', port: redis?.port ?? 0 });
    });
    afterAll(() => proxy.close());

    it.each([
      ['hangs', () => proxy.hang()],
      ['is gone', () => proxy.cut()],
    ])(
      'the limiter counts in each process while Redis %s, and shares its counts again afterwards',
      async (_how, fail) => {
        proxy.open();
        const opened = openLimiter(`redis://127.0.0.1:${proxy.port}`);
        await untilShared(opened);
        opened.changes.length = 0;

        fail();
        const bucket = `bucket-${randomUUID()}`;
        for (const points of [1, 2, 3]) {
          expect(await opened.rateLimiter.spend(bucket, 1)).toMatchObject({ points });
        }
        expect(opened.rateLimiter.health()).toBe('degraded');
        await expect.poll(() => opened.changes, patience).toEqual(['degraded']);

        proxy.open();
        await untilShared(opened);
        await expect.poll(() => opened.changes, patience).toEqual(['degraded', 'shared']);
        opened.close();
      },
    );
  });
});

describe.skipIf(redisCluster === null)('with a Redis cluster of three nodes', () => {
  const url = redisCluster?.url ?? '';

  describeRateLimiter('in a Redis cluster', async () => {
    const opened = openLimiter(url);
    await untilShared(opened);
    return opened;
  });

  it('two processes share the limits of many keys, on every node', async () => {
    const [one, other] = [openLimiter(url), openLimiter(url)];
    await Promise.all([untilShared(one), untilShared(other)]);
    await Promise.all([one.rateLimiter.settle(), other.rateLimiter.settle()]);
    for (const { changes } of [one, other]) changes.length = 0;
    const buckets = Array.from({ length: 30 }, () => `bucket-${randomUUID()}`);
    const spend = ({ rateLimiter }: typeof one) =>
      Promise.all(buckets.map((bucket) => rateLimiter.spend(bucket, 2)));
    await spend(one);
    expect((await spend(other)).map(({ points }) => points)).toEqual(buckets.map(() => 4));
    expect([...one.changes, ...other.changes]).toEqual([]);
    one.close();
    other.close();
  });

  it.each([1, 2])(
    'two processes share the limit of a caller if REDIS_URL contains only node %i',
    async (node) => {
      const named = url.split(',')[node] ?? '';
      const [one, other] = [openLimiter(named), openLimiter(named)];
      await Promise.all([untilShared(one), untilShared(other)]);
      // With this many buckets, each node of the cluster gets at least one.
      for (const bucket of Array.from({ length: 12 }, () => `bucket-${randomUUID()}`)) {
        const spent: number[] = [];
        for (let call = 0; call < 6; call += 1) {
          for (const { rateLimiter } of [one, other]) {
            spent.push((await rateLimiter.spend(bucket, 1)).points);
          }
        }
        expect(spent.filter((points) => points <= 10)).toHaveLength(10);
      }
      one.close();
      other.close();
    },
  );

  it('the limiter joins the cluster if the configured node is down at the start and returns later', async () => {
    const { hostname, port } = new URL(url.split(',')[0] ?? '');
    const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
    proxy.cut();
    const opened = openLimiter(`redis://127.0.0.1:${proxy.port}`);
    await opened.rateLimiter.settle();
    expect(opened.rateLimiter.health()).toBe('degraded');
    proxy.open();
    await untilShared(opened);
    const other = openLimiter(url);
    await untilShared(other);
    for (const bucket of Array.from({ length: 12 }, () => `bucket-${randomUUID()}`)) {
      await opened.rateLimiter.spend(bucket, 1);
      expect(await other.rateLimiter.spend(bucket, 1)).toMatchObject({ points: 2 });
    }
    opened.close();
    other.close();
    await proxy.close();
  });

  it('the limiter joins the cluster after its first MOVED reply if its Redis user may not call INFO', async () => {
    const [named = ''] = url.split(',');
    for (const node of url.split(',')) {
      const client = new Redis(node);
      await client.call('ACL', 'SETUSER', 'limiter', 'on', '>secret', '~*', '+@all', '-info');
      client.disconnect();
    }
    const opened = openLimiter(named.replace('redis://', 'redis://limiter:secret@'));
    const other = openLimiter(url);
    await untilShared(other);
    await vi.waitFor(async () => {
      for (const bucket of Array.from({ length: 12 }, () => `bucket-${randomUUID()}`)) {
        await opened.rateLimiter.spend(bucket, 1);
        expect(await other.rateLimiter.spend(bucket, 1)).toMatchObject({ points: 2 });
      }
      expect(opened.rateLimiter.health()).toBe('shared');
    }, patience);
    other.close();
    opened.close();
  });

  it('the limiter still counts each call if nodes of the cluster are lost', async () => {
    const opened = openLimiter(url);
    await untilShared(opened);
    opened.changes.length = 0;
    await redisCluster?.kill(0);
    await redisCluster?.kill(1);
    const bucket = `bucket-${randomUUID()}`;
    for (let call = 0; call < 20; call += 1) {
      const spending = await opened.rateLimiter.spend(`${bucket}-${call}`, 1);
      expect(spending).toMatchObject({ points: 1 });
    }
    await expect.poll(() => opened.changes, patience).toContain('degraded');
    opened.close();
  });
});

it('the limiter counts in its own process if Redis was never reachable', async () => {
  const opened = openLimiter(`redis://127.0.0.1:${await findFreePort()}`);
  await opened.rateLimiter.settle();
  expect(opened.rateLimiter.health()).toBe('degraded');
  expect(await opened.rateLimiter.spend('bucket', 1)).toMatchObject({ points: 1 });
  opened.close();
});

describe('calls with many invented credentials', () => {
  function open() {
    const opened = openLimiter(null);
    const spend = async (bucket: string, points = 1) =>
      (await opened.rateLimiter.spend(bucket, points)).points;
    const flood = async (others: number, points = 1) => {
      for (let other = 0; other < others; other += 1) await spend(`made-up-${other}`, points);
    };
    return { spend, flood, close: opened.close };
  }

  it('leave a used-up limit in force, up to 200,000 of these credentials', async () => {
    const { spend, flood, close } = open();
    expect(await spend('busy', 50)).toBe(50);
    await flood(199_999);
    expect(await spend('busy', 0)).toBe(50);
    await flood(200_001);
    expect(await spend('busy', 0)).toBe(0);
    close();
  });
});

it('a limiter without Redis allows a full limit again in the next window, however many points were spent', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const opened = openLimiter(null);
  for (const points of [1, 500]) {
    const bucket = `bucket-${points}`;
    await opened.rateLimiter.spend(bucket, points);
    vi.advanceTimersByTime(59_999);
    expect(await opened.rateLimiter.spend(bucket, 1)).toEqual({
      points: points + 1,
      millisecondsLeft: 1,
    });
    vi.advanceTimersByTime(1);
    expect(await opened.rateLimiter.spend(bucket, 1)).toEqual({
      points: 1,
      millisecondsLeft: 60_000,
    });
  }
  vi.useRealTimers();
  opened.close();
});
