import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import {
  createMigratedPostgresDatabase,
  type FreshDatabase,
  whyNoPostgres,
} from '../support/databases.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { asOperator } from './support/consents.ts';
import { RedisServer } from './support/redis-server.ts';
import { until } from './support/until.ts';

const whyNot = await whyNoPostgres();
const probe = await RedisServer.start();
await probe?.kill();
if (probe === null || whyNot !== null) {
  console.error('SKIPPED: faults of Redis: it takes an installed Redis and a PostgreSQL');
}

/** The window of the limit lasts longer than any test. */
const limit = 300;
const windowSeconds = '600';

/** The maximum delay that the outage may add to an answer. */
const addedMilliseconds = 50;

describe.skipIf(probe === null || whyNot !== null)('Redis', () => {
  let database: FreshDatabase;
  let redis: RedisServer;
  const services: RunningService[] = [];
  const clients: HttpClient[] = [];

  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
  });
  afterAll(async () => {
    killLeftovers();
    await database?.drop();
  });
  beforeEach(async () => {
    const started = await RedisServer.start();
    if (started === null) throw new Error('Redis did not start');
    redis = started;
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await Promise.all(services.splice(0).map((service) => service.stop('SIGKILL')));
    await redis.kill();
  });

  async function serve(count: number, redisUrl = redis.url): Promise<string> {
    const { key } = await asOperator(database.url, (side) =>
      side.fixtures.portfolio({ rateLimit: limit }),
    );
    const environment = {
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl,
      RATE_LIMIT_POINTS: `600/${windowSeconds}`,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
    };
    for (let index = 0; index < count; index += 1) {
      services.push(await startServiceProcess(environment));
      clients.push(createHttpClient(services[index]?.url ?? ''));
    }
    return key;
  }

  /** Sends calls to each process in turn, and expects that each call is served or rate-limited. */
  async function spend(key: string, count: number) {
    const times: number[] = [];
    let served = 0;
    for (let index = 0; index < count; index += 1) {
      const client = clients[index % clients.length] as HttpClient;
      const startedAt = performance.now();
      const { status } = await client.call('GET', '/v1/access-requests', { key });
      times.push(performance.now() - startedAt);
      expect([200, 429]).toContain(status);
      if (status === 200) served += 1;
    }
    const sorted = times.toSorted((one, other) => one - other);
    const round = (time = 0) => Math.round(time * 10) / 10;
    return { served, median: round(sorted[count >> 1]), slowest: round(sorted.at(-1)) };
  }

  const health = async (service: RunningService) =>
    (await (await fetch(`${service.url}/readyz`)).json()).rate_limiter;

  interface Fault {
    readonly name: string;
    readonly begin: () => Promise<unknown> | unknown;
    readonly end: () => Promise<unknown> | unknown;
  }

  const replica = () => redis.ask('REPLICAOF', '127.0.0.1', '1');

  const faults: Fault[] = [
    { name: 'stopped, and back with nothing', begin: () => redis.kill(), end: () => redis.start() },
    { name: 'hanging', begin: () => redis.freeze(), end: () => redis.thaw() },
    { name: 'read-only', begin: replica, end: () => redis.ask('REPLICAOF', 'NO', 'ONE') },
    {
      name: 'full',
      begin: () => redis.ask('CONFIG', 'SET', 'maxmemory', '1'),
      end: () => redis.ask('CONFIG', 'SET', 'maxmemory', '0'),
    },
  ];

  test.each(faults)(
    '$name: a single process continues to count, and never exceeds the limit',
    async ({ name, begin, end }) => {
      const key = await serve(1);
      const before = await spend(key, 100);
      await begin();
      const during = await spend(key, 100);
      await expect.poll(() => health(services[0] as RunningService)).toBe('degraded');
      await end();
      await expect.poll(() => health(services[0] as RunningService)).toBe('shared');
      const after = await spend(key, 150);
      const served = before.served + during.served + after.served;
      console.log(`Redis ${name}: ${JSON.stringify({ served, before, during, after })}`);
      expect(during.median).toBeLessThan(before.median + addedMilliseconds);
      // A call may count twice if Redis didn't answer in time, so fewer calls may be served.
      expect(served).toBeLessThanOrEqual(limit);
      expect(served).toBeGreaterThan(limit - 10);
    },
  );

  test.each(faults)('$name: two processes never allow more than twice the limit', async (fault) => {
    const key = await serve(2);
    const first = await spend(key, 100);
    await fault.begin();
    const during = await spend(key, 700);
    await fault.end();
    await expect.poll(() => health(services[0] as RunningService)).toBe('shared');
    await expect.poll(() => health(services[1] as RunningService)).toBe('shared');
    const after = await spend(key, 100);
    expect(first.served).toBe(100);
    expect(first.served + during.served + after.served).toBeLessThanOrEqual(2 * limit);
    expect(after.served).toBe(0);
  });

  test('is replaced by its replica, and the count continues', async () => {
    const target = { host: '127.0.0.1', port: redis.port };
    const proxy = await startTcpProxy(target);
    const key = await serve(1, `redis://127.0.0.1:${proxy.port}`);
    const next = await RedisServer.start();
    if (next === null) throw new Error('Redis did not start');
    try {
      const before = await spend(key, 100);
      await next.ask('REPLICAOF', '127.0.0.1', String(redis.port));
      await until(async () =>
        String(await next.ask('INFO', 'replication')).includes('master_link_status:up'),
      );
      await redis.kill();
      const between = await spend(key, 50);
      await next.ask('REPLICAOF', 'NO', 'ONE');
      proxy.cut();
      target.port = next.port;
      proxy.open();
      await expect.poll(() => health(services[0] as RunningService)).toBe('shared');
      const after = await spend(key, 200);
      const served = before.served + between.served + after.served;
      console.log(`Redis replaced: ${JSON.stringify({ served, between, after })}`);
      expect(served).toBeLessThanOrEqual(limit);
      expect(served).toBeGreaterThan(limit - 10);
    } finally {
      await proxy.close();
      await next.kill();
    }
  });

  test('loses a node of a cluster, the node returns, and the count continues', async () => {
    const nodes = await startRedisCluster();
    if (nodes === null) throw new Error('the cluster did not start');
    try {
      const key = await serve(1, nodes.url);
      const before = await spend(key, 100);
      // Each node is lost in turn, including the one with this key's count.
      const between = { served: 0 };
      for (const node of [0, 1, 2]) {
        await nodes.kill(node);
        between.served += (await spend(key, 30)).served;
        await nodes.revive(node);
        await expect.poll(() => health(services[0] as RunningService)).toBe('shared');
      }
      const after = await spend(key, 200);
      const served = before.served + between.served + after.served;
      console.log(`a node of a cluster lost: ${JSON.stringify({ served, after })}`);
      expect(served).toBeLessThanOrEqual(limit);
      expect(served).toBeGreaterThan(limit - 20);
    } finally {
      await nodes.stop();
    }
  });
});
