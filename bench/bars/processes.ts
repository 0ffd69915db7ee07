import { Redis } from 'ioredis';
import { cpuCost, sampleCpu } from '../cpu.ts';
import { defaultSizes } from '../data/sizes.ts';
import { runLoad } from '../load/run.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { findFreePort, withClient } from '../servers.ts';
import { type Setting, say, settle, withSetting, writeRequests } from '../setting.ts';
import { median } from '../statistics.ts';
import { readMetricsPage } from './metrics-page.ts';

/**
 * Measures the cost of a read of metrics if one, two, four, eight and sixteen processes share the same load: their
 * processor time, that of PostgreSQL and Redis, the size of batches, the wait of the first question of a batch, and the
 * number of connections. The load is half of the maximum of one process, or `--rate`, or the maximum of all with
 * `--load full`. The script predicts the values between the fewest and the most processes from these two, and the needs
 * of many machines from one process.
 */
const { numbers, texts } = readOptions(
  { rounds: 2, seconds: 10, warmup: 8, connections: 64, rate: 0 },
  { rounds: 1, seconds: 1, warmup: 1, connections: 8 },
  ['processes', 'load'],
);
const { rounds, seconds, warmup, connections } = numbers;
const counts = (texts.processes ?? '1;2;4;8;16')
  .split(';')
  .map(Number)
  .toSorted((one, other) => one - other);
/** The maximum factor of the processor time of four processes, compared with one. */
const bar = 1.25;
/**
 * The part of all answers that may fail: if there are many more processes than cores, some calls find the service busy.
 */
const mostFailed = 0.01;
/** The maximum factor between prediction and measurement, in both directions. */
const exactness = 1.2;

/** The two batches of every read: the caller with its rights, and the access record. */
const batches = ['keys', 'access_records'] as const;
type BatchName = (typeof batches)[number];

/** Processor times in microseconds per read, the others in milliseconds. */
type Figures = Readonly<
  Record<
    | 'program'
    | 'postgres'
    /** Includes other users of the Redis server. */
    | 'redis'
    | 'reads'
    | 'failed'
    | 'p50'
    | 'p99'
    | 'pooled'
    /** The mean number of questions in a statement of this batch, and the mean wait of its first one. */
    | `${'size' | 'wait'} of ${BatchName}`,
    number
  >
>;

/** The median of each figure over the rounds. */
type Point = Figures & { readonly count: number };

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
  const points = [...measured].map(([count, each]) => ({ count, ...mediansOf(each) }));
  for (const { count, reads, program, postgres, redis, ...point } of points) {
    const told = batches.map((name) => {
      const size = point[`size of ${name}`].toFixed(1);
      return `${name} ${size} a statement after ${point[`wait of ${name}`].toFixed(2)} ms`;
    });
    process.stdout.write(
      `${count} processes: ${reads.toFixed(0)} reads a second, ${program.toFixed(0)} + ${postgres.toFixed(0)} + ${redis.toFixed(1)} µs a read, ${Math.round(1e6 / postgres)} reads a second for a core of PostgreSQL; p50 ${point.p50.toFixed(1)} ms, p99 ${point.p99.toFixed(1)} ms; ${told.join(', ')}; ${point.pooled} connections; ${point.failed} refused\n`,
    );
  }
  const costOf = (wanted: number) => {
    const point = points.find(({ count }) => count === wanted);
    return point && point.program + point.postgres;
  };
  const [one, four] = [costOf(1), costOf(4)];
  if (one !== undefined && four !== undefined) {
    say(`four processes to one: ${(four / one).toFixed(2)} (bar ${bar})`);
  }
  predict(points);
  const alone = points.find(({ count }) => count === 1);
  if (alone !== undefined) tellNeeds(alone);
});

function mediansOf(each: readonly Figures[]): Figures {
  const names = Object.keys(each[0] ?? {}) as (keyof Figures)[];
  const medians = names.map((name) => [name, median(each.map((figures) => figures[name]))]);
  return Object.fromEntries(medians) as Figures;
}

/**
 * Assumes many processes, each with its own core and the load of the measured one, so their batches have the same size.
 */
