import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

const checkMilliseconds = 5_000;

/**
 * Above this utilization a process isn't at rest, and a collection would delay its callers. Without calls, a slow
 * machine
 * may use more for background work.
 */
const restingUtilization = { called: 0.02, uncalled: 0.25 };

/** The least memory to give back. Less isn't worth the work. */
const worthBytes = 16 * 1024 * 1024;

/** A process with a few calls per second looks idle, so a collection may delay a call once in this time. */
const pauseMilliseconds = 600_000;

interface Machine {
  /** Since the start, or since the given measurement. */
  utilization(since?: EventLoopUtilization): EventLoopUtilization;
  heapBytes(): number;
  collect(): void;
  now(): number;
}

/** Collects all garbage. V8 does this only when memory runs out. */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

const thisProcess: Machine = {
  utilization: (since) => performance.eventLoopUtilization(since),
  heapBytes: () => process.memoryUsage().heapTotal,
  collect: collectAll,
  now: () => performance.now(),
};

/**
 * Gives memory back to the machine while the process is idle.
 *
 * @param calls returns the number of requests so far
 */
export function startCollectingAtRest(
  calls: () => number,
  machine: Machine = thisProcess,
): PeriodicTask {
  let before = machine.utilization();
  let callsBefore = calls();
  let nextAt = machine.now() + checkMilliseconds;
  let keptBytes = 0;
  return runPeriodically(
    async () => {
      const { utilization } = machine.utilization(before);
      before = machine.utilization();
      const most = restingUtilization[calls() > callsBefore ? 'called' : 'uncalled'];
      callsBefore = calls();
      if (utilization > most) return;
      if (machine.now() < nextAt) return;
      if (machine.heapBytes() < keptBytes + worthBytes) return;
      machine.collect();
      keptBytes = machine.heapBytes();
      nextAt = machine.now() + pauseMilliseconds;
    },
    checkMilliseconds,
    () => undefined,
  );
}
