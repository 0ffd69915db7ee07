// @module-tag full
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attacked } from '../../bench/bars/neighbours/attack.ts';
import { whyNoPostgres } from '../support/databases.ts';
import { isFull } from '../support/property-runs.ts';
import { findRedis } from '../support/redis.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const attacks = [
  ...['graphql-batch', 'graphql-batches', 'mutations', 'refused-reads', 'slow-records'],
  ...['batches-of-operations', 'openapi', 'slow-pages', 'unknown-keys', 'anonymous-bodies'],
  ...['trpc-histories', 'graphql-histories', 'slow-histories', 'slow-batches', 'record-lists'],
  ...['lists', 'busy-limiter', 'paused-redis', 'streams', 'company-budget', 'fan-out'],
];

/** A quick run tests one attack of each kind. Each attack starts the servers that it needs. */
const tried = isFull
  ? attacks
  : ['graphql-batch', 'mutations', 'slow-pages', 'record-lists', 'lists'];

/** An idle machine needs about ten seconds. */
const busyMachineMilliseconds = 240_000;

const missing = await whyNoPostgres();
const redis = await findRedis();
if (missing !== null) console.error(`SKIPPED: neighbours: ${missing}`);
afterAll(() => redis?.stop());

/** Starts a short run of the script, as a person would on the command line. */
async function attackBriefly(): Promise<Attacked[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pa-neighbours-'));
  const file = join(folder, 'attacks.json');
  const { TEST_DATABASE_URL } = process.env;
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(
    process.execPath,
    ['bench/bars/neighbours.ts', '--smoke', '--json', file, '--only', tried.join(';')],
    {
      cwd: root,
      // The script removes its test database when it receives SIGTERM.
      timeout: busyMachineMilliseconds,
      env: {
        ...process.env,
        ...(TEST_DATABASE_URL && { BENCH_DATABASE_URL: TEST_DATABASE_URL }),
        ...(redis && { BENCH_REDIS_URL: redis.url }),
      },
    },
    // The script exits with 1 if an answer is slow on a busy machine. This test ignores the times.
    (_error, _stdout, stderr) => resolve(stderr),
  );
  const said = await promise;
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Error(`the script wrote no results:\n${said}`, { cause: error });
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe.skipIf(missing !== null || redis === null)('the benchmark script during an attack', () => {
  let results: Attacked[];
  beforeAll(async () => {
    results = await attackBriefly();
  }, busyMachineMilliseconds + 10_000);
  const resultOf = (attack: string) => {
    const result = results.find(({ name }) => name === attack);
    if (result === undefined) throw new Error(`${attack} was not replayed`);
    return result;
  };

  it('runs every tested attack', () => {
    expect(results.map(({ name }) => name)).toEqual(tried);
  });

  it.each(tried)('%s: another caller still gets its data', (attack) => {
    for (const phase of ['quiet', 'attacked', 'after'] as const) {
      const { reads, answers } = resultOf(attack)[phase];
      expect(reads).toBeGreaterThan(0);
      expect(answers).toEqual({ 200: reads });
    }
  });

  it.each(tried)('%s: the attacker gets no more responses than its rate limit allows', (attack) => {
    const { checks } = resultOf(attack);
    expect(checks.length).toBeGreaterThan(0);
    expect(checks.filter(({ passed, isOfMachine }) => !passed && !isOfMachine)).toEqual([]);
  });
});
