import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { dropRoles, makeRoles } from '../data/roles.ts';
import { defaultSizes, smokeSizes } from '../data/sizes.ts';
import { root } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { withClient } from '../servers.ts';
import { type Setting, say } from '../setting.ts';
import { serverUrl } from '../settings.ts';
import { median, percentile } from '../statistics.ts';
import { warmUp } from '../warm-up.ts';
import { connectionsOf, type WorkloadName } from '../workloads.ts';

/**
 * Compares the speed of this checkout with an older one. All services run at the same time and get requests in turn, so
 * that other work on the machine slows all of them equally. A second process of the old checkout is the control: its
 * ratio to the first process shows the effect of chance. The speed of a process varies by up to a quarter between
 * starts, so each service starts several times. The services connect with the least-privilege roles if both checkouts
 * have these roles.
 */
const { numbers, texts, isSmoke } = readOptions(
  { starts: 4, rounds: 10, seconds: 1, pause: 0, warmup: 10, longestWarmup: 25, connections: 64 },
  { starts: 1, rounds: 1, seconds: 1, pause: 0, warmup: 1, longestWarmup: 1, connections: 4 },
  ['old', 'workloads'],
);
const { starts, rounds, seconds } = numbers;
const workloads = (texts.workloads ?? 'metrics;dashboard;trpc').split(';') as WorkloadName[];
/** The required ratios between this checkout and commit 053bb14. Each ratio is the median of all starts. */
const bars: Partial<Record<WorkloadName, Partial<Measured>>> = {
  metrics: { requestsPerSecond: 1, processorTime: 1 },
  dashboard: { requestsPerSecond: 1.1, processorTime: 1 / 1.1 },
};

/** Loads the bench code of a checkout. This code fills the checkout's database and starts the checkout's service. */
async function openCheckout(folder: string) {
  const load = <Module>(file: string): Promise<Module> =>
    import(pathToFileURL(join(folder, 'bench', file)).href);
  return {
    ...(await load<typeof import('../setting.ts')>('setting.ts')),
    ...(await load<typeof import('../program.ts')>('program.ts')),
    ...(await load<typeof import('../workloads.ts')>('workloads.ts')),
    ...(await load<typeof import('../cpu.ts')>('cpu.ts')),
    ...(await load<typeof import('../load/run.ts')>('load/run.ts')),
  };
}

type Checkout = Awaited<ReturnType<typeof openCheckout>>;

interface Measured {
  readonly requestsPerSecond: number;
  readonly processorTime: number;
  /** The processor time of PostgreSQL per HTTP request. */
  readonly postgresTime: number;
}

const ratioOf = (one: Measured | undefined, other: Measured | undefined): Measured => ({
  requestsPerSecond: (one?.requestsPerSecond ?? 0) / (other?.requestsPerSecond ?? 0),
  processorTime: (one?.processorTime ?? 0) / (other?.processorTime ?? 0),
  postgresTime: (one?.postgresTime ?? 0) / (other?.postgresTime ?? 0),
});

/** The rounds after one start depend on each other, so their median counts as one measurement. */
const medianOf = (rounds: readonly Measured[]): Measured => ({
  requestsPerSecond: median(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
  processorTime: median(rounds.map(({ processorTime }) => processorTime)),
  postgresTime: median(rounds.map(({ postgresTime }) => postgresTime)),
});

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
  // Creates the roles after `settle`, because `settle` may create tables to which the roles need rights.
  const url = hasRoles ? makeRoles(folder, setting.databaseUrl) : null;
  const options = url === null ? asSuperuser : { ...setting, databaseUrl: url, serviceUrl: url };
  const { port, pid, stop } = await checkout.startProgram('ours', options);
  const connections = connectionsOf(workload, numbers.connections);
  const load = (seconds: number) =>
    checkout.runLoad({ port, requestsFile, connections, seconds, rate: null, warmupSeconds: 0 });
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
      // Pauses, because a machine with a processor quota slows down after some seconds at full load.
      await setTimeout(numbers.pause);
      return {
        requestsPerSecond,
        processorTime: cost?.program ?? Number.NaN,
        postgresTime: cost?.postgres ?? Number.NaN,
      };
    },
  };
}

const oldFolder = texts.old ?? (isSmoke ? root : null);
if (oldFolder === null) throw new Error('--old must name the folder of another checkout');
const [old, ours] = await Promise.all([openCheckout(oldFolder), openCheckout(root)]);
const databases: string[] = [];
const sizes = isSmoke ? smokeSizes : defaultSizes;
await old.withSetting(sizes, (oldSetting) =>
  ours.withSetting(sizes, async (ourSetting) => {
    for (const { databaseUrl } of [oldSetting, ourSetting]) {
      databases.push(new URL(databaseUrl).pathname.slice(1));
    }
    const hasRoles =
      makeRoles(oldFolder, oldSetting.databaseUrl) !== null &&
      makeRoles(root, ourSetting.databaseUrl) !== null;
    say(hasRoles ? 'both serve as two roles' : 'both serve as the superuser: one has no two roles');
    for (const workload of workloads) {
      const measured = { present: [] as Measured[], control: [] as Measured[] };
      for (let started = 0; started < starts; started += 1) {
        const former = await start(old, oldFolder, oldSetting, workload, hasRoles);
        const control = await start(old, oldFolder, oldSetting, workload, hasRoles);
        const present = await start(ours, root, ourSetting, workload, hasRoles);
        const all = [former, present, control];
        const costs = all.map((service) => async () => (await service.measure()).processorTime);
        const warmedUp = { least: numbers.warmup, most: numbers.longestWarmup };
        say(`${workload}: ${await warmUp(costs, warmedUp)} turns of warm-up`);
        const ratios = { present: [] as Measured[], control: [] as Measured[] };
        for (let round = 0; round < rounds; round += 1) {
          const results = new Map<typeof former, Measured>();
          for (let turn = 0; turn < all.length; turn += 1) {
            const service = all[(round + turn) % all.length] ?? former;
            results.set(service, await service.measure());
          }
          ratios.present.push(ratioOf(results.get(present), results.get(former)));
          ratios.control.push(ratioOf(results.get(control), results.get(former)));
        }
        measured.present.push(medianOf(ratios.present));
        measured.control.push(medianOf(ratios.control));
        await Promise.all(all.map((service) => service.stop()));
      }
      const results = (['requestsPerSecond', 'processorTime', 'postgresTime'] as const).map(
        (name) => {
          const wanted = bars[workload]?.[name]?.toFixed(2) ?? 'none';
          const [ofPresent, ofControl] = [measured.present, measured.control].map((ratios) =>
            describeRatios(ratios.map((ratio) => ratio[name])),
          );
          return `${name} ${ofPresent}, control ${ofControl} (bar against 053bb14: ${wanted})`;
        },
      );
      const connections = connectionsOf(workload, numbers.connections);
      process.stdout.write(`${workload}, ${connections} connections: ${results.join('; ')}\n`);
    }
  }),
);
await withClient(serverUrl, (client) => client.query(databases.map(dropRoles).join('\n')));
say(
  `${starts} starts, ${rounds} rounds of ${seconds} s each; ratios of new to old: median of the starts, each the median of its rounds (half of the starts lie between)`,
);

function describeRatios(ratios: readonly number[]): string {
  const [lower, upper] = [percentile(ratios, 0.25), percentile(ratios, 0.75)];
  return `${median(ratios).toFixed(3)} (${lower.toFixed(2)} to ${upper.toFixed(2)})`;
}
