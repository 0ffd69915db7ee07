import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type Crew, type CrewResult, type Orders, timesIn } from './attack.ts';

/** So many are opened at a time. */
const atOnce = 50;

/** Opens event streams, one on each connection, and takes all that comes until the time is over. */
export async function runStreamClients(
  { port }: Orders,
  { name, connections, marker = '\nevent: ' }: Crew,
  requests: readonly Buffer[],
  endsAt: number,
): Promise<CrewResult> {
  const statuses: Record<string, number> = {};
  let bytes = 0;
  let marked = 0;
  const note = (what: string) => {
    statuses[what] = (statuses[what] ?? 0) + 1;
  };

  function open(index: number) {
    const begun = Promise.withResolvers<void>();
    const socket = connect({ port, host: '127.0.0.1' });
    let hasBegun = false;
    const begin = (what: string) => {
      if (hasBegun) return;
      hasBegun = true;
      note(what);
      begun.resolve();
    };
    socket.on('error', () => begin('the connection was cut'));
    socket.on('close', () => begin('the connection was cut'));
    socket.on('data', (part: Buffer) => {
      bytes += part.length;
      begin(part.toString('latin1', 9, 12));
      marked += timesIn(part, marker);
    });
    socket.write(requests[index % requests.length] as Buffer);
    return { socket, begun: begun.promise };
  }

  const streams: ReturnType<typeof open>[] = [];
  for (let first = 0; first < connections && performance.now() < endsAt; first += atOnce) {
    const length = Math.min(atOnce, connections - first);
    const group = Array.from({ length }, (_, index) => open(first + index));
    streams.push(...group);
    await Promise.race([
      Promise.all(group.map(({ begun }) => begun)),
      setTimeout(Math.max(0, endsAt - performance.now()), undefined, { ref: false }),
    ]);
  }
  await setTimeout(Math.max(0, endsAt - performance.now()));
  for (const { socket } of streams) socket.destroy();
  return { name, sent: streams.length, statuses, largestAnswer: 0, bytes, marked };
}
