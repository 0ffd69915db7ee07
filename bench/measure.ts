import { setTimeout } from 'node:timers/promises';
import type { ProgramName } from './catalogue.ts';
import { type CpuCost, cpuCost, sampleCpu, untilIdle } from './cpu.ts';
import type { Load, LoadResult } from './load/load.ts';
import { runLoad } from './load/run.ts';
import { type RunningProgram, startProgram } from './program.ts';
import { readPeakResidentSize } from './resident-size.ts';
import type { LoadKind, Measurement } from './results.ts';
import { type Setting, say, settle } from './setting.ts';
import { warmUp } from './warm-up.ts';
import type { WorkloadName } from './workloads.ts';

export interface Turn {
  readonly workload: WorkloadName;
  readonly program: ProgramName;
  readonly requestsFile: string;
}

export interface PlannedLoad
  extends Pick<Load, 'connections' | 'rate' | 'warmupSeconds' | 'seconds'> {
  readonly load: LoadKind;
}

interface WarmUp extends Pick<Load, 'connections' | 'seconds'> {
  readonly leastTurns: number;
  readonly mostTurns: number;
}

/**
 * Starts a program, warms it up, and measures one load after the other.
 *
 * @throws Error if an HTTP request was rejected or failed, because the measurement is then invalid
 */
export async function measureTurn(
  setting: Setting,
  turn: Turn,
  { leastTurns, mostTurns, ...heat }: WarmUp,
  loads: readonly PlannedLoad[],
): Promise<Measurement[]> {
  await settle(setting.databaseUrl);
  const running = await startProgram(turn.program, setting);
  try {
    const { port } = running;
    const { requestsFile } = turn;
    const sample = () => sampleCpu(running.pid, setting.databaseUrl);
    const load = { port, requestsFile, ...heat, rate: null, warmupSeconds: 0 };
    const work = async () => {
      const before = await sample();
      const { requests } = await runLoad(load);
      return cpuCost(before, await sample(), requests)?.program ?? Number.NaN;
    };
    await warmUp([work], { least: leastTurns, most: mostTurns });
    return await measureLoads(setting, running, turn, loads);
  } finally {
    await running.stop();
  }
}

/** The program must already be running. */
export async function measureLoads(
  setting: Setting,
  running: RunningProgram,
  turn: Turn,
  loads: readonly PlannedLoad[],
): Promise<Measurement[]> {
  const { workload, program, requestsFile } = turn;
  const sample = () => sampleCpu(running.pid, setting.databaseUrl);
  const measurements: Measurement[] = [];
  for (const { load, ...planned } of loads) {
    await untilIdle(running.pid);
    const before = setTimeout(planned.warmupSeconds * 1_000).then(sample);
    const { port } = running;
    const result = await runLoad({ port, requestsFile, ...planned });
    const cpu = cpuCost(await before, await sample(), result.requests);
    const memory = readPeakResidentSize(running.pid);
    say(`${workload}, ${program}, ${load}: ${describe(result, cpu)}, ${memory} MiB`);
    requireNoFailures(result);
    const { requestsPerSecond, latency, meanBodyBytes: bytes } = result;
    measurements.push({
      ...{ workload, program, load, rate: planned.rate, bytes, memory, requestsPerSecond },
      ...{ p50: latency.p50, p99: latency.p99 },
      ...{ programCpu: cpu?.program ?? null, postgresCpu: cpu?.postgres ?? null },
    });
  }
  return measurements;
}

function requireNoFailures({ failures, requests }: LoadResult): void {
  if (Object.keys(failures).length > 0 || requests === 0) {
    throw new Error(`${requests} answers, failures ${JSON.stringify(failures)}`);
  }
}

function describe({ requestsPerSecond, latency }: LoadResult, cpu: CpuCost | null): string {
  const cost = cpu === null ? '' : `, ${cpu.program.toFixed(0)} + ${cpu.postgres.toFixed(0)} µs`;
  return `${requestsPerSecond.toFixed(0)}/s, p99 ${latency.p99.toFixed(1)} ms${cost}`;
}
