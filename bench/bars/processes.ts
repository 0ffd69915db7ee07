import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CpuCost, cpuCost, sampleCpu } from '../cpu.ts';
import { defaultSizes } from '../data/sizes.ts';
import type { LoadResult } from '../load/load.ts';
import { runLoad } from '../load/run.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { findFreePort, withClient } from '../servers.ts';
import { type Setting, say, settle, withSetting } from '../setting.ts';
import { median } from '../statistics.ts';
import { workloads } from '../workloads.ts';

/**
 * What a read of metrics costs where one, two, four and eight processes share the same load, which is half of what one
 * does at most: their processor time and PostgreSQL's, how full batches are, how long the first question of one waits,
 * and how many connections are open.
 */
const { numbers, texts } = readOptions(
  { rounds: 3, seconds: 10, warmup: 4, connections: 64, rate: 0 },
  { rounds: 1, seconds: 1, warmup: 1, connections: 8 },
  ['processes'],
);
const { rounds, seconds, warmup, connections } = numbers;
const counts = (texts.processes ?? '1;2;4;8').split(';').map(Number);
/** Four processes to one, the processor time of all. */
const bar = 1.25;

/** The two that every read takes: who asks and what it may, and its record. */
const batches = ['keys', 'access_records'] as const;
type BatchName = (typeof batches)[number];

/** Of the statements that a batch has sent: how many, how many questions they answered, how long these had waited. */
type Batches = Readonly<Record<BatchName, { count: number; questions: number; waited: number }>>;

interface Measured extends CpuCost {
  readonly latency: LoadResult['latency'];
  readonly pooled: number;
  readonly size: Readonly<Record<BatchName, number>>;
  readonly wait: Readonly<Record<BatchName, number>>;
}

await withSetting({ ...defaultSizes, points: 100_000 }, async (setting) => {
  const requestsFile = join(setting.folder, 'requests.json');
  writeFileSync(requestsFile, JSON.stringify(workloads.metrics.requests(setting.world, 'ours')));
  const rate = numbers.rate || (await halfOfOne(setting, requestsFile));
  const measured = new Map<number, Measured[]>(counts.map((count) => [count, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const count of round % 2 === 0 ? counts : counts.toReversed()) {
      measured.get(count)?.push(await measure(setting, requestsFile, count, rate));
    }
  }
  process.stdout.write(`${rate} reads a second, medians of ${rounds} rounds\n`);
  const costs = new Map<number, number>();
  for (const [count, each] of measured) {
    const of = (figure: (one: Measured) => number) => median(each.map(figure));
    const [program, postgres] = [of((one) => one.program), of((one) => one.postgres)];
    costs.set(count, program + postgres);
    const told = batches.map((name) => {
      const size = of((one) => one.size[name]).toFixed(1);
      return `${name} ${size} a statement after ${of((one) => one.wait[name]).toFixed(2)} ms`;
    });
    process.stdout.write(
      `${count} processes: ${program.toFixed(0)} + ${postgres.toFixed(0)} µs a read, ${Math.round(1e6 / postgres)} reads a second for a core of PostgreSQL; p50 ${of(({ latency }) => latency.p50).toFixed(1)} ms, p99 ${of(({ latency }) => latency.p99).toFixed(1)} ms; ${told.join(', ')}; ${of((one) => one.pooled)} connections\n`,
    );
  }
  const [one, four] = [costs.get(1), costs.get(4)];
  if (one !== undefined && four !== undefined) {
    say(`four processes to one: ${(four / one).toFixed(2)} (bar ${bar})`);
  }
});

async function halfOfOne(setting: Setting, requestsFile: string): Promise<number> {
  const service = await startProgram('ours', setting);
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
  rate: number,
): Promise<Measured> {
  await settle(setting.databaseUrl);
  const metricsPort = await findFreePort();
  const service = await startProgram('ours', {
    ...setting,
    environment: { WORKERS: String(count), METRICS_PORT: String(metricsPort) },
  });
  try {
    const load = { port: service.port, requestsFile, connections, warmupSeconds: 0 };
    await runLoad({ ...load, rate: null, seconds: warmup });
    await runLoad({ ...load, rate, seconds: warmup });
    const sample = () => sampleCpu(service.pid, setting.databaseUrl);
    const [before, batchesBefore] = [await sample(), await readBatches(metricsPort)];
    const { requests, failures, latency } = await runLoad({ ...load, rate, seconds });
    const cost = cpuCost(before, await sample(), requests);
    if (cost === null || Object.keys(failures).length > 0) {
      throw new Error(`${requests} answers, failures ${JSON.stringify(failures)}`);
    }
    const sent = await readBatches(metricsPort);
    const each = (of: (name: BatchName) => number) =>
      Object.fromEntries(batches.map((name) => [name, of(name)])) as Record<BatchName, number>;
    const statements = (name: BatchName) => sent[name].count - batchesBefore[name].count;
    return {
      ...cost,
      latency,
      pooled: await countConnections(setting.databaseUrl),
      size: each(
        (name) => (sent[name].questions - batchesBefore[name].questions) / statements(name),
      ),
      wait: each(
        (name) => ((sent[name].waited - batchesBefore[name].waited) * 1_000) / statements(name),
      ),
    };
  } finally {
    await service.stop();
  }
}

/** As operators read it; the primary adds up what its workers have counted. */
async function readBatches(metricsPort: number): Promise<Batches> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const value = (metric: string, batch: BatchName) =>
    Number(new RegExp(`^${metric}\\{batch="${batch}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
  return Object.fromEntries(
    batches.map((name) => [
      name,
      {
        count: value('database_batch_size_count', name),
        questions: value('database_batch_size_sum', name),
        waited: value('database_batch_wait_seconds_sum', name),
      },
    ]),
  ) as Batches;
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
