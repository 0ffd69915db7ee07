import { readFile } from 'node:fs/promises';
import net from 'node:net';
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
import { until } from './support/until.ts';

const whyNot =
  process.platform === 'linux' ? await whyNoPostgres() : 'connections are counted by Linux only';
if (whyNot !== null) console.error(`SKIPPED: clients that are slow or silent: ${whyNot}`);

const idleConnections = 5_000;
const slowConnections = 200;

/** These callers read during the whole test, each on a separate connection. */
const others = 4;

/** The limits in docs/operations.md for each kind of slow client, plus ten seconds for a busy machine. */
const endsWithin = { headers: 25_000, request: 45_000, unread: 130_000 };

/** ESTABLISHED and CLOSE_WAIT in /proc/net/tcp. The service still keeps connections in these states. */
const openStates = ['01', '08'];

/**
 * Counts the connections at the service, because a client that doesn't read doesn't notice the end
 * of its connection.
 */
async function countConnections(port: number): Promise<number> {
  const [, ...rows] = (await readFile('/proc/net/tcp', 'utf8')).trim().split('\n');
  const connections = rows.map((row) => row.trim().split(/\s+/));
  return connections.filter(
    ([, local = '', , state = '']) =>
      Number.parseInt(local.split(':')[1] ?? '', 16) === port && openStates.includes(state),
  ).length;
}

function trickle(socket: net.Socket, begin: string): void {
  socket.write(begin);
  const timer = setInterval(() => socket.write('a'), 1_000).unref();
  socket.once('close', () => clearInterval(timer));
}

describe.skipIf(whyNot !== null)('other callers', () => {
  let database: FreshDatabase;
  let service: RunningService;
  let pair: Consent;
  let other: Consent;

  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
    [pair, other] = await asOperator(database.url, async (side) => [
      await createPair(side),
      await createPair(side),
    ]);
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

  async function open(
    count: number,
    onOpen: (socket: net.Socket) => unknown,
    { isReading = true } = {},
  ): Promise<net.Socket[]> {
    const { hostname: host, port } = new URL(service.url);
    const sockets: net.Socket[] = [];
    while (sockets.length < count) {
      const some = Array.from({ length: Math.min(100, count - sockets.length) }, async () => {
        const socket = net.connect({ host, port: Number(port), allowHalfOpen: true });
        sockets.push(socket);
        socket.on('error', () => undefined);
        await new Promise((resolve) => socket.once('connect', resolve));
        socket.on('end', () => socket.end());
        if (isReading) socket.resume();
        onOpen(socket);
      });
      await Promise.all(some);
    }
    return sockets;
  }

  /**
   * Checks that all other callers are served, and that all slow clients are disconnected in time.
   * Returns the initial number of connections.
   */
  async function expectOthersServed(
    name: string,
    milliseconds: number,
    gather: () => Promise<net.Socket[]>,
  ): Promise<number> {
    const calls = callsOf(pair);
    let position = 0;
    const traffic = startTraffic<PairCall>(service.url, others, () => {
      position = (position + 1) % calls.length;
      return calls[position] ?? null;
    });
    await traffic.more(50);
    const crowd = await gather();
    const startedAt = performance.now();
    const port = Number(new URL(service.url).port);
    const atFirst = await countConnections(port);
    const areAway = async () => (await countConnections(port)) <= others;
    const isOver = await until(areAway, milliseconds, 250).then(
      () => true,
      () => false,
    );
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    await traffic.more(50);
    const outcomes = await traffic.stop();
    const slowest = Math.round(
      outcomes.reduce((most, { sentAt, endedAt }) => Math.max(most, endedAt - sentAt), 0),
    );
    console.log(
      `${name}: ${JSON.stringify({ ...countStatuses(outcomes), atFirst, slowest, seconds })}`,
    );
    for (const socket of crowd) socket.destroy();
    expect(Object.keys(countStatuses(outcomes))).toEqual(['200']);
    expect(isOver).toBe(true);
    return atFirst;
  }

  test('are served while 5,000 connections send nothing', async () => {
    const atFirst = await expectOthersServed('silent', endsWithin.headers, () =>
      open(idleConnections, () => undefined),
    );
    expect(atFirst).toBeGreaterThanOrEqual(idleConnections);
  });

  test('are served while other clients send headers byte by byte', async () => {
    const atFirst = await expectOthersServed('headers byte by byte', endsWithin.headers, () =>
      open(slowConnections, (socket) => {
        trickle(socket, 'GET /v1/companies HTTP/1.1\r\nHost: a\r\nX-Slow: ');
      }),
    );
    expect(atFirst).toBeGreaterThanOrEqual(slowConnections);
  });

  test('are served while other clients send bodies byte by byte', async () => {
    const head = [
      'POST /v1/access-requests HTTP/1.1',
      'Host: a',
      // All these requests have the key of one caller, so only this caller has to wait.
      `Authorization: Bearer ${other.key}`,
      'Content-Type: application/json',
      'Content-Length: 1000',
    ];
    const atFirst = await expectOthersServed('bodies byte by byte', endsWithin.request, () =>
      open(slowConnections, (socket) => trickle(socket, `${head.join('\r\n')}\r\n\r\n{`)),
    );
    expect(atFirst).toBeGreaterThanOrEqual(slowConnections);
  });

  test('are served while other clients never read their long responses', async () => {
    const path = '/docs/js/scalar.js';
    const times = 8;
    const { byteLength } = await (await fetch(service.url + path)).arrayBuffer();
    expect(byteLength * times).toBeGreaterThan(16 * 1024 ** 2);
    const requests = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(times);
    const atFirst = await expectOthersServed('nothing taken', endsWithin.unread, () =>
      open(slowConnections, (socket) => socket.write(requests), { isReading: false }),
    );
    expect(atFirst).toBeGreaterThanOrEqual(slowConnections);
  });

  test('are served while other clients stop in the middle of a request and half-close the connection', async () => {
    await expectOthersServed('half closed', endsWithin.headers, () =>
      open(slowConnections, (socket) => {
        socket.end('POST /v1/access-requests HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{');
      }),
    );
  });
});
