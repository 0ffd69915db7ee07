import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { sumOfAll } from './resident-size.ts';
import { withClient } from './servers.ts';

/** What a request costs in processor time, which does not depend on who else is busy on the machine. */
export interface CpuCost {
  /** In microseconds a request. */
  readonly program: number;
  readonly postgres: number;
}

/** Of a clock tick, which Linux counts processor time in. */
const microseconds = 10_000;

interface Sample {
  readonly program: number;
  readonly postgres: ReadonlyMap<number, number>;
}

/** Null where there is no /proc, or PostgreSQL is on another machine. */
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

/** Of backends that were there at both times; those of a pool under load are. */
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

/** A program that was asked for more than it can do goes on with it when nobody waits any more. */
export async function untilIdle(pid: number): Promise<void> {
  for (let looks = 0; looks < 100; looks += 1) {
    const before = processorTime(pid);
    await setTimeout(200);
    if (processorTime(pid) - before <= 3 * microseconds) return;
  }
}

/** Of the process and its workers, in microseconds; zero where there is no /proc. */
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
  return (Number(fields[11]) + Number(fields[12])) * microseconds;
}
