import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { propertyRuns, someCases } from '../support/property-runs.ts';
import { shapes } from './parser-shapes.ts';
import type { Growth, Question } from './parser-steps.worker.ts';

let worker: Worker;

/** The counting slows down all code in its thread, so it runs in a separate one. */
beforeAll(async () => {
  worker = new Worker(new URL('./parser-steps.worker.ts', import.meta.url));
  await once(worker, 'message');
}, 60_000);
afterAll(() => worker.terminate());

type Bytes = (size: number) => Uint8Array;

async function compare(bytes: Bytes, size: number): Promise<string[]> {
  const question: Question = { once: bytes(size), twice: bytes(2 * size) };
  worker.postMessage(question);
  const [growths] = (await once(worker, 'message')) as [Growth[]];
  return growths
    .filter(({ once, twice }) => twice > 2.3 * once + question.twice.length)
    .map(({ name }) => name);
}

/**
 * Returns the functions that need more than 2.3 times the steps for twice the bytes, at both tested
 * sizes. A function that first runs above some size grows only at one of the two. A single step per
 * byte doesn't count.
 */
async function findGrowth(bytes: Bytes): Promise<string[]> {
  const found = await compare(bytes, 4_096);
  if (found.length === 0) return [];
  const again = await compare(bytes, 8_192);
  return found.filter((name) => again.includes(name));
}

test.each(someCases(Object.entries(shapes)))(
  'twice the input costs each parser about twice the steps: %s',
  async (_, shape) => {
    expect(await findGrowth(shape)).toEqual([]);
  },
);

const unit = fc
  .array(fc.constantFrom(...'"\',;:.=&%{}[]()\\/ \n\r\tae0-_+\u0000é'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''));

test('twice the input costs each parser about twice the steps: any repeated text', async () => {
  await fc.assert(
    fc.asyncProperty(unit, unit, async (head, again) => {
      const text = (size: number) => Buffer.from(head + again.repeat(size / again.length));
      expect(await findGrowth(text)).toEqual([]);
    }),
    { numRuns: propertyRuns(40) },
  );
});
