import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { defaultSizes } from '../data/sizes.ts';
import { runLoad } from '../load/run.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { type Setting, say, withSetting } from '../setting.ts';
import { median } from '../statistics.ts';
import { workloads } from '../workloads.ts';

/**
 * What pushes take, and what they cost who reads: pushes of a thousand records, one after the other; and 50 a second of 20
 * records by many companies, while others read at a steady rate.
 */
const { numbers, isSmoke } = readOptions(
  {
    companies: 40,
    longPushes: 30,
    longRecords: 1_000,
    perSecond: 50,
    records: 20,
    readsPerSecond: 400,
    seconds: 20,
    rounds: 3,
    connections: 16,
  },
  {
    companies: 4,
    longPushes: 2,
    perSecond: 5,
    readsPerSecond: 50,
    seconds: 2,
    rounds: 1,
    connections: 4,
  },
);
const { companies, longPushes, longRecords, perSecond, records, readsPerSecond, seconds, rounds } =
  numbers;
/** In milliseconds, at the median. */
const longBar = 500;
/** The 99th percentile of reads beside pushes, beside that without. */
const readersBar = 1.5;

const sizes = isSmoke
  ? {
      ...defaultSizes,
      companies: 60,
      points: 20_000,
      requests: 0,
      loadInvestors: 4,
      longHistories: 2,
    }
  : { ...defaultSizes, points: 260_000, requests: 0 };

interface Pusher {
  readonly secret: string;
  count: number;
}

await withSetting(sizes, async (setting) => {
  const signingKeyFile = writeSigningKey(setting.folder);
  const pushers = await createPushers(setting, signingKeyFile);
  const service = await startProgram('ours', {
    ...setting,
    environment: { SIGNING_KEY_FILE: signingKeyFile },
  });
  const url = `http://127.0.0.1:${service.port}/company/v1/data`;
  const requestsFile = join(setting.folder, 'requests.json');
  writeFileSync(requestsFile, JSON.stringify(workloads.metrics.requests(setting.world, 'ours')));
  const read = () =>
    runLoad({
      port: service.port,
      requestsFile,
      connections: numbers.connections,
      rate: readsPerSecond,
      warmupSeconds: 1,
      seconds,
    });

  const [first] = pushers as [Pusher];
  const long: number[] = [];
  for (let count = 0; count <= longPushes; count += 1)
    long.push(await push(url, first, longRecords));
  const longMedian = median(long.slice(1));

  const quiet: number[] = [];
  const beside: number[] = [];
  const times: number[] = [];
  let done = 0;
  for (let round = 0; round < rounds; round += 1) {
    quiet.push((await read()).latency.p99);
    const pushing = startPushing(url, pushers);
    beside.push((await read()).latency.p99);
    const taken = await pushing.stop();
    times.push(...taken.times);
    done += taken.perSecond / rounds;
  }
  await service.stop();

  const share = median(beside) / median(quiet);
  process.stdout.write(
    `${JSON.stringify({
      long: { records: longRecords, median: longMedian, max: Math.max(...long.slice(1)) },
      short: { records, perSecond: done, median: median(times), max: Math.max(...times) },
      readers: { quiet, beside, share },
    })}\n`,
  );
  const isMet = longMedian <= longBar && done >= perSecond * 0.98 && share <= readersBar;
  // A smoke run shows that the script works; its times tell nothing.
  if (!isSmoke && !isMet) process.exitCode = 1;
});

function writeSigningKey(folder: string): string {
  const path = join(folder, 'signing-key.pem');
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return path;
}

async function createPushers({ databaseUrl }: Setting, signingKeyFile: string): Promise<Pusher[]> {
  const config = readConfig({ DATABASE_URL: databaseUrl, SIGNING_KEY_FILE: signingKeyFile });
  const rateLimiter = createRateLimiter({ ...config.rateLimit, redisUrls: null });
  const { database, operatorUseCases } = await compose(config, {
    role: 'command',
    rateLimiter,
    onError: (error) => say(String(error)),
  });
  await operatorUseCases.registerSigningKey();
  const pushers: Pusher[] = [];
  for (let count = 0; count < companies; count += 1) {
    const { id: companyId } = await operatorUseCases.createCompany({
      name: `Pusher ${count}`,
      environment: 'live',
    });
    const { secret } = await operatorUseCases.createCompanyKey({
      companyId,
      scopes: ['data:write'],
    });
    pushers.push({ secret, count: 0 });
  }
  await database.close();
  rateLimiter.close();
  return pushers;
}

/** @returns milliseconds until the answer, which must be that all records are new or changed */
async function push(url: string, pusher: Pusher, size: number): Promise<number> {
  pusher.count += 1;
  const period = (index: number) =>
    new Date(Date.UTC(2000, 0, 1 + Math.floor(index / 10))).toISOString().slice(0, 10);
  const body = JSON.stringify({
    records: Array.from({ length: size }, (_, index) => ({
      type: 'metric',
      key: `metric_${index % 10}`,
      currency: 'USD',
      period: period(index),
      source: { system: 'Ledger', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
      raw_value: pusher.count,
    })),
  });
  const startedAt = performance.now();
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${pusher.secret}`, 'content-type': 'application/json' },
    body,
  });
  const text = await answer.text();
  const took = performance.now() - startedAt;
  if (answer.status !== 200) throw new Error(`a push was answered ${answer.status}: ${text}`);
  const { created, revised } = JSON.parse(text);
  if (created + revised !== size) throw new Error(`a push of ${size} came to ${text}`);
  return took;
}

/** Pushes at a steady rate, each company in its turn, whatever becomes of those before. */
function startPushing(url: string, pushers: readonly Pusher[]) {
  const startedAt = performance.now();
  const under = new Set<Promise<unknown>>();
  const times: number[] = [];
  let isStopping = false;
  let failure: unknown;

  async function run(): Promise<void> {
    for (let sent = 0; !isStopping; sent += 1) {
      await sleep(Math.max(0, startedAt + (sent * 1_000) / perSecond - performance.now()));
      const pusher = pushers[sent % pushers.length] as Pusher;
      const pushing = push(url, pusher, records)
        .then((took) => times.push(took))
        .catch((error: unknown) => {
          failure ??= error;
        })
        .finally(() => under.delete(pushing));
      under.add(pushing);
    }
  }
  const running = run();
  return {
    async stop() {
      isStopping = true;
      await running;
      await Promise.all(under);
      if (failure !== undefined) throw failure;
      return { times, perSecond: times.length / ((performance.now() - startedAt) / 1_000) };
    },
  };
}
