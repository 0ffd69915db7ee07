import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgramName } from './catalogue.ts';
import { type Observed, verify } from './checks/verify.ts';
import { defaultSizes, type Sizes } from './data/sizes.ts';
import type { LoadResult } from './load/load.ts';
import { runLoad } from './load/run.ts';
import { describeMachine } from './machine.ts';
import { readOptions } from './options.ts';
import { startProgram } from './program.ts';
import { writeReport } from './report/index.ts';
import { type LoadKind, type Measurement, type Rates, writeResult } from './results.ts';
import { type Setting, say, settle, withSetting } from './setting.ts';
import { median } from './statistics.ts';
import { type WorkloadName, workloads } from './workloads.ts';

/**
 * Measures ours and each peer in turn, round by round, each in a process of its own on the same database, and writes
 * the results and the report.
 */
const defaults = {
  rounds: 5,
  seconds: 8,
  warmup: 4,
  connections: 64,
  openSeconds: 15,
  companies: defaultSizes.companies,
  requests: defaultSizes.requests,
  points: defaultSizes.points,
  longHistories: defaultSizes.longHistories,
};
const smoke = { rounds: 1, seconds: 2, warmup: 1, openSeconds: 2, connections: 8 };
const { numbers, texts, out, isSmoke } = readOptions(defaults, smoke, ['programs', 'workloads']);
const { rounds, seconds, warmup, connections, openSeconds } = numbers;
const { companies, requests, points, longHistories } = numbers;
const sizes: Sizes = { ...defaultSizes, companies, requests, points, longHistories };

const chosenWorkloads = Object.entries(workloads).filter(([name]) =>
  isChosen(texts.workloads, name),
);
const turns = chosenWorkloads.flatMap(([name, { programs }]) =>
  programs
    .filter((program) => isChosen(texts.programs, program))
    .map((program) => ({ workload: name as WorkloadName, program })),
);

function isChosen(chosen: string | undefined, name: string): boolean {
  return chosen === undefined || chosen.split(';').includes(name);
}

interface Turn {
  readonly workload: WorkloadName;
  readonly program: ProgramName;
}

await withSetting(sizes, async (setting) => {
  const machine = await describeMachine();
  const files = new Map(turns.map((turn) => [turn, writeRequests(setting, turn)]));
  const observed: { workload: WorkloadName; program: ProgramName; observed: Observed }[] = [];
  for (const turn of turns) {
    observed.push({ ...turn, observed: await verifyProgram(setting, turn) });
    say(`${turn.workload}: ${turn.program} does the work`);
  }

  const measurements: Measurement[] = [];
  const note =
    (turn: Turn, load: LoadKind, round: number, rate: number | null) =>
    async (port: number, time: { warmupSeconds: number; seconds: number }) => {
      const result = await runLoad({
        port,
        requestsFile: files.get(turn) ?? '',
        connections: load === 'closed 1' ? 1 : connections,
        rate,
        ...time,
      });
      requireCleanliness(turn, result);
      measurements.push({ round, ...turn, load, rate, result });
      say(
        `round ${round}, ${turn.workload}, ${turn.program}, ${load}: ` +
          `${result.requestsPerSecond.toFixed(0)}/s, p99 ${result.latency.p99.toFixed(1)} ms`,
      );
    };

  for (let round = 1; round <= rounds; round += 1) {
    for (const turn of turns) {
      await settle(setting.databaseUrl);
      const running = await startProgram(turn.program, setting);
      try {
        const full = note(turn, 'closed 64', round, null);
        await full(running.port, { warmupSeconds: warmup, seconds });
        const alone = note(turn, 'closed 1', round, null);
        await alone(running.port, { warmupSeconds: 1, seconds: Math.max(1, seconds / 2) });
      } finally {
        await running.stop();
      }
    }
  }

  const ours = turns.find(({ workload, program }) => workload === 'metrics' && program === 'ours');
  if (ours !== undefined) {
    const maximum = median(
      measurements
        .filter(
          (one) => one.workload === 'metrics' && one.program === 'ours' && one.load === 'closed 64',
        )
        .map(({ result }) => result.requestsPerSecond),
    );
    for (let round = 1; round <= rounds; round += 1) {
      await settle(setting.databaseUrl);
      const running = await startProgram('ours', setting);
      try {
        const open = note(ours, 'open at half', round, Math.round(maximum / 2));
        await open(running.port, { warmupSeconds: warmup, seconds: openSeconds });
      } finally {
        await running.stop();
      }
    }
  }

  const rates: Rates = {
    machine,
    command: ['npm run bench --', ...process.argv.slice(2)].join(' '),
    isSmoke,
    sizes,
    seconds,
    warmupSeconds: warmup,
    observed,
    measurements,
  };
  mkdirSync(out, { recursive: true });
  writeResult(out, 'rates', rates);
  say(`the report is in ${writeReport(out)}`);
});

function writeRequests({ world, folder }: Setting, { workload, program }: Turn): string {
  const file = join(folder, `${workload}-${program.replaceAll(/\W+/g, '-')}.json`);
  writeFileSync(file, JSON.stringify(workloads[workload].requests(world, program)));
  return file;
}

async function verifyProgram(setting: Setting, { workload, program }: Turn): Promise<Observed> {
  const running = await startProgram(program, setting);
  try {
    return await verify(workload, { ...setting, program, port: running.port });
  } finally {
    await running.stop();
  }
}

/** A measurement in which anything was refused or broke is none. */
function requireCleanliness({ workload, program }: Turn, { failures, requests }: LoadResult): void {
  if (Object.keys(failures).length > 0 || requests === 0) {
    throw new Error(
      `${workload}, ${program}: ${requests} answers, failures ${JSON.stringify(failures)}`,
    );
  }
}
