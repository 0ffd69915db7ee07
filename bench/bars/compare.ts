import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { type Setting, say } from '../setting.ts';
import { median } from '../statistics.ts';
import type { WorkloadName } from '../workloads.ts';

/**
 * Another checkout beside this one: both services run at once, each on a database of its own, and are asked in turns of a
 * few seconds. What the machine does meanwhile, and how a start happened to go, weighs on both alike.
 */
const { numbers, texts } = readOptions(
  { rounds: 14, seconds: 2, warmup: 8, connections: 64 },
  { rounds: 2, seconds: 1, warmup: 1, connections: 4 },
  ['old', 'workloads'],
);
const { rounds, seconds, warmup, connections } = numbers;
const workloads = (texts.workloads ?? 'metrics;dashboard;trpc').split(';') as WorkloadName[];

/** The bench of a checkout fills and starts that checkout. */
async function openCheckout(folder: string) {
  const load = <Module>(file: string): Promise<Module> =>
    import(pathToFileURL(join(folder, 'bench', file)).href);
  return {
    ...(await load<typeof import('../setting.ts')>('setting.ts')),
    ...(await load<typeof import('../data/sizes.ts')>('data/sizes.ts')),
    ...(await load<typeof import('../program.ts')>('program.ts')),
    ...(await load<typeof import('../workloads.ts')>('workloads.ts')),
    ...(await load<typeof import('../cpu.ts')>('cpu.ts')),
    ...(await load<typeof import('../load/run.ts')>('load/run.ts')),
    // A checkout from before values were signed has none of these.
    ...(await load<Partial<typeof import('../data/signatures.ts')>>('data/signatures.ts').catch(
      () => ({}),
    )),
  };
}

type Checkout = Awaited<ReturnType<typeof openCheckout>>;

interface Measured {
  readonly requestsPerSecond: number;
  readonly processorTime: number;
}

async function start(checkout: Checkout, setting: Setting, workload: WorkloadName) {
  const requestsFile = join(setting.folder, `${workload}.json`);
  const requests = checkout.workloads[workload].requests(setting.world, 'ours');
  writeFileSync(requestsFile, JSON.stringify(requests));
  await checkout.settle(setting.databaseUrl);
  const { port, pid, stop } = await checkout.startProgram('ours', setting);
  const load = (seconds: number, connections: number) =>
    checkout.runLoad({ port, requestsFile, connections, seconds, rate: null, warmupSeconds: 0 });
  await load(warmup, connections);
  return {
    stop,
    async measure(): Promise<Measured> {
      const before = await checkout.sampleCpu(pid, setting.databaseUrl);
      const { requests, requestsPerSecond, failures } = await load(seconds, connections);
      if (requests === 0 || Object.keys(failures).length > 0) {
        throw new Error(`${workload}: ${requests} answers, failures ${JSON.stringify(failures)}`);
      }
      const after = await checkout.sampleCpu(pid, setting.databaseUrl);
      const cost = checkout.cpuCost(before, after, requests);
      return { requestsPerSecond, processorTime: cost?.program ?? Number.NaN };
    },
  };
}

if (texts.old === undefined) throw new Error('--old must name the folder of another checkout');
const [old, ours] = await Promise.all([openCheckout(texts.old), openCheckout(root)]);
await old.withSetting(old.defaultSizes, (oldSetting) =>
  ours.withSetting(ours.defaultSizes, async (ourSetting) => {
    await old.fillSignatures?.(oldSetting.databaseUrl);
    await ours.fillSignatures?.(ourSetting.databaseUrl);
    for (const workload of workloads) {
      const former = await start(old, oldSetting, workload);
      const present = await start(ours, ourSetting, workload);
      const pairs: { before: Measured; now: Measured }[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const isOldFirst = round % 2 === 0;
        const first = await (isOldFirst ? former : present).measure();
        const second = await (isOldFirst ? present : former).measure();
        pairs.push(isOldFirst ? { before: first, now: second } : { before: second, now: first });
      }
      await Promise.all([former.stop(), present.stop()]);
      const told = (['requestsPerSecond', 'processorTime'] as const).map(
        (name) => `${name} ${tell(pairs.map(({ before, now }) => now[name] / before[name]))}`,
      );
      process.stdout.write(`${workload}, ${connections} connections: ${told.join(', ')}\n`);
    }
  }),
);
say(`${rounds} rounds of ${seconds} s each; ratios of new to old: median (lowest to highest)`);

function tell(ratios: readonly number[]): string {
  const [lowest, highest] = [Math.min(...ratios), Math.max(...ratios)];
  return `${median(ratios).toFixed(3)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
}
