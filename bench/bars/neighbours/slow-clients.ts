import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Crew, CrewResult } from './attack.ts';

const bytesAtOnce = 64;

/** Each connection sends one request and then reads a few bytes of its answer a second, until the signal comes. */
export async function startSlowClients(
  port: number,
  { name, connections, maxRequests }: Crew,
  requests: readonly Buffer[],
  signal: AbortSignal,
): Promise<CrewResult> {
  const statuses: Record<string, number> = {};
  const note = (what: string) => {
    statuses[what] = (statuses[what] ?? 0) + 1;
  };
  let bytes = 0;
  const count = Math.min(connections, maxRequests);
  const sockets = Array.from({ length: count }, (_, index) => {
    let hasAnswer = false;
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => note('the connection was cut'));
    // Nothing flows: what is not read stays with the service once the buffers of the system are full.
    socket.on('readable', () => {
      if (!hasAnswer) read();
    });
    const read = () => {
      const part: Buffer | null = socket.read(Math.min(bytesAtOnce, socket.readableLength));
      if (part === null) return;
      bytes += part.length;
      if (!hasAnswer) note(part.toString('latin1', 9, 12));
      hasAnswer = true;
    };
    socket.write(requests[index % requests.length] as Buffer);
    return { socket, read };
  });
  while (!signal.aborted) {
    await setTimeout(1_000, undefined, { signal }).catch(() => undefined);
    for (const { read } of sockets) read();
  }
  for (const { socket } of sockets) socket.destroy();
  return { name, sent: count, statuses, largestAnswer: 0, bytes, marked: 0 };
}
