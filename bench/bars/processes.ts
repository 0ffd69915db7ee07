import { Redis } from 'ioredis';
import { cpuCost, sampleCpu } from '../cpu.ts';
import { defaultSizes } from '../data/sizes.ts';
import { runLoad } from '../load/run.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { findFreePort, withClient } from '../servers.ts';
import { type Setting, say, settle, withSetting, writeRequests } from '../setting.ts';
import { median } from '../statistics.ts';

/**
 * Measures the cost of a read of metrics if one to sixteen processes share the same load. Several reads share one SQL
 * statement, a batch. Reports processor time, number of connections, size of batches, and how long a batch's first read
 * waits. By default, the load is half of the maximum of one process. `--rate` sets another load, and `--load full` uses
 * the maximum of all processes.
 */
const { numbers, texts } = readOptions(
  { rounds: 2, seconds: 10, warmup: 8, connections: 64, rate: 0 },
  { rounds: 1, seconds: 1, warmup: 1, connections: 8 },
  ['processes', 'load'],
);
const { rounds, seconds, warmup, connections } = numbers;
const counts = (texts.processes ?? '1;2;4;8;16').split(';').map(Number);
/** The limit for four processes: a read may need at most this many times the processor time of one process. */
const bar = 1.25;
/** The maximum share of failed responses. If many processes share few processor cores, they reject some calls. */
const mostFailed = 0.01;

/** Each read joins two batches: one checks the caller and its rights, one writes the access record. */
const batches = ['keys', 'access_records'] as const;

/** The measured numbers. Processor times are in microseconds per read, other times in milliseconds. */
type Figures = Readonly<
  Record<
    | 'program'
    | 'postgres'
    /** The processor time of the Redis server, which may include other users of Redis. */
    | 'redis'
    | 'reads'
    | 'failed'
    | 'p50'
    | 'p99'
    | 'pooled'
    /** The mean number of reads in a batch, and the mean wait of a batch's first read. */
    | `${'size' | 'wait'} of ${(typeof batches)[number]}`,
    number
  >
>;

await withSetting({ ...defaultSizes, points: 100_000 }, async (setting) => {
  const requestsFile = writeRequests(setting, 'metrics');
  const rate =
    texts.load === 'full' ? null : numbers.rate || (await halfOfOne(setting, requestsFile));
  const measured = new Map<number, Figures[]>(counts.map((count) => [count, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const count of round % 2 === 0 ? counts : counts.toReversed()) {
      say(`round ${round + 1} of ${rounds}: ${count} processes`);
      measured.get(count)?.push(await measure(setting, requestsFile, count, rate));
    }
  }
  process.stdout.write(
    `${rate ?? 'as many as they can'} reads a second, ${connections} connections, medians of ${rounds} rounds\n`,
  );
  const costs = new Map<number, number>();
  for (const [count, each] of measured) {
    const { reads, program, postgres, redis, ...point } = mediansOf(each);
    costs.set(count, program + postgres);
    const inBatches = batches.map((name) => {
      const size = point[`size of ${name}`].toFixed(1);
      return `${name} ${size} a statement after ${point[`wait of ${name}`].toFixed(2)} ms`;
    });
    process.stdout.write(
      `${count} processes: ${reads.toFixed(0)} reads a second, ${program.toFixed(0)} + ${postgres.toFixed(0)} + ${redis.toFixed(1)} µs a read, ${Math.round(1e6 / postgres)} reads a second for a core of PostgreSQL; p50 ${point.p50.toFixed(1)} ms, p99 ${point.p99.toFixed(1)} ms; ${inBatches.join(', ')}; ${point.pooled} connections; ${point.failed} refused\n`,
    );
  }
  const [one, four] = [costs.get(1), costs.get(4)];
  if (one !== undefined && four !== undefined) {
    say(`four processes to one: ${(four / one).toFixed(2)} (bar ${bar})`);
  }
});

function mediansOf(each: readonly Figures[]): Figures {
  const names = Object.keys(each[0] ?? {}) as (keyof Figures)[];
  const medians = names.map((name) => [name, median(each.map((figures) => figures[name]))]);
  return Object.fromEntries(medians) as Figures;
}

async function halfOfOne(setting: Setting, requestsFile: string): Promise<number> {
  const service = await startProgram('ours', { ...setting, environment: { WORKERS: '1' } });
  const { requestsPerSecond } = await runLoad({
    ...{ port: service.port, requestsFile, connections, rate: null },
    ...{ warmupSeconds: warmup, seconds },
  });
  await service.stop();
  return Math.round(requestsPerSecond / 2);
}

async function measure(
  setting: Setting,
  requestsFile: string,
  count: number,
  rate: number | null,
): Promise<Figures> {
  await settle(setting.databaseUrl);
  const metricsPort = await findFreePort();
  const redis = new Redis(setting.redisUrl);
  const service = await startProgram('ours', {
    ...setting,
    environment: { WORKERS: String(count), METRICS_PORT: String(metricsPort) },
  });
  try {
    const load = { port: service.port, requestsFile, connections, warmupSeconds: 0 };
    // Processes don't share compiled code, so each of them needs as long a warm-up as a single one.
    await runLoad({ ...load, rate: null, seconds: warmup * count });
    await runLoad({ ...load, rate, seconds: warmup });
    const sample = () => sampleCpu(service.pid, setting.databaseUrl);
    const [before, pageBefore] = [await sample(), await readMetricsPage(metricsPort)];
    const redisBefore = await redisTime(redis);
    const result = await runLoad({ ...load, rate, seconds });
    const { requests, requestsPerSecond: reads, failures, latency } = result;
    const cost = cpuCost(before, await sample(), requests);
    const redisCost = ((await redisTime(redis)) - redisBefore) / requests;
    const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
    if (cost === null || failed > requests * mostFailed) {
      throw new Error(`${requests} answers, failures ${JSON.stringify(failures)}`);
    }
    const page = await readMetricsPage(metricsPort);
    const growth = (name: string) =>
      (page.get(name) ?? Number.NaN) - (pageBefore.get(name) ?? Number.NaN);
    const batchFigures = batches.flatMap((batch) => {
      const of = (what: string) => growth(`database_batch_${what}{batch="${batch}"}`);
      const statements = of('size_count');
      return [
        [`size of ${batch}`, of('size_sum') / statements],
        [`wait of ${batch}`, (of('wait_seconds_sum') * 1_000) / statements],
      ];
    });
    return {
      ...{ ...cost, reads, failed, redis: redisCost, p50: latency.p50, p99: latency.p99 },
      pooled: await countConnections(setting.databaseUrl),
      ...Object.fromEntries(batchFigures),
    };
  } finally {
    redis.disconnect();
    await service.stop();
  }
}

/** Returns the value of each metric series. The key is the series' name with its labels. */
async function readMetricsPage(port: number): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return new Map(
    [...text.matchAll(/^([^#\s]+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
  );
}

/** Returns the processor time of all threads of Redis, in microseconds. */
async function redisTime(redis: Redis): Promise<number> {
  const information = await redis.info('cpu');
  const value = (name: string) => Number(new RegExp(`^${name}:(\\S+)`, 'm').exec(information)?.[1]);
  return (value('used_cpu_sys') + value('used_cpu_user')) * 1e6;
}

async function countConnections(databaseUrl: string): Promise<number> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query(
      `select count(*)::int as connections from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    ),
  );
  return rows[0].connections;
}
