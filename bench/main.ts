import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProgramName, programs } from './catalogue.ts';
import { verify } from './checks/verify.ts';
import { defaultSizes, type Sizes, smokeSizes } from './data/sizes.ts';
import { describeMachine } from './machine.ts';
import { measureLoads, measureTurn, type PlannedLoad, type Turn } from './measure.ts';
import { readOptions } from './options.ts';
import { startProgram } from './program.ts';
import { writeReport } from './report/index.ts';
import { measureAtRest } from './rest.ts';
import type { Measurement, Results } from './results.ts';
import { whyNoServers } from './servers.ts';
import { type Setting, say, withSetting, writeRequests } from './setting.ts';
import { median } from './statistics.ts';
import { connectionsOf, type WorkloadName, workloads } from './workloads.ts';

/**
 * Measures the service and other programs, one after the other, in several rounds. Each program runs in a separate
 * process on the same database. Writes the results and the report.
 */
const { numbers, texts, out, isSmoke } = readOptions(
  {
    rounds: 5,
    seconds: 8,
    warmup: 2,
    leastWarmup: 4,
    mostWarmup: 10,
    connections: 64,
    openSeconds: 15,
    restSeconds: 30,
    ...defaultSizes,
  },
  {
    ...{ rounds: 1, seconds: 0.4, warmup: 0.3, leastWarmup: 1, mostWarmup: 1 },
    ...{ openSeconds: 0.6, restSeconds: 0.5, connections: 8 },
    ...smokeSizes,
  },
  ['programs', 'workloads'],
);
const { rounds, seconds, warmup, connections, openSeconds, restSeconds } = numbers;
const { leastWarmup: leastTurns, mostWarmup: mostTurns } = numbers;
const { companies, requests, points, longHistories, loadInvestors } = numbers;
const sizes: Sizes = { companies, requests, points, longHistories, loadInvestors };
/** The exit code that test runners understand as "skipped". */
const exitSkipped = 77;
const isWhole = texts.programs === undefined && texts.workloads === undefined;

const missing = isSmoke ? await whyNoServers() : null;
if (missing !== null) {
  say(`SKIPPED: the smoke run of the bench: ${missing}`);
  process.exit(exitSkipped);
}

await withSetting(sizes, async (setting) => {
  const machine = await describeMachine();
  const turns = planTurns(setting);
  const measurements: Measurement[] = [];
  for (const name of Object.keys(programs) as ProgramName[]) {
    const own = turns.filter(({ program }) => program === name);
    if (own.length > 0) await verifyProgram(setting, name, own, measurements);
  }
  for (let round = 1; round <= rounds && !isSmoke; round += 1) {
    say(`round ${round} of ${rounds}`);
    for (const turn of turns) {
      measurements.push(...(await measureTurn(setting, turn, heatOf(turn), loadsOf(turn))));
    }
  }
  measurements.push(...(await measureAtHalf(setting, turns, measurements)));
  const atRest = isWhole ? await measureAtRest(setting, 2 * restSeconds, restSeconds) : null;

  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  const results: Results = {
    ...{ machine, command, isSmoke, sizes, connections, measurements, atRest },
  };
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'results.json'), JSON.stringify(results, null, 1));
  const report = join(out, 'results.md');
  writeReport(report, results);
  say(`the report is in ${report}`);
});

function planTurns(setting: Setting): Turn[] {
  const isChosen = (chosen: string | undefined, name: string) =>
    chosen === undefined || chosen.split(';').includes(name);
  const names = Object.keys(workloads) as WorkloadName[];
  return names.flatMap((workload) =>
    workloads[workload].programs
      .filter((program) => isChosen(texts.workloads, workload) && isChosen(texts.programs, program))
      .map((program) => ({
        ...{ workload, program },
        requestsFile: writeRequests(setting, workload, program),
      })),
  );
}

function heatOf({ workload }: Turn) {
  const heat = { connections: connectionsOf(workload, connections), seconds: warmup };
  return { ...heat, leastTurns, mostTurns };
}

function loadsOf({ workload }: Turn): PlannedLoad[] {
  const many: PlannedLoad = {
    load: 'many',
    connections: connectionsOf(workload, connections),
    rate: null,
    warmupSeconds: warmup / 2,
    seconds,
  };
  const one: PlannedLoad = { ...many, load: 'one', connections: 1, seconds: seconds / 2 };
  return workloads[workload].isAlsoAlone ? [many, one] : [many];
}

/** Starts a program once and checks its responses for each workload. A smoke run also measures the program. */
async function verifyProgram(
  setting: Setting,
  program: ProgramName,
  turns: readonly Turn[],
  measurements: Measurement[],
): Promise<void> {
  const running = await startProgram(program, setting);
  try {
    for (const turn of turns) {
      await verify(turn.workload, { ...setting, program, port: running.port });
      if (!isSmoke) continue;
      measurements.push(...(await measureLoads(setting, running, turn, loadsOf(turn))));
    }
  } finally {
    await running.stop();
  }
  say(`${program} passed the checks: ${turns.map(({ workload }) => workload).join(', ')}`);
}

/** Measures the service with one process and with several processes. The load is half of the maximum of one process. */
async function measureAtHalf(
  setting: Setting,
  turns: readonly Turn[],
  measured: readonly Measurement[],
): Promise<Measurement[]> {
  const maxima = measured
    .filter((one) => one.workload === 'metrics' && one.program === 'ours' && one.load === 'many')
    .map(({ requestsPerSecond }) => requestsPerSecond ?? 0);
  if (maxima.length === 0) return [];
  const rate = Math.round(median(maxima) / 2);
  const load: PlannedLoad = {
    ...{ load: 'half', connections, rate, warmupSeconds: warmup, seconds: openSeconds },
  };
  const own = turns.filter(
    ({ workload, program }) => workload === 'metrics' && program.startsWith('ours'),
  );
  const measurements: Measurement[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const turn of own)
      measurements.push(...(await measureTurn(setting, turn, heatOf(turn), [load])));
  }
  return measurements;
}
