import { once } from 'node:events';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { readVersion } from '../../gateway/version.ts';
import { postgres, postgresWithRoles } from '../support/backends.ts';
import { openOperatorSide } from '../support/operator.ts';
import {
  killLeftovers,
  type RunningService,
  serveCommand,
  startProcess,
  startServiceProcess,
} from '../support/processes.ts';
import { isFull } from '../support/property-runs.ts';
import { findFreePort, findRedis } from '../support/redis.ts';

const redis = await findRedis();
const patience = { timeout: 60_000 };

afterAll(() => redis?.stop());

describe.skipIf(redis === null || postgres.isUnreachable)('a start of the service', () => {
  let environment: Record<string, string>;
  let release: () => Promise<void>;

  beforeAll(async () => {
    const opened = await postgresWithRoles.open();
    if (!('operatorUrl' in opened.storage)) throw new Error('there are no roles');
    const { databaseUrl: DATABASE_URL, operatorUrl = '' } = opened.storage;
    release = opened.release;
    environment = {
      DATABASE_URL,
      REDIS_URL: redis?.url ?? '',
      SIGNING_KEY_FILE: inject('signingKeyFile'),
    };
    await (await openOperatorSide({ ...environment, DATABASE_URL: operatorUrl })).close();
  });
  afterAll(() => release());
  afterEach(killLeftovers);

  const complaints = (service: RunningService) =>
    service.output().match(/^\{"level":(40|50|60).*$/gm) ?? [];

  const stack = /"stack"|\n\s+at /;

  const ways = [undefined, serveCommand];

  /** By default, only Linux has a second loopback address. */
  const elsewhere = process.platform === 'linux' ? { HOST: '127.0.0.2' } : {};

  it.each(isFull ? ['1', '2'] : ['1'])(
    'logs no warning with complete settings, even at the stop, and serves metrics only on 127.0.0.1 (WORKERS=%s)',
    async (WORKERS) => {
      for (const way of isFull ? ways : ways.slice(1)) {
        const METRICS_PORT = String(await findFreePort());
        const settings = { ...environment, ...elsewhere, METRICS_PORT, WORKERS };
        const service = await startServiceProcess(settings, way);
        const listening = () => service.output().match(/"msg":"listening"/g)?.length;
        await expect.poll(listening, patience).toBe(Number(WORKERS));
        expect(await (await fetch(`${service.url}/readyz`)).json()).toMatchObject({
          status: 'ok',
          rate_limiter: 'shared',
        });
        expect((await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).status).toBe(200);
        if ('HOST' in elsewhere) {
          const outside = fetch(`http://${elsewhere.HOST}:${METRICS_PORT}/metrics`);
          await expect(outside).rejects.toThrow();
        }
        expect(await service.stop()).toEqual({ code: 0, signal: null });
        expect(complaints(service)).toEqual([]);
        expect(service.output()).not.toMatch(stack);
        const starting = service.output().match(/^.*"msg":"starting".*$/gm) ?? [];
        expect(starting.map((line) => JSON.parse(line))).toMatchObject([
          { level: 30, version: readVersion(), workers: Number(WORKERS) },
        ]);
      }
    },
  );

  it('logs a warning if one database role is used for everything', async () => {
    const one = new URL(environment.DATABASE_URL ?? '');
    one.username = one.username.replace('_service', '_background');
    const service = await startServiceProcess({ ...environment, DATABASE_URL: one.href });
    await service.stop();
    expect(complaints(service)).toEqual([expect.stringContaining('share one role')]);
  });

  it.runIf(isFull)(
    'logs once that each process has its own rate limit if Redis is down, with the reason',
    async () => {
      const REDIS_URL = `redis://127.0.0.1:${await findFreePort()}`;
      const service = await startServiceProcess({ ...environment, REDIS_URL });
      expect(complaints(service).map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({
          level: 40,
          msg: 'Redis does not answer: the rate limit is counted per process',
          reason: expect.stringContaining('ECONNREFUSED'),
        }),
      ]);
      expect(await service.stop()).toEqual({ code: 0, signal: null });
      expect(service.output()).not.toMatch(stack);
    },
  );

  it.runIf(isFull)('logs that the password for Redis is wrong, but not the password', async () => {
    const url = new URL(redis?.url ?? '');
    url.username = 'nobody';
    url.password = 'a-secret';
    const service = await startServiceProcess({ ...environment, REDIS_URL: url.href });
    expect(complaints(service)).toEqual([expect.stringContaining('WRONGPASS')]);
    await service.stop();
    expect(service.output()).not.toContain('a-secret');
    expect(service.output()).not.toMatch(stack);
  });

  for (const WORKERS of ['1', '2']) {
    it.runIf(isFull)(
      `fails with the reason if the port for metrics is already in use (WORKERS=${WORKERS})`,
      async () => {
        const taken = net.createServer().listen(0, '127.0.0.1');
        await once(taken, 'listening');
        const { port } = taken.address() as net.AddressInfo;
        const second = startProcess({ ...environment, METRICS_PORT: String(port), WORKERS });
        expect(await second.exited).toMatchObject({ code: 1 });
        expect(second.output()).toMatch(
          new RegExp(`^portfolio-access could not start: .*EADDRINUSE.*${port}`, 'm'),
        );
        expect(second.output()).not.toMatch(stack);
        taken.close();
      },
    );

    if (process.platform !== 'linux') continue;
    it.runIf(isFull)(
      `serves its metrics at the address in METRICS_PORT (WORKERS=${WORKERS})`,
      async () => {
        const METRICS_PORT = `127.0.0.3:${await findFreePort()}`;
        const moved = { ...elsewhere, METRICS_PORT, WORKERS };
        const service = await startServiceProcess({ ...environment, ...moved });
        expect((await fetch(`http://${METRICS_PORT}/metrics`)).status).toBe(200);
        await service.stop();
      },
    );
  }
});
