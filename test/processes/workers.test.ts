import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { postgres } from '../support/backends.ts';
import { expectOk } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { openOperatorSide } from '../support/operator.ts';
import {
  killLeftovers,
  type RunningService,
  startProcess,
  startServiceProcess,
} from '../support/processes.ts';
import { isFull } from '../support/property-runs.ts';
import { findFreePort, findRedis } from '../support/redis.ts';

const redis = await findRedis();
const patience = { timeout: 60_000 };
const isPossible = redis !== null && !postgres.isUnreachable;

afterAll(() => redis?.stop());

describe.skipIf(!isPossible)(`several workers on ${postgres.name}`, () => {
  let environment: Record<string, string>;
  let metricsUrl: string;
  let release: () => Promise<void>;

  beforeAll(async () => {
    const opened = await postgres.open();
    release = opened.release;
    environment = {
      DATABASE_URL: 'databaseUrl' in opened.storage ? opened.storage.databaseUrl : '',
      REDIS_URL: redis?.url ?? '',
      WORKERS: '2',
    };
  });
  afterAll(async () => {
    killLeftovers();
    await release();
  });

  const linesWith = (service: RunningService, message: string) =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes(`"msg":"${message}"`))
      .map((line) => JSON.parse(line));

  async function start(more: Record<string, string> = {}): Promise<RunningService> {
    const METRICS_PORT = String(await findFreePort());
    metricsUrl = `http://127.0.0.1:${METRICS_PORT}/metrics`;
    const service = await startServiceProcess({ ...environment, METRICS_PORT, ...more });
    await vi.waitUntil(() => linesWith(service, 'listening').length === 2, patience);
    return service;
  }

  /** Each request has its own connection, so that all workers get some of them. */
  async function ask(service: RunningService, count: number): Promise<number[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        const headers = { connection: 'close' };
        return (await fetch(`${service.url}/healthz`, { headers })).status;
      }),
    );
  }

  async function healthChecks(): Promise<number> {
    const text = await (await fetch(metricsUrl)).text();
    return Number(/^requests_total\{[^}]*operation="health"[^}]*\} (\d+)$/m.exec(text)?.[1]);
  }

  describe('of one service, with the demo', () => {
    let service: RunningService;

    beforeAll(async () => {
      service = await start({ RATE_LIMIT_POINTS: '10', DEMO: 'on', LOG_LEVEL: 'debug' });
    });

    it('share one port, and the metrics are the sums of all workers', async () => {
      expect(await ask(service, 20)).toEqual(Array.from({ length: 20 }, () => 200));
      await expect.poll(() => linesWith(service, 'request').length, patience).toBe(20);
      const pids = linesWith(service, 'request').map(({ pid }) => pid);
      expect(new Set(pids).size).toBe(2);
      expect(await healthChecks()).toBe(20);
    });

    it('share the rate limit of a key', async () => {
      const side = await openOperatorSide(environment);
      const { key } = await side.fixtures.portfolio();
      await side.close();
      const statuses = await Promise.all(
        Array.from({ length: 16 }, async () => {
          const headers = { authorization: `Bearer ${key}`, connection: 'close' };
          return (await fetch(`${service.url}/v1/companies`, { headers })).status;
        }),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(6);
    });

    it('set up the demo once, and print its key once', async () => {
      expect(service.output().match(/svc_sk_test_[0-9A-Za-z]{32}$/gm)).toHaveLength(1);
      const key = /svc_sk_test_[0-9A-Za-z]{32}/.exec(service.output())?.[0] ?? '';
      const client = createHttpClient(service.url);
      expectOk(await client.call('GET', '/v1/companies/co_harbor/metrics', { key }));
      client.close();
    });

    it('all serve GraphiQL in the demo', async () => {
      const statuses = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const headers = { accept: 'text/html', connection: 'close' };
          return (await fetch(`${service.url}/graphql`, { headers, method: 'HEAD' })).status;
        }),
      );
      expect(statuses).toEqual(statuses.map(() => 200));
    });

    it('serve their metrics even if one worker hangs', async () => {
      const [, hanging] = linesWith(service, 'listening');
      process.kill(hanging.pid, 'SIGSTOP');
      const metrics = await fetch(metricsUrl);
      expect(metrics.status).toBe(200);
      const text = await metrics.text();
      expect(text).toContain('process_resident_memory_bytes');
      expect(text).toMatch(/^service_processes\{version="[\d.]+"\} 1$/m);
      // A counter that decreases would look like a restart, so the hanging worker still counts.
      expect(await healthChecks()).toBe(20);
      process.kill(hanging.pid, 'SIGCONT');
    });

    it('continue if one worker is killed, and a new worker replaces it', async () => {
      const [victim] = linesWith(service, 'listening');
      const before = await healthChecks();
      process.kill(victim.pid, 'SIGKILL');
      await service.waitFor(/another starts/);
      expect(await ask(service, 4)).toEqual([200, 200, 200, 200]);
      await expect.poll(() => linesWith(service, 'listening').length, patience).toBe(3);
      const [ended = ''] = service.output().match(/^.*"a worker ended; another starts".*$/gm) ?? [];
      expect(JSON.parse(ended)).toMatchObject({ worker_pid: victim.pid, signal: 'SIGKILL' });
      expect(ended.match(/"pid":/g)).toHaveLength(1);
      await expect.poll(healthChecks, patience).toBe(before + 4);
      expect(await service.stop()).toEqual({ code: 0, signal: null });
      expect(linesWith(service, 'stopped')).toHaveLength(3);
    });
  });

  it.runIf(isFull)(
    'end with the process that started them, even if that process is killed',
    async () => {
      const service = await start();
      const pids = linesWith(service, 'listening').map(({ pid }) => pid as number);
      service.child.kill('SIGKILL');
      const isGone = (pid: number) => {
        try {
          return process.kill(pid, 0) && false;
        } catch {
          return true;
        }
      };
      await expect.poll(() => pids.every(isGone), patience).toBe(true);
      // Each worker finished its requests before it ended.
      const stopped = linesWith(service, 'stopped').map(({ pid }) => pid);
      expect(stopped.toSorted()).toEqual(pids.toSorted());
    },
  );

  it.runIf(isFull)(
    'all stop when the service is stopped, even while some are still starting',
    async () => {
      const service = await startServiceProcess({ ...environment, WORKERS: '3' });
      expect(await service.stop()).toEqual({ code: 0, signal: null });
    },
  );

  it.runIf(isFull)('do not start if the first worker fails to start', async () => {
    const url = new URL(environment.DATABASE_URL ?? '');
    url.pathname = '/no_such_database';
    const lost = startProcess({ ...environment, DATABASE_URL: url.href });
    expect(await lost.exited).toMatchObject({ code: 1 });
    expect(lost.output()).toContain('could not start');
  });
});
