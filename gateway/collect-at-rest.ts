import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type PeriodicTask, runPeriodically } from './run-periodically.ts';

const lookMilliseconds = 5_000;

/**
 * A process that is busy for a larger part of its time is not at rest: a collection would keep its callers waiting. What
 * it does while nobody calls can take more of a slow machine.
 */
const restingUtilization = { called: 0.02, uncalled: 0.25 };

/** What is given back at least; less is not worth the work. */
const worthBytes = 16 * 1024 * 1024;

/** A process with a few callers a second seems to rest, so that each may wait for a collection once in so long a time. */
const pauseMilliseconds = 600_000;

interface Machine {
  /** Since the start, or since the given. */
  utilization(since?: EventLoopUtilization): EventLoopUtilization;
  heapBytes(): number;
  collect(): void;
  now(): number;
}

/** V8 collects all of its garbage when memory runs out, not when nobody asks for anything. */
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
 * Gives memory back to the machine while the process has nothing to do: what its start needed, and what busy hours did.
 *
 * @param calls how many requests it has been asked to answer
 */
export function startCollectingAtRest(
  calls: () => number,
  machine: Machine = thisProcess,
): PeriodicTask {
  let before = machine.utilization();
  let callsBefore = calls();
  let nextAt = machine.now() + lookMilliseconds;
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
    lookMilliseconds,
    () => undefined,
  );
}
