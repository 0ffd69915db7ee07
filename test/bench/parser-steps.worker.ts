import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { shapes } from './parser-shapes.ts';
import { createParsers } from './parsers.ts';

/** The bytes to parse, and twice as many bytes of the same kind. */
export interface Question {
  readonly once: Uint8Array;
  readonly twice: Uint8Array;
}

/** The runs of a function's busiest block, for the bytes and for twice as many. */
export interface Growth {
  readonly name: string;
  readonly once: number;
  readonly twice: number;
}

// Optimized code inlines small functions, and V8 then doesn't count their calls.
setFlagsFromString('--no-opt');
setFlagsFromString('--no-maglev');

const parsers = Object.values(await createParsers());
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

async function countSteps(bytes: Uint8Array): Promise<Map<string, number>> {
  await session.post('Profiler.takePreciseCoverage');
  for (const parse of parsers) {
    try {
      await parse(Buffer.from(bytes));
    } catch {
      // Parsers refuse most of these bytes, but the test needs only the number of steps.
    }
  }
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const steps = new Map<string, number>();
  for (const { url, functions } of result)
    for (const { functionName, ranges } of functions) {
      const name = `${functionName} at ${ranges[0]?.startOffset} of ${url}`;
      steps.set(name, Math.max(...ranges.map(({ count }) => count)));
    }
  return steps;
}

// V8 counts a function only from its second call on.
for (const shape of Object.values(shapes)) await countSteps(shape(128));

parentPort?.on('message', async ({ once, twice }: Question) => {
  const before = await countSteps(once);
  const after = await countSteps(twice);
  const growths = [...after].map(([name, count]): Growth => {
    return { name, once: before.get(name) ?? 0, twice: count };
  });
  parentPort?.postMessage(growths);
});
parentPort?.postMessage('ready');
