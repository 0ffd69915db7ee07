import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  createMigratedPostgresDatabase,
  type FreshDatabase,
  whyNoPostgres,
} from '../support/databases.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import {
  asOperator,
  type Consent,
  callsOf,
  createPair,
  type PairCall,
} from './support/consents.ts';
import { countStatuses, startTraffic } from './support/traffic.ts';

const whyNot = await whyNoPostgres();
if (whyNot !== null) console.error(`SKIPPED: clients that are slow or silent: ${whyNot}`);

const idleConnections = 5_000;
const slowConnections = 200;

/** What sends no whole request is ended in 15 s, as docs/production.md says; the machine may be busy as well. */
const endsWithinMilliseconds = 25_000;

interface Crowd {
  readonly sockets: net.Socket[];
  /** Resolves when the service has ended all of them. */
  readonly ended: Promise<unknown>;
}

describe.skipIf(whyNot !== null)('clients that take their time', () => {
  let database: FreshDatabase;
  let service: RunningService;
  let pair: Consent;

  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
    pair = await asOperator(database.url, createPair);
    service = await startServiceProcess({
      DATABASE_URL: database.url,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
      RATE_LIMIT_POINTS: '1000000',
    });
  });
  afterAll(async () => {
    killLeftovers();
    await database?.drop();
  });

  async function open(count: number, onOpen: (socket: net.Socket) => unknown): Promise<Crowd> {
    const { hostname: host, port } = new URL(service.url);
    const sockets: net.Socket[] = [];
    const ends: Promise<unknown>[] = [];
    while (sockets.length < count) {
      const some = Array.from({ length: Math.min(100, count - sockets.length) }, async () => {
        const socket = net.connect({ host, port: Number(port), allowHalfOpen: true });
        sockets.push(socket);
        socket.on('error', () => undefined);
        ends.push(new Promise((resolve) => socket.once('close', resolve)));
        await new Promise((resolve) => socket.once('connect', resolve));
        socket.on('end', () => socket.end());
        onOpen(socket);
      });
      await Promise.all(some);
    }
    return { sockets, ended: Promise.all(ends) };
  }

  /** Everybody else is served all the time, and the crowd is sent away in time. */
  async function expectOthersServed(name: string, gather: () => Promise<Crowd>): Promise<void> {
    const calls = callsOf(pair);
    let position = 0;
    const traffic = startTraffic<PairCall>(service.url, 4, () => {
      position = (position + 1) % calls.length;
      return calls[position] ?? null;
    });
    await traffic.more(50);
    const crowd = await gather();
    const startedAt = performance.now();
    for (const socket of crowd.sockets) socket.resume();
    const isOver = await Promise.race([
      crowd.ended.then(() => true),
      wait(endsWithinMilliseconds, false, { ref: false }),
    ]);
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    await traffic.more(50);
    const outcomes = await traffic.stop();
    const times = outcomes.map(({ sentAt, endedAt }) => endedAt - sentAt);
    const slowest = Math.round(Math.max(...times));
    console.log(`${name}: ${JSON.stringify({ ...countStatuses(outcomes), slowest, seconds })}`);
    for (const socket of crowd.sockets) socket.destroy();
    expect(Object.keys(countStatuses(outcomes))).toEqual(['200']);
    expect(isOver).toBe(true);
  }

  test('5,000 connections that say nothing', async () => {
    await expectOthersServed('silent', () => open(idleConnections, () => undefined));
  });

  test('headers that come byte by byte', async () => {
    await expectOthersServed('byte by byte', () =>
      open(slowConnections, (socket) => {
        socket.write('GET /v1/companies HTTP/1.1\r\nHost: a\r\nX-Slow: ');
        const timer = setInterval(() => socket.write('a'), 1_000).unref();
        socket.once('close', () => clearInterval(timer));
      }),
    );
  });

  test('requests that end in their middle, with the line half closed', async () => {
    await expectOthersServed('half closed', () =>
      open(slowConnections, (socket) => {
        socket.end('POST /v1/access-requests HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{');
      }),
    );
  });
});
