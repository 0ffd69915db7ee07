import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgramName } from './catalogue.ts';
import { type Observed, verify } from './checks/verify.ts';
import { defaultSizes, type Sizes } from './data/sizes.ts';
import { describeMachine } from './machine.ts';
import { measureTurn, type Turn } from './measure.ts';
import { readOptions } from './options.ts';
import { startProgram } from './program.ts';
import { writeReport } from './report/index.ts';
import { type Measurement, type Rates, writeResult } from './results.ts';
import { type Setting, say, withSetting } from './setting.ts';
import { median } from './statistics.ts';
import { type WorkloadName, workloads } from './workloads.ts';

/**
 * Measures ours and each peer in turn, round by round, each in a process of its own on the same database, and writes
 * the results and the report.
 */
const { numbers, texts, out, isSmoke } = readOptions(
  {
    rounds: 5,
    seconds: 8,
    warmup: 4,
    connections: 64,
    openSeconds: 15,
    companies: defaultSizes.companies,
    requests: defaultSizes.requests,
    points: defaultSizes.points,
    longHistories: defaultSizes.longHistories,
  },
  { rounds: 1, seconds: 2, warmup: 1, openSeconds: 2, connections: 8 },
  ['programs', 'workloads', 'result'],
);
const { rounds, seconds, warmup: warmupSeconds, connections, openSeconds } = numbers;
const { companies, requests, points, longHistories } = numbers;
const heat = { connections, seconds: warmupSeconds };
const sizes: Sizes = { ...defaultSizes, companies, requests, points, longHistories };

await withSetting(sizes, async (setting) => {
  const machine = await describeMachine();
  const turns = planTurns(setting);
  const observed: { workload: WorkloadName; program: ProgramName; observed: Observed }[] = [];
  for (const turn of turns) {
    const { workload, program } = turn;
    observed.push({ workload, program, observed: await verifyProgram(setting, turn) });
    say(`${workload}: ${program} does the work`);
  }

  const measurements: Measurement[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const turn of turns) {
      const loads = [
        { load: 'many', connections, rate: null, warmupSeconds: 1, seconds },
        { load: 'one', connections: 1, rate: null, warmupSeconds: 1, seconds: seconds / 2 },
      ] as const;
      measurements.push(...(await measureTurn(setting, turn, round, heat, loads)));
    }
  }
  measurements.push(...(await measureAtHalf(setting, turns, measurements)));

  const rates: Rates = {
    machine,
    command: ['npm run bench --', ...process.argv.slice(2)].join(' '),
    isSmoke,
    sizes,
    connections,
    seconds,
    warmupSeconds,
    observed,
    measurements,
  };
  writeResult(out, texts.result === 'histories' ? 'histories' : 'rates', rates);
  say(`the report is in ${writeReport(out)}`);
});

function planTurns({ world, folder }: Setting): Turn[] {
  const isChosen = (chosen: string | undefined, name: string) =>
    chosen === undefined || chosen.split(';').includes(name);
  return Object.entries(workloads).flatMap(([name, workload]) =>
    workload.programs
      .filter((program) => isChosen(texts.workloads, name) && isChosen(texts.programs, program))
      .map((program) => {
        const requestsFile = join(folder, `${name}-${program.replaceAll(/\W+/g, '-')}.json`);
        writeFileSync(requestsFile, JSON.stringify(workload.requests(world, program)));
        return { workload: name as WorkloadName, program, requestsFile };
      }),
  );
}

async function verifyProgram(setting: Setting, { workload, program }: Turn): Promise<Observed> {
  const running = await startProgram(program, setting);
  try {
    return await verify(workload, { ...setting, program, port: running.port });
  } finally {
    await running.stop();
  }
}

/** Ours at half of what it did at most, in an open loop. */
async function measureAtHalf(
  setting: Setting,
  turns: readonly Turn[],
  measured: readonly Measurement[],
): Promise<Measurement[]> {
  const isOurs = ({ workload, program }: Pick<Turn, 'workload' | 'program'>) =>
    workload === 'metrics' && program === 'ours';
  const turn = turns.find(isOurs);
  if (turn === undefined) return [];
  const maximum = median(
    measured
      .filter((one) => isOurs(one) && one.load === 'many')
      .map(({ result }) => result.requestsPerSecond),
  );
  const rate = Math.round(maximum / 2);
  const load = { load: 'half', connections, rate, warmupSeconds: 2, seconds: openSeconds } as const;
  const measurements: Measurement[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    measurements.push(...(await measureTurn(setting, turn, round, heat, [load])));
  }
  return measurements;
}
