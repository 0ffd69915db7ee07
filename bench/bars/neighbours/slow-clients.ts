import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type Crew, type CrewResult, noAnswer, type Orders } from './attack.ts';

const bytesAtOnce = 64;

const lookMilliseconds = 50;

/** Each connection sends one request and then reads a few bytes of its answer a second, once every answer has begun. */
export async function runSlowClients(
  { port, slowSeconds }: Orders,
  { name, connections, maxRequests }: Crew,
  requests: readonly Buffer[],
  givesUpAt: number,
): Promise<CrewResult> {
  const statuses: Record<string, number> = {};
  const note = (what: string) => {
    statuses[what] = (statuses[what] ?? 0) + 1;
  };
  let bytes = 0;
  let waiting = Math.min(connections, maxRequests);
  const sockets = Array.from({ length: waiting }, (_, index) => {
    let hasBegun = false;
    const begin = (what: string) => {
      note(what);
      if (!hasBegun) waiting -= 1;
      hasBegun = true;
    };
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => begin('the connection was cut'));
    // Nothing flows: what is not read stays with the service once the buffers of the system are full.
    const read = () => {
      const part: Buffer | null = socket.read(Math.min(bytesAtOnce, socket.readableLength));
      if (part === null) return;
      bytes += part.length;
      if (!hasBegun) begin(part.toString('latin1', 9, 12));
    };
    socket.once('readable', read);
    socket.write(requests[index % requests.length] as Buffer);
    return { socket, read };
  });
  while (waiting > 0 && performance.now() < givesUpAt) await setTimeout(lookMilliseconds);
  if (waiting > 0) statuses[noAnswer] = waiting;
  for (let second = 0; second < slowSeconds; second += 1) {
    await setTimeout(Math.min(1, slowSeconds - second) * 1_000);
    for (const { read } of sockets) read();
  }
  for (const { socket } of sockets) socket.destroy();
  return { name, sent: sockets.length, statuses, largestAnswer: 0, bytes, marked: 0 };
}
