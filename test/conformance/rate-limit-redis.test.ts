import { afterAll, describe, expect, it } from 'vitest';
import { closedAfterTest } from '../support/closed.ts';
import { findRedis } from '../support/redis.ts';
import { startService } from '../support/service.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const redis = await findRedis();
afterAll(() => redis?.stop());

describe.skipIf(redis === null)('a service whose Redis fails', () => {
  it.each(['cut', 'hang'] as const)(
    'still answers a hundred simultaneous requests, and /readyz reports both ends of the outage (%s)',
    async (fault) => {
      const address = { host: redis?.host ?? '', port: redis?.port ?? 0 };
      const proxy = await closedAfterTest(startTcpProxy(address));
      const service = await closedAfterTest(
        startService({
          storage: { memory: true },
          environment: { REDIS_URL: `redis://127.0.0.1:${proxy.port}` },
        }),
      );
      const { key } = await service.fixtures.portfolio();
      const readiness = async () => (await service.get('/readyz')).body;
      const isShared = { status: 'ok', rate_limiter: 'shared' };
      await expect.poll(readiness).toMatchObject(isShared);

      proxy[fault]();
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => service.get('/v1/companies', key)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
      const degraded = await service.get('/readyz');
      expect(degraded.status).toBe(200);
      expect(degraded.body).toMatchObject({ status: 'degraded', rate_limiter: 'degraded' });

      proxy.open();
      await expect.poll(readiness).toMatchObject(isShared);
    },
  );
});
