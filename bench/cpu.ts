import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { sumOfAll } from './resident-size.ts';
import { withClient } from './servers.ts';

/** Processor time in microseconds per HTTP request. Other work on the machine hardly affects this time. */
export interface CpuCost {
  readonly program: number;
  readonly postgres: number;
}

/** The unit in which Linux counts processor time, in microseconds. */
const clockTick = 10_000;

interface Sample {
  readonly program: number;
  readonly postgres: ReadonlyMap<number, number>;
}

/** Reads the processor times now. Returns null without /proc, or if PostgreSQL is on another machine. */
export async function sampleCpu(pid: number, databaseUrl: string): Promise<Sample | null> {
  try {
    const { rows } = await withClient(databaseUrl, (client) =>
      client.query(
        `select pid from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
      ),
    );
    return {
      program: sumOfAll(pid, readCpu),
      postgres: new Map(rows.map((row) => [row.pid, readCpu(row.pid)])),
    };
  } catch {
    return null;
  }
}

/** Returns the processor time between two samples. Counts only the PostgreSQL processes that exist in both samples. */
export function cpuCost(
  before: Sample | null,
  after: Sample | null,
  requests: number,
): CpuCost | null {
  if (before === null || after === null) return null;
  let postgres = 0;
  for (const [pid, time] of after.postgres) postgres += time - (before.postgres.get(pid) ?? time);
  return { program: (after.program - before.program) / requests, postgres: postgres / requests };
}

/** Waits until the program is idle. An overloaded program continues to work after its callers have disconnected. */
export async function untilIdle(pid: number): Promise<void> {
  for (let checks = 0; checks < 100; checks += 1) {
    const before = processorTime(pid);
    await setTimeout(200);
    if (processorTime(pid) - before <= 3 * clockTick) return;
  }
}

/** Returns the processor time of a process and its workers in microseconds. Returns 0 without /proc. */
export function processorTime(pid: number): number {
  try {
    return sumOfAll(pid, readCpu);
  } catch {
    return 0;
  }
}

function readCpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * clockTick;
}
