import type { ProgramName } from './catalogue.ts';
import { type CpuCost, cpuCost, sampleCpu, untilIdle } from './cpu.ts';
import type { Load, LoadResult } from './load/load.ts';
import { runLoad } from './load/run.ts';
import { startProgram } from './program.ts';
import { readPeakResidentSize } from './resident-size.ts';
import type { LoadKind, Measurement } from './results.ts';
import { type Setting, say, settle } from './setting.ts';
import type { WorkloadName } from './workloads.ts';

/** One program asked to do one kind of work. */
export interface Turn {
  readonly workload: WorkloadName;
  readonly program: ProgramName;
  readonly requestsFile: string;
}

export interface PlannedLoad
  extends Pick<Load, 'connections' | 'rate' | 'warmupSeconds' | 'seconds'> {
  readonly load: LoadKind;
}

/**
 * Starts the program afresh, has it work as fast as it can until it is warm, and puts it under one load after the other.
 *
 * @throws Error when anything was refused or broke: that would be no measurement
 */
export async function measureTurn(
  setting: Setting,
  { workload, program, requestsFile }: Turn,
  round: number,
  heat: Pick<Load, 'connections' | 'seconds'>,
  loads: readonly PlannedLoad[],
): Promise<Measurement[]> {
  await settle(setting.databaseUrl);
  const running = await startProgram(program, setting);
  const sample = () => sampleCpu(running.pid, setting.databaseUrl);
  const measurements: Measurement[] = [];
  try {
    await runLoad({ ...heat, port: running.port, requestsFile, rate: null, warmupSeconds: 0 });
    for (const { load, ...planned } of loads) {
      await untilIdle(running.pid);
      const before = afterSeconds(planned.warmupSeconds, sample);
      const result = await runLoad({ port: running.port, requestsFile, ...planned });
      const cpu = cpuCost(await before, await sample(), result.requests);
      const memory = readPeakResidentSize(running.pid);
      say(`round ${round}, ${workload}, ${program}, ${load}: ${tell(result, cpu)}, ${memory} MiB`);
      requireCleanliness(result);
      measurements.push({
        round,
        workload,
        program,
        load,
        rate: planned.rate,
        result,
        cpu,
        memory,
      });
    }
  } finally {
    await running.stop();
  }
  return measurements;
}

function requireCleanliness({ failures, requests }: LoadResult): void {
  if (Object.keys(failures).length > 0 || requests === 0) {
    throw new Error(`${requests} answers, failures ${JSON.stringify(failures)}`);
  }
}

function tell({ requestsPerSecond, latency }: LoadResult, cpu: CpuCost | null): string {
  const cost = cpu === null ? '' : `, ${cpu.program.toFixed(0)} + ${cpu.postgres.toFixed(0)} µs`;
  return `${requestsPerSecond.toFixed(0)}/s, p99 ${latency.p99.toFixed(1)} ms${cost}`;
}

function afterSeconds<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    setTimeout(() => work().then(resolve, reject), seconds * 1_000);
  });
}
