import { readFileSync } from 'node:fs';
import { createHistogram, performance } from 'node:perf_hooks';
import { HttpConnection } from './connection.ts';
import type { Load, LoadResult } from './load.ts';
import { type LoadRequest, toBytes } from './requests.ts';

/**
 * The load generator, which runs as a separate process. `node generator.ts '<a Load as JSON>'` prints a LoadResult.
 *
 * In a closed loop, each connection sends its next request as soon as it gets a response. In an open loop, requests are
 * due at a constant rate, and a latency counts from the time at which the request was due. So if the program stalls,
 * all waiting requests show the delay.
 */
const load: Load = JSON.parse(process.argv[2] ?? '');
const requests: LoadRequest[] = JSON.parse(readFileSync(load.requestsFile, 'utf8'));
const prepared = requests.map((request) => ({
  bytes: toBytes(request),
  minBytes: request.minBytes,
}));

/** The maximum time for the last responses of an open loop, in milliseconds. */
const drainMilliseconds = 10_000;

interface ClientConnection {
  connection: HttpConnection;
  isBusy: boolean;
  dueAt: number;
  minBytes: number;
}

const failures: Record<string, number> = {};
/** The latencies in microseconds. */
const latencies = createHistogram({ figures: 3 });
let bodyBytes = 0;
let position = 0;
let startsAt = 0;
let endsAt = 0;
let onFree: (client: ClientConnection) => void = () => undefined;

function fail(what: string): void {
  failures[what] = (failures[what] ?? 0) + 1;
}

function openConnection(): ClientConnection {
  const client: ClientConnection = {
    connection: undefined as never,
    isBusy: false,
    dueAt: 0,
    minBytes: 0,
  };
  const open = (): HttpConnection =>
    new HttpConnection(load.port, {
      onAnswer({ status, bodyBytes: length }) {
        record(client, status, length);
        client.isBusy = false;
        onFree(client);
      },
      onEnd(error) {
        // A closed connection is a failure only during a request, because the program may close an idle connection.
        if (client.isBusy) fail(error.message);
        client.connection = open();
        client.isBusy = false;
        setTimeout(() => onFree(client), 50);
      },
    });
  client.connection = open();
  return client;
}

function record(client: ClientConnection, status: number, length: number): void {
  const now = performance.now();
  // A closed loop counts requests that finish in the measured time. An open loop counts requests that are due.
  const countedAt = load.rate === null ? now : client.dueAt;
  if (countedAt < startsAt || countedAt >= endsAt) return;
  latencies.record(Math.max(1, Math.round((now - client.dueAt) * 1_000)));
  bodyBytes += length;
  if (status !== 200) fail(String(status));
  else if (length < client.minBytes) fail('a body that is too short');
}

function send(client: ClientConnection, dueAt: number): void {
  const request = prepared[position];
  position = (position + 1) % prepared.length;
  if (request === undefined) throw new Error('there is nothing to ask');
  client.isBusy = true;
  client.minBytes = request.minBytes;
  client.dueAt = dueAt;
  client.connection.send(request.bytes);
}

async function runClosedLoop(clients: ClientConnection[]): Promise<void> {
  onFree = (client) => {
    const now = performance.now();
    if (now < endsAt) send(client, now);
  };
  for (const client of clients) onFree(client);
  await wait(endsAt - performance.now());
  // A slow program gets more time until its first request has finished.
  for (let more = 0; latencies.count === 0 && more < 20; more += 1) {
    endsAt += Math.max(1_000, load.seconds * 1_000);
    for (const client of clients) if (!client.isBusy) onFree(client);
    await wait(endsAt - performance.now());
  }
}

async function runOpenLoop(clients: ClientConnection[], rate: number): Promise<void> {
  const free = [...clients];
  const interval = 1_000 / rate;
  let next = performance.now();
  onFree = (client) => {
    free.push(client);
    sendDue();
  };
  function sendDue(): void {
    const now = performance.now();
    while (next <= now && next < endsAt) {
      // Uses the connection that was idle the longest. Otherwise the program may close it as idle.
      const client = free.shift();
      // If all connections are busy, the due request waits for a free one. Its latency includes this wait.
      if (client === undefined) return;
      send(client, next);
      next += interval;
    }
  }
  const timer = setInterval(sendDue, 1);
  await wait(endsAt - performance.now());
  const givesUpAt = performance.now() + drainMilliseconds;
  while ((next < endsAt || free.length < clients.length) && performance.now() < givesUpAt) {
    await wait(5);
  }
  clearInterval(timer);
  const unanswered =
    Math.max(0, Math.floor((endsAt - next) / interval)) + (clients.length - free.length);
  if (unanswered > 0) failures['no answer in time'] = unanswered;
}

const wait = (milliseconds: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));

const clients = Array.from({ length: load.connections }, openConnection);
startsAt = performance.now() + load.warmupSeconds * 1_000;
endsAt = startsAt + load.seconds * 1_000;
await (load.rate === null ? runClosedLoop(clients) : runOpenLoop(clients, load.rate));
for (const { connection } of clients) connection.close();

const milliseconds = (percent: number) => latencies.percentile(percent) / 1_000;

const result: LoadResult = {
  requests: latencies.count,
  requestsPerSecond: (1_000 * latencies.count) / (endsAt - startsAt),
  latency: { p50: milliseconds(50), p99: milliseconds(99) },
  failures,
  meanBodyBytes: latencies.count === 0 ? 0 : Math.round(bodyBytes / latencies.count),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
