import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  createMigratedPostgresDatabase,
  type FreshDatabase,
  whyNoPostgres,
} from '../support/databases.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { findFreePort } from '../support/redis.ts';
import { startBalanced } from './support/balanced.ts';
import { findUnrecorded } from './support/books.ts';
import {
  asOperator,
  type Consent,
  callsOf,
  createPair,
  type PairCall,
} from './support/consents.ts';
import { startHaproxy } from './support/haproxy.ts';
import { isDataRead } from './support/outage.ts';
import { rounds } from './support/rounds.ts';
import { countStatuses, type Outcome, startTraffic } from './support/traffic.ts';

const whyNot = await whyNoPostgres();
if (whyNot !== null) console.error(`SKIPPED: services stopped under load: ${whyNot}`);
const hasHaproxy = await promisify(execFile)('haproxy', ['-v']).then(
  () => true,
  () => false,
);
if (!hasHaproxy) console.error('SKIPPED: a rolling restart behind HAProxy: it is not installed');

describe.skipIf(whyNot !== null)('two processes that are restarted one after the other', () => {
  let database: FreshDatabase;
  let pair: Consent;
  let ports: number[];
  const services: RunningService[] = [];

  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
    pair = await asOperator(database.url, createPair);
    ports = [await findFreePort(), await findFreePort()];
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.stop('SIGKILL')));
  });
  afterAll(async () => {
    killLeftovers();
    await database?.drop();
  });

  const start = async (index: number) => {
    services[index] = await startServiceProcess({
      DATABASE_URL: database.url,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
      RATE_LIMIT_POINTS: '1000000',
      PORT: String(ports[index]),
    });
  };

  /** Stops each process under load, expects the exit code 0, and starts it again. */
  async function replaceAll(
    wait: () => Promise<void>,
    untilAllServe: () => Promise<void> = async () => undefined,
  ): Promise<void> {
    for (let round = 0; round < rounds(2); round += 1) {
      for (const index of [0, 1]) {
        await wait();
        expect(await services[index]?.stop()).toEqual({ code: 0, signal: null });
        await wait();
        await start(index);
        await untilAllServe();
      }
    }
    await wait();
  }

  async function expectNoneFailed(outcomes: readonly Outcome<PairCall>[]): Promise<void> {
    expect(Object.keys(countStatuses(outcomes))).toEqual(['200']);
    expect(await findUnrecorded(database.url, outcomes.filter(isDataRead))).toEqual([]);
  }

  test.skipIf(!hasHaproxy)('let no HTTP request fail behind HAProxy', async () => {
    await Promise.all([start(0), start(1)]);
    const folder = await mkdtemp(join(inject('dataFolder'), 'haproxy-'));
    const proxy = await startHaproxy(folder, ports);
    try {
      const calls = callsOf(pair);
      let position = 0;
      const traffic = startTraffic<PairCall>(proxy.url, 16, () => {
        position = (position + 1) % calls.length;
        return calls[position] ?? null;
      });
      await replaceAll(
        () => traffic.more(200),
        () => proxy.untilAllServe(),
      );
      const outcomes = await traffic.stop();
      console.log(`behind HAProxy: ${JSON.stringify(countStatuses(outcomes))}`);
      await expectNoneFailed(outcomes);
    } finally {
      await proxy.stop();
    }
  });

  test('let no HTTP request fail for callers with persistent connections to both processes', async () => {
    await Promise.all([start(0), start(1)]);
    const traffic = startBalanced(ports, 16, callsOf(pair));
    await replaceAll(() => traffic.more(200));
    const outcomes = await traffic.stop();
    console.log(`with connections that are kept: ${JSON.stringify(countStatuses(outcomes))}`);
    await expectNoneFailed(outcomes);
  });
});
