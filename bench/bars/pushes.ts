import { setTimeout as sleep } from 'node:timers/promises';
import { cpuCost, sampleCpu } from '../cpu.ts';
import { ofReaders } from '../data/sizes.ts';
import { runLoad } from '../load/run.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { withSetting, writeRequests } from '../setting.ts';
import { median } from '../statistics.ts';
import {
  createPushers,
  type Pusher,
  push,
  refusedOf,
  startPushing,
  writeSigningKey,
} from './pushes/pushers.ts';

/**
 * Measures the speed of pushes and their effect on reads. First sends pushes of a thousand records, one after the
 * other. Then sends 50 pushes per second from many companies, with 20 records each. To measure their processor time,
 * these pushes first run alone. Then they run together with steady reads.
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
/** The limit for the median time of a long push, in milliseconds. */
const longBar = 500;
/** The limit for the reads' 99th percentile during pushes, as a multiple of the 99th percentile without pushes. */
const readersBar = 1.5;

await withSetting(ofReaders(isSmoke), async (setting) => {
  const signingKeyFile = writeSigningKey(setting.folder);
  const pushers = await createPushers(setting, signingKeyFile, companies);
  const service = await startProgram('ours', {
    ...setting,
    environment: { SIGNING_KEY_FILE: signingKeyFile },
  });
  const url = `http://127.0.0.1:${service.port}/company/v1/data`;
  const requestsFile = writeRequests(setting, 'metrics');
  const read = () =>
    runLoad({
      ...{ port: service.port, requestsFile, connections: numbers.connections },
      ...{ rate: readsPerSecond, warmupSeconds: 1, seconds },
    });

  const [first] = pushers as [Pusher];
  const long: number[] = [];
  let refused = 0;
  for (let count = 0; count <= longPushes; count += 1) {
    const pushed = await push(url, first, longRecords);
    long.push(pushed.took);
    refused += pushed.refused;
  }
  const longMedian = median(long.slice(1));

  let cost = null;
  for (const _ of ['warming up', 'measured']) {
    const sample = () => sampleCpu(service.pid, setting.databaseUrl);
    const before = await sample();
    const alone = startPushing(url, pushers, { perSecond, records });
    await sleep(seconds * 1_000);
    const { pushes } = await alone.stop();
    cost = cpuCost(before, await sample(), pushes.length);
  }

  const quiet: number[] = [];
  const disturbed: number[] = [];
  const times: number[] = [];
  let done = 0;
  for (let round = 0; round < rounds; round += 1) {
    quiet.push((await read()).latency.p99);
    const pushing = startPushing(url, pushers, { perSecond, records });
    disturbed.push((await read()).latency.p99);
    const taken = await pushing.stop();
    times.push(...taken.pushes.map(({ took }) => took));
    refused += refusedOf(taken.pushes);
    done += taken.perSecond / rounds;
  }
  await service.stop();

  const share = median(disturbed) / median(quiet);
  process.stdout.write(
    `${JSON.stringify({
      long: { records: longRecords, median: longMedian, max: Math.max(...long.slice(1)) },
      short: { records, perSecond: done, median: median(times), max: Math.max(...times), cost },
      readers: { quiet, disturbed, share },
      refused,
    })}\n`,
  );
  const isMet = longMedian <= longBar && done >= perSecond * 0.98 && share <= readersBar;
  if (!isSmoke && !isMet) process.exitCode = 1;
});
