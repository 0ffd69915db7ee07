import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Answer, HttpConnection } from '../../load/connection.ts';
import { toBytes } from '../../load/requests.ts';
import { type Crew, type CrewResult, noAnswer, type Orders, timesIn } from './attack.ts';
import { runSlowClients, runStreamClients } from './held-clients.ts';

/**
 * The program of the attacking process. `node attacker.ts FILE` reads its Orders from the file. The attack starts at
 * the first input on stdin. Prints a CrewResult for each group of connections (crew).
 */
const orders: Orders = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const pauseMilliseconds = 200;
/** How long the last responses may take after the end of the attack, so that their length can be measured. */
const drainMilliseconds = 20_000;
const prepared = orders.crews.map((crew) => ({ crew, requests: crew.requests.map(toBytes) }));

process.stdout.write('ready\n');
await once(process.stdin, 'data');
const stopping = new AbortController();
const timer = setTimeout(() => stopping.abort(), orders.seconds * 1_000);
const results = await Promise.all(
  prepared.map(({ crew, requests }) =>
    crew.isStream
      ? runStreamClients(orders, crew, requests, performance.now() + orders.seconds * 1_000)
      : crew.isSlow
        ? runSlowClients(orders, crew, requests, performance.now() + drainMilliseconds)
        : runLoops(crew, requests, stopping.signal),
  ),
);
clearTimeout(timer);
process.stdout.write(`${JSON.stringify(results)}\n`);
process.exit();

async function runLoops(
  crew: Crew,
  requests: readonly Buffer[],
  signal: AbortSignal,
): Promise<CrewResult> {
  const statuses: Record<string, number> = {};
  const { marker } = crew;
  let sent = 0;
  let largestAnswer = 0;
  let marked = 0;
  const note = (status: string, length = 0) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    largestAnswer = Math.max(largestAnswer, length);
  };

  function runLoop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let parts: Buffer[] = [];
    let isWaiting = false;
    let connection = open();
    function open(): HttpConnection {
      return new HttpConnection(orders.port, {
        onAnswer({ status, bodyBytes }: Answer) {
          isWaiting = false;
          note(String(status), bodyBytes);
          if (marker !== undefined) marked += timesIn(Buffer.concat(parts), marker);
          parts = [];
          if (status === 429 && !crew.isStubborn) setTimeout(send, pauseMilliseconds);
          else send();
        },
        ...(marker && { onBody: (part: Buffer) => parts.push(Buffer.from(part)) }),
        onEnd(error) {
          isWaiting = false;
          note(error.message);
          connection = open();
          setTimeout(send, pauseMilliseconds);
        },
      });
    }
    function send(): void {
      if (signal.aborted || sent >= crew.maxRequests) {
        finish();
        return;
      }
      isWaiting = true;
      connection.send(requests[sent % requests.length] as Buffer);
      sent += 1;
    }
    function finish(): void {
      if (isWaiting) note(noAnswer);
      isWaiting = false;
      connection.close();
      resolve();
    }
    signal.addEventListener('abort', () => setTimeout(finish, isWaiting ? drainMilliseconds : 0));
    send();
    return promise;
  }

  const loops = Math.min(crew.connections, crew.maxRequests);
  await Promise.all(Array.from({ length: loops }, runLoop));
  return { name: crew.name, sent, statuses, largestAnswer, marked };
}
