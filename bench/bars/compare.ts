import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dropRoles, makeRoles } from '../data/roles.ts';
import { root } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { withClient } from '../servers.ts';
import { type Setting, say } from '../setting.ts';
import { serverUrl } from '../settings.ts';
import { median } from '../statistics.ts';
import { connectionsOf, type WorkloadName } from '../workloads.ts';

/**
 * Another checkout beside this one: both services run at once, each on a database of its own, and are asked in turns of a
 * few seconds. What the machine does meanwhile, and how a start happened to go, weighs on both alike. Values are signed,
 * and both connect as the two roles of least privilege, where both have them.
 */
const { numbers, texts } = readOptions(
  { rounds: 14, seconds: 2, warmup: 8, connections: 64 },
  { rounds: 2, seconds: 1, warmup: 1, connections: 4 },
  ['old', 'workloads'],
);
const { rounds, seconds, warmup } = numbers;
const workloads = (texts.workloads ?? 'metrics;dashboard;trpc').split(';') as WorkloadName[];
/** Beside 053bb14, the median of the rounds: how many times the requests, at how many times the processor time. */
const bars: Partial<Record<WorkloadName, Measured>> = {
  metrics: { requestsPerSecond: 1, processorTime: 1 },
  dashboard: { requestsPerSecond: 1.1, processorTime: 1 / 1.1 },
};

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
    // Where these are, values are not signed without them.
    ...(await load<{ fillSignatures?: (databaseUrl: string) => Promise<void> }>(
      'data/signatures.ts',
    ).catch(() => ({}))),
  };
}

type Checkout = Awaited<ReturnType<typeof openCheckout>>;

interface Measured {
  readonly requestsPerSecond: number;
  readonly processorTime: number;
}

async function start(
  checkout: Checkout,
  folder: string,
  setting: Setting,
  workload: WorkloadName,
  hasRoles: boolean,
) {
  const requestsFile = join(setting.folder, `${workload}.json`);
  const requests = checkout.workloads[workload].requests(setting.world, 'ours');
  writeFileSync(requestsFile, JSON.stringify(requests));
  await checkout.settle(setting.databaseUrl);
  const { serviceUrl: _, ...asSuperuser } = setting;
  // Again, as what settles may have made tables anew that the roles have rights to.
  const url = hasRoles ? makeRoles(folder, setting.databaseUrl) : null;
  const options = url === null ? asSuperuser : { ...setting, databaseUrl: url, serviceUrl: url };
  const { port, pid, stop } = await checkout.startProgram('ours', options);
  const connections = connectionsOf(workload, numbers.connections);
  const load = (seconds: number) =>
    checkout.runLoad({ port, requestsFile, connections, seconds, rate: null, warmupSeconds: 0 });
  await load(warmup);
  return {
    stop,
    async measure(): Promise<Measured> {
      const before = await checkout.sampleCpu(pid, setting.databaseUrl);
      const { requests, requestsPerSecond, failures } = await load(seconds);
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
const oldFolder = texts.old;
const [old, ours] = await Promise.all([openCheckout(oldFolder), openCheckout(root)]);
const databases: string[] = [];
await old.withSetting(old.defaultSizes, (oldSetting) =>
  ours.withSetting(ours.defaultSizes, async (ourSetting) => {
    await old.fillSignatures?.(oldSetting.databaseUrl);
    await ours.fillSignatures?.(ourSetting.databaseUrl);
    for (const { databaseUrl } of [oldSetting, ourSetting]) {
      databases.push(new URL(databaseUrl).pathname.slice(1));
    }
    const hasRoles =
      makeRoles(oldFolder, oldSetting.databaseUrl) !== null &&
      makeRoles(root, ourSetting.databaseUrl) !== null;
    say(hasRoles ? 'both serve as two roles' : 'both serve as the superuser: one has no two roles');
    for (const workload of workloads) {
      const former = await start(old, oldFolder, oldSetting, workload, hasRoles);
      const present = await start(ours, root, ourSetting, workload, hasRoles);
      const pairs: { before: Measured; now: Measured }[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const isOldFirst = round % 2 === 0;
        const first = await (isOldFirst ? former : present).measure();
        const second = await (isOldFirst ? present : former).measure();
        pairs.push(isOldFirst ? { before: first, now: second } : { before: second, now: first });
      }
      await Promise.all([former.stop(), present.stop()]);
      const told = (['requestsPerSecond', 'processorTime'] as const).map((name) => {
        const asked = bars[workload]?.[name].toFixed(2) ?? 'none';
        return `${name} ${tell(pairs.map(({ before, now }) => now[name] / before[name]))} (bar beside 053bb14: ${asked})`;
      });
      const connections = connectionsOf(workload, numbers.connections);
      process.stdout.write(`${workload}, ${connections} connections: ${told.join('; ')}\n`);
    }
  }),
);
await withClient(serverUrl, (client) => client.query(databases.map(dropRoles).join('\n')));
say(`${rounds} rounds of ${seconds} s each; ratios of new to old: median (lowest to highest)`);

function tell(ratios: readonly number[]): string {
  const [lowest, highest] = [Math.min(...ratios), Math.max(...ratios)];
  return `${median(ratios).toFixed(3)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
}
