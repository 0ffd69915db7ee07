import { setTimeout } from 'node:timers/promises';
import { defaultSizes } from '../data/sizes.ts';
import type { LoadResult } from '../load/load.ts';
import { runLoad } from '../load/run.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { watchResidentSize } from '../resident-size.ts';
import { say, settle, withSetting, writeRequests } from '../setting.ts';

/**
 * Three times as many dashboards as the service can make, for a minute, asked for by all investors: how many are still
 * answered, how soon the others are refused, what it takes of memory, and whether it is over when it is over.
 */
const { numbers } = readOptions(
  { times: 3, seconds: 60, connections: 64, calmSeconds: 10 },
  { seconds: 3, calmSeconds: 2 },
);
const { times, seconds, connections, calmSeconds } = numbers;

/** More than are ever busy, so that what is due finds a free one; fewer than may wait to be accepted. */
const manyConnections = 400;

/** How soon everything must be as it was. */
const recoverySeconds = 5;

const least = { answered: 0.8 };
const most = { refusal: 250, latency: 2_000, memory: 500, recovered: 2 };

const answered = ({ requests, failures }: LoadResult, duration: number) =>
  (requests - Object.values(failures).reduce((sum, count) => sum + count, 0)) / duration;

await withSetting({ ...defaultSizes, points: 100_000 }, async (setting) => {
  const requestsFile = writeRequests(setting, 'dashboard');
  const service = await startProgram('ours', setting);
  const load = { port: service.port, requestsFile };
  const inTurn = (rate: number) =>
    runLoad({ ...load, rate, connections: 8, warmupSeconds: 0, seconds: calmSeconds });
  const capacity = await runLoad({
    ...load,
    connections,
    rate: null,
    warmupSeconds: calmSeconds,
    seconds: calmSeconds,
  });
  const calmRate = capacity.requestsPerSecond / 10;
  const before = await inTurn(calmRate);
  await settle(setting.databaseUrl);
  const peakSize = watchResidentSize(service.pid);
  const overload = await runLoad({
    ...load,
    connections: manyConnections,
    rate: capacity.requestsPerSecond * times,
    warmupSeconds: 0,
    seconds,
  });
  const memory = peakSize();
  await setTimeout(recoverySeconds * 1_000);
  const after = await inTurn(calmRate);
  await service.stop();
  const result = {
    maximum: Math.round(capacity.requestsPerSecond),
    asked: Math.round(overload.requests / seconds),
    answered: Math.round(answered(overload, seconds)),
    failures: overload.failures,
    latency: overload.latency,
    refusals: overload.refusalLatency,
    memory,
    generatorBusy: overload.generatorBusy,
    before: before.latency,
    after: after.latency,
    failuresAfter: after.failures,
  };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  const share = answered(overload, seconds) / capacity.requestsPerSecond;
  const missed = [
    share < least.answered && `answered: ${share.toFixed(2)} of the maximum`,
    overload.refusalLatency.p99 > most.refusal && `refused after ${overload.refusalLatency.p99} ms`,
    overload.latency.p99 > most.latency && `answered after ${overload.latency.p99} ms`,
    memory > most.memory && `${memory} MiB`,
    after.latency.p99 > most.recovered * before.latency.p99 + 10 && 'slow afterwards',
    Object.keys(after.failures).length > 0 && 'refusals afterwards',
    Object.keys(overload.failures).some((failure) => failure !== '503') && 'other failures',
  ].filter((each) => each !== false);
  for (const each of missed) say(`missed: ${each}`);
  if (missed.length > 0) process.exitCode = 1;
});