function tellNeeds({ program, postgres, redis, pooled, reads }: Point): void {
  const busy = Math.round((reads * program) / 1e4);
  for (const cores of [8, 64, 512]) {
    const all = Math.round(cores * reads);
    const needed = (cost: number) => ((all * cost) / 1e6).toFixed(1);
    process.stdout.write(
      `${cores} cores of service, each ${busy} % busy: ${all} reads a second, ${needed(postgres)} cores of PostgreSQL, ${needed(redis)} of Redis, ${cores * pooled} connections\n`,
    );
  }
}

/**
 * A read has a cost of its own plus an equal share of its batch's cost. Both come from the fewest and the most
 * processes, because two similar numbers prove nothing. If a process has an nth of the load, an nth of the questions
 * arrive while a batch runs.
 */
function predict(points: readonly Point[]): void {
  const sizeOf = (point: Point) => point['size of access_records'];
  const [fewest, most] = [points.at(0), points.at(-1)];
  if (fewest === undefined || most === undefined || sizeOf(fewest) === sizeOf(most)) return;
  for (const part of ['program', 'postgres'] as const) {
    const ofBatch = (most[part] - fewest[part]) / (1 / sizeOf(most) - 1 / sizeOf(fewest));
    const ofRead = fewest[part] - ofBatch / sizeOf(fewest);
    process.stdout.write(
      `${part}: ${ofRead.toFixed(0)} µs a read and ${ofBatch.toFixed(0)} a batch\n`,
    );
    for (const point of points.slice(1, -1)) {
      const { count, [part]: cost } = point;
      const predictedSize = 1 + ((sizeOf(fewest) - 1) * fewest.count) / count;
      const predicted = ofRead + ofBatch / predictedSize;
      process.stdout.write(
        `  with ${count}: ${predicted.toFixed(0)} µs predicted in batches of ${predictedSize.toFixed(1)}, ${cost.toFixed(0)} measured in those of ${sizeOf(point).toFixed(1)}: ${(predicted / cost).toFixed(2)} (bar with four: ${(1 / exactness).toFixed(2)} to ${exactness})\n`,
      );
    }
  }
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
    // Each process gets as much time as one alone, because processes don't share compiled code.
    await runLoad({ ...load, rate: null, seconds: warmup * count });
    await runLoad({ ...load, rate, seconds: warmup });
    const sample = () => sampleCpu(service.pid, setting.databaseUrl);
    const [before, pageBefore] = [await sample(), await readMetricsPage(metricsPort)];
    const redisBefore = await redisTime(redis);
    const told = await runLoad({ ...load, rate, seconds });
    const { requests, requestsPerSecond: reads, failures, latency } = told;
    const cost = cpuCost(before, await sample(), requests);
    const redisCost = ((await redisTime(redis)) - redisBefore) / requests;
    const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
    if (cost === null || failed > requests * mostFailed) {
      throw new Error(`${requests} answers, failures ${JSON.stringify(failures)}`);
    }
    const page = await readMetricsPage(metricsPort);
    const sent = (what: string, batch: BatchName) => {
      const series = `database_batch_${what}{batch="${batch}"}`;
      return (page.get(series) ?? Number.NaN) - (pageBefore.get(series) ?? Number.NaN);
    };
    const size = (batch: BatchName) => sent('size_sum', batch) / sent('size_count', batch);
    const wait = (batch: BatchName) =>
      (sent('wait_seconds_sum', batch) * 1_000) / sent('size_count', batch);
    return {
      ...{ ...cost, reads, failed, redis: redisCost, p50: latency.p50, p99: latency.p99 },
      pooled: await countConnections(setting.databaseUrl),
      'size of keys': size('keys'),
      'size of access_records': size('access_records'),
      'wait of keys': wait('keys'),
      'wait of access_records': wait('access_records'),
    };
  } finally {
    redis.disconnect();
    await service.stop();
  }
}

/** The time of all its threads, in microseconds. */
async function redisTime(redis: Redis): Promise<number> {
  const told = await redis.info('cpu');
  const value = (name: string) => Number(new RegExp(`^${name}:(\\S+)`, 'm').exec(told)?.[1]);
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
