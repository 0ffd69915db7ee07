import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type RunningProgram, startProgram } from '../../program.ts';
import { readResidentSize, watchResidentSize } from '../../resident-size.ts';
import type { Setting } from '../../setting.ts';
import type { Attack, Attacked, Outcome, World } from './attack.ts';
import { Neighbour, type NeighbourOptions } from './neighbour.ts';
import { countRows, type Party, pointsOfKey } from './parties.ts';
import { startAttacker } from './start-attacker.ts';
import { judge } from './verdict.ts';

export interface ReplayOptions {
  readonly setting: Setting;
  readonly service: RunningProgram;
  readonly world: World;
  readonly neighbour: Omit<NeighbourOptions, 'port'>;
  readonly seconds: number;
  readonly slowSeconds: number;
  readonly quietSeconds: number;
}

/** The service writes some rows only after its response, so rows are counted until their number is stable. */
const settleChecks = 50;
const settleMilliseconds = 100;

export const startService = (
  setting: Setting,
  redisUrl: string,
  environment: Attack['environment'] = {},
): Promise<RunningProgram> =>
  startProgram('ours', {
    ...setting,
    redisUrl,
    // Gives company data only a small cache. Otherwise the growing cache would look like memory that an attack uses.
    environment: { GRAPHQL_INTROSPECTION: 'on', DATA_MEMORY_MIB: '32', ...environment },
  });

export const isRunning = ({ child }: RunningProgram): boolean =>
  child.exitCode === null && child.signalCode === null;

/** Kills the service, because an attacked service may have too much work to stop in time. */
export async function killService(service: RunningProgram): Promise<void> {
  if (!isRunning(service)) return;
  const { child } = service;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Runs the attack once. Measures the neighbour before, during and after the attack. */
export async function replay(
  attack: Attack,
  {
    setting,
    service,
    world,
    neighbour: options,
    seconds,
    slowSeconds,
    quietSeconds,
  }: ReplayOptions,
): Promise<Attacked> {
  const { port, pid, logFile } = service;
  const [party] = world.parties;
  await attack.prepare?.(world);
  const neighbour = new Neighbour({ ...options, port });
  try {
    const orders = { port, seconds, slowSeconds, crews: attack.crews(world) };
    const [begin] = await Promise.all([
      startAttacker(setting.folder, orders),
      // Warms up the service: the first reads open connections and fill caches.
      neighbour.readUntil(setTimeout(Math.min(1_000, quietSeconds * 1_000))),
    ]);
    const quiet = await neighbour.readUntil(setTimeout(quietSeconds * 1_000));
    const warningsBefore = countWarnings(logFile);
    const rowsBefore = await countRows(world.databaseUrl, party);
    const before = readResidentSize(pid);
    const peakSize = watchResidentSize(pid);
    const beganAt = performance.now();
    const attacking = Promise.all([begin(), attack.begin?.(world)]);
    // Reads for at least two seconds, because a median needs several reads, but some attacks finish at once.
    const enoughReads = setTimeout(Math.min(2_000, quietSeconds * 1_000));
    const attacked = await neighbour.readUntil(Promise.all([attacking, enoughReads]));
    const [crews] = await attacking;
    const took = (performance.now() - beganAt) / 1_000;
    const after = await neighbour.readUntil(setTimeout(quietSeconds * 1_000));
    const peak = peakSize();
    await attack.end?.(world);
    const rowsAfter = await settledRows(world.databaseUrl, party);
    const outcome: Outcome = {
      name: attack.name,
      what: attack.what,
      asksForMuch: attack.asksForMuch ?? false,
      seconds: took,
      quiet,
      attacked,
      after,
      survived: isRunning(service),
      memory: { before, peak },
      crews,
      points: await readPointsCharged(port, party),
      rows: {
        records: rowsAfter.records - rowsBefore.records,
        requests: rowsAfter.requests - rowsBefore.requests,
        mutations: rowsAfter.mutations - rowsBefore.mutations,
      },
      warnings: countWarnings(logFile) - warningsBefore,
    };
    return { ...outcome, checks: judge(attack, outcome) };
  } finally {
    neighbour.close();
  }
}

const countWarnings = (file: string): number =>
  readFileSync(file, 'utf8').match(/^\{"level":[4-6]0/gm)?.length ?? 0;

/** Waits until the number of rows is stable. */
async function settledRows(databaseUrl: string, party: Party) {
  let rows = await countRows(databaseUrl, party);
  for (let check = 1; check < settleChecks; check += 1) {
    await setTimeout(settleMilliseconds);
    const { records, mutations } = rows;
    rows = await countRows(databaseUrl, party);
    if (rows.records === records && rows.mutations === mutations) break;
  }
  return rows;
}

/**
 * Makes one more call and reads the remaining points from its response. Returns the points used so far, at most the
 * key's rate limit. Returns NaN if there is no response.
 */
async function readPointsCharged(port: number, { key }: Party): Promise<number> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/access-requests/ar_none`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(60_000),
    });
    await response.arrayBuffer();
    const remaining = Number(response.headers.get('ratelimit-remaining') ?? Number.NaN);
    return pointsOfKey - remaining - (response.status === 429 ? 0 : 1);
  } catch {
    return Number.NaN;
  }
}
