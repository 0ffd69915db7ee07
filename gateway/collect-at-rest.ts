import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

const checkMilliseconds = 5_000;

/**
 * The process counts as idle if its event loop is busy for less than this share of the time. Without HTTP requests, the
 * share is higher, because background work takes longer on a slow machine.
 */
const restingUtilization = { called: 0.02, uncalled: 0.25 };

const minGrowthBytes = 16 * 1024 * 1024;

/**
 * The shortest pause between two garbage collections. A process with a few HTTP requests per second also looks idle,
 * and each collection may delay a request.
 */
const pauseMilliseconds = 600_000;

/** Collects all garbage. V8 does this by itself only when memory runs out. */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

const thisProcess = {
  utilization: (since?: EventLoopUtilization) => performance.eventLoopUtilization(since),
  heapBytes: () => process.memoryUsage().heapTotal,
  collect: collectAll,
  now: () => performance.now(),
};

/** Returns unused memory to the operating system while the process is idle. */
export function startCollectingAtRest(
  countCalls: () => number,
  machine: typeof thisProcess = thisProcess,
): PeriodicTask {
  let before = machine.utilization();
  let callsBefore = countCalls();
  let nextAt = machine.now() + checkMilliseconds;
  let keptBytes = 0;
  return runPeriodically(
    async () => {
      const { utilization } = machine.utilization(before);
      before = machine.utilization();
      const calls = countCalls();
      const limit = restingUtilization[calls > callsBefore ? 'called' : 'uncalled'];
      callsBefore = calls;
      if (utilization > limit) return;
      if (machine.now() < nextAt) return;
      if (machine.heapBytes() < keptBytes + minGrowthBytes) return;
      machine.collect();
      keptBytes = machine.heapBytes();
      nextAt = machine.now() + pauseMilliseconds;
    },
    checkMilliseconds,
    () => undefined,
  );
}
