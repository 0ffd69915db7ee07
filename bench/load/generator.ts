import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { HttpConnection } from './connection.ts';
import { Histogram } from './histogram.ts';
import type { Load, LoadResult, RequestList } from './load.ts';
import { toBytes } from './requests.ts';

/**
 * The load generator, a process of its own: `node generator.ts '<a Load as JSON>'` prints a LoadResult.
 *
 * Closed loop: each connection has one request under way, always. Open loop: requests are due at a constant rate, and
 * the latency of each counts from the instant at which it was due, so that a program that stalls is charged for all
 * that would have come meanwhile.
 */
const load: Load = JSON.parse(process.argv[2] ?? '');
const list: RequestList = JSON.parse(readFileSync(load.requestsFile, 'utf8'));
const prepared = list.map((request) => ({ bytes: toBytes(request), minBytes: request.minBytes }));

/** How long the last answers of an open loop may take after its end. */
const drainMilliseconds = 10_000;

interface Lane {
  connection: HttpConnection;
  isBusy: boolean;
  dueAt: number;
  minBytes: number;
}

const failures: Record<string, number> = {};
const latencies = new Histogram();
let bodyBytes = 0;
let position = 0;
let startsAt = 0;
let endsAt = 0;
let onFree: (lane: Lane) => void = () => undefined;

function fail(what: string): void {
  failures[what] = (failures[what] ?? 0) + 1;
}

function createLane(): Lane {
  const lane: Lane = { connection: undefined as never, isBusy: false, dueAt: 0, minBytes: 0 };
  const open = (): HttpConnection =>
    new HttpConnection(load.port, {
      onAnswer({ status, bodyBytes: length }) {
        note(lane, status, length);
        lane.isBusy = false;
        onFree(lane);
      },
      onEnd(error) {
        fail(error.message);
        lane.connection = open();
        lane.isBusy = false;
        setTimeout(() => onFree(lane), 50);
      },
    });
  lane.connection = open();
  return lane;
}

function note(lane: Lane, status: number, length: number): void {
  const now = performance.now();
  // A closed loop counts what ends in the time, an open one what was due in it.
  const counts = load.rate === null ? now : lane.dueAt;
  if (counts < startsAt || counts >= endsAt) return;
  latencies.add(now - lane.dueAt);
  bodyBytes += length;
  if (status !== 200) fail(String(status));
  else if (length < lane.minBytes) fail('a body that is too short');
}

function send(lane: Lane, dueAt: number): void {
  const request = prepared[position];
  position = (position + 1) % prepared.length;
  if (request === undefined) throw new Error('there is nothing to ask');
  lane.isBusy = true;
  lane.dueAt = dueAt;
  lane.minBytes = request.minBytes;
  lane.connection.send(request.bytes);
}

async function runClosedLoop(lanes: Lane[]): Promise<void> {
  onFree = (lane) => {
    const now = performance.now();
    if (now < endsAt) send(lane, now);
  };
  for (const lane of lanes) onFree(lane);
  await wait(endsAt - performance.now());
}

async function runOpenLoop(lanes: Lane[], rate: number): Promise<void> {
  const free = [...lanes];
  const interval = 1_000 / rate;
  let next = performance.now();
  onFree = (lane) => {
    free.push(lane);
    sendDue();
  };
  function sendDue(): void {
    const now = performance.now();
    while (next <= now && next < endsAt) {
      const lane = free.pop();
      // All are busy: what is due waits, and its time runs.
      if (lane === undefined) return;
      send(lane, next);
      next += interval;
    }
  }
  const timer = setInterval(sendDue, 1);
  await wait(endsAt - performance.now());
  const givesUpAt = performance.now() + drainMilliseconds;
  while ((next < endsAt || free.length < lanes.length) && performance.now() < givesUpAt) {
    await wait(5);
  }
  clearInterval(timer);
  const unanswered =
    Math.max(0, Math.floor((endsAt - next) / interval)) + (lanes.length - free.length);
  if (unanswered > 0) failures['no answer in time'] = unanswered;
}

const wait = (milliseconds: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));

const lanes = Array.from({ length: load.connections }, createLane);
startsAt = performance.now() + load.warmupSeconds * 1_000;
endsAt = startsAt + load.seconds * 1_000;
let before = performance.eventLoopUtilization();
setTimeout(() => {
  before = performance.eventLoopUtilization();
}, load.warmupSeconds * 1_000);
await (load.rate === null ? runClosedLoop(lanes) : runOpenLoop(lanes, load.rate));
const { utilization } = performance.eventLoopUtilization(before);
for (const { connection } of lanes) connection.close();

const result: LoadResult = {
  requests: latencies.total,
  requestsPerSecond: latencies.total / load.seconds,
  latency: {
    p50: latencies.quantile(0.5),
    p90: latencies.quantile(0.9),
    p99: latencies.quantile(0.99),
    max: latencies.max,
  },
  failures,
  meanBodyBytes: latencies.total === 0 ? 0 : Math.round(bodyBytes / latencies.total),
  generatorBusy: utilization,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
