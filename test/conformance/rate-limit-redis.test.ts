import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import { findRedis } from '../support/redis.ts';
import { startService, type TestService } from '../support/service.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const redis = await findRedis();

const remaining = ({ headers }: { headers: Record<string, unknown> }) =>
  Number(headers['ratelimit-remaining']);

const points = { RATE_LIMIT_POINTS: '10' };

async function readiness({ get }: TestService) {
  const { status, body } = await get('/readyz');
  return { status, ...body };
}

describe.skipIf(redis === null)('the rate limit with Redis', () => {
  let proxy: TcpProxy;
  const services: TestService[] = [];
  const address = { host: redis?.host ?? '', port: redis?.port ?? 0 };

  const start = async (redisPort: number): Promise<TestService> => {
    const service = await startService({
      storage: { memory: true },
      environment: { ...points, REDIS_URL: `redis://127.0.0.1:${redisPort}` },
    });
    services.push(service);
    return service;
  };

  beforeAll(async () => {
    proxy = await startTcpProxy(address);
  });
  afterAll(async () => {
    for (const service of services) await service.close();
    await proxy?.close();
    await redis?.stop();
  });

  it('counts the calls of an unknown credential over all processes', async () => {
    const [first, second] = [await start(proxy.port), await start(proxy.port)];
    await untilShared(first);
    await untilShared(second);
    const stranger = `svc_sk_live_${crypto.randomUUID().replaceAll('-', '')}`;
    const left = [];
    for (const { get } of [first, second, first, second]) {
      left.push(remaining(await get('/v1/companies', stranger)));
    }
    expect(left).toEqual([9, 8, 7, 6]);
  });

  /** Expects that this process allows the whole rate limit on its own and reports it. */
  async function expectOwnLimit(service: TestService, key: string): Promise<void> {
    const left = [];
    for (let count = 0; count < 10; count += 1) {
      const answer = await service.get('/v1/companies', key);
      expectOk(answer);
      left.push(remaining(answer));
    }
    expect(left).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expectRefusal(await service.get('/v1/companies', key), 'rate_limit_exceeded');
    expect(await readiness(service)).toMatchObject({
      status: 'degraded',
      rate_limiter: 'degraded',
    });
  }

  it('is counted per process if Redis is down from the start, and /readyz reports it', async () => {
    const nowhere = await startTcpProxy(address);
    nowhere.cut();
    const service = await start(nowhere.port);
    const { key } = await service.fixtures.portfolio();
    await expectOwnLimit(service, key);
    expect((await service.get('/readyz')).status).toBe(200);
    await nowhere.close();
  });

  it.each(['cut', 'hang'] as const)(
    'is counted per process during an outage of Redis (%s), and by Redis again afterwards',
    async (fault) => {
      const broken = await startTcpProxy(address);
      const service = await start(broken.port);
      const { key } = await service.fixtures.portfolio();
      expect(await untilShared(service)).toMatchObject({ status: 'ok', rate_limiter: 'shared' });

      broken[fault]();
      await expectOwnLimit(service, key);
      const { company, key: reader } = await service.fixtures.readablePortfolio();
      expectOk(await service.get(`/v1/companies/${company.id}/metrics`, reader));

      broken.open();
      expect(await untilShared(service)).toMatchObject({ status: 'ok', rate_limiter: 'shared' });
      await broken.close();
    },
  );

  it('doesn’t stop a hundred simultaneous requests while Redis hangs', async () => {
    const silent = await startTcpProxy(address);
    silent.hang();
    const service = await start(silent.port);
    const { key } = await service.fixtures.portfolio({ rateLimit: 100 });
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => service.get('/v1/companies', key)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expectRefusal(await service.get('/v1/companies', key), 'rate_limit_exceeded');
    await silent.close();
  });
});

/** Waits until the service is connected to Redis. */
async function untilShared(service: TestService) {
  for (;;) {
    const told = await readiness(service);
    if (told.rate_limiter === 'shared') return told;
  }
}
