import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type Crew, type CrewResult, noAnswer, type Orders, timesIn } from './attack.ts';

/** The number of streams that are being opened at the same time. */
const streamsAtOnce = 50;
const bytesOfSlow = 64;

/** Opens connections. Each connection sends one HTTP request and keeps its response open. */
function openClients({ port }: Orders, requests: readonly Buffer[]) {
  const statuses: Record<string, number> = {};
  const sockets: ReturnType<typeof connect>[] = [];
  const open = (take: (part: Buffer) => void = () => undefined) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(requests[sockets.length % requests.length] as Buffer);
    sockets.push(socket);
    for (const end of ['error', 'close']) socket.on(end, () => resolve('the connection was cut'));
    const begun = promise.then((what) => {
      statuses[what] = (statuses[what] ?? 0) + 1;
    });
    return {
      socket,
      begun,
      onPart(part: Buffer) {
        resolve(part.toString('latin1', 9, 12));
        take(part);
      },
    };
  };
  const finish = (name: string, marked: number): CrewResult => {
    for (const socket of sockets) socket.destroy();
    return { name, sent: sockets.length, statuses, largestAnswer: 0, marked };
  };
  return { open, finish, statuses };
}

const within = (milliseconds: number, work: Promise<unknown>) =>
  Promise.race([work, setTimeout(Math.max(0, milliseconds), undefined, { ref: false })]);

/** Runs slow clients. They wait until all their responses have begun, and then read only a few bytes per second. */
export async function runSlowClients(
  orders: Orders,
  { name, connections, maxRequests }: Crew,
  requests: readonly Buffer[],
  givesUpAt: number,
): Promise<CrewResult> {
  const { open, finish, statuses } = openClients(orders, requests);
  const clients = Array.from({ length: Math.min(connections, maxRequests) }, () => {
    const { socket, begun, onPart } = open();
    // Reads without a 'data' listener. The stream is then paused, so unread data stays in the service.
    const read = () => {
      const part: Buffer | null = socket.read(Math.min(bytesOfSlow, socket.readableLength));
      if (part !== null) onPart(part);
    };
    socket.once('readable', read);
    return { read, begun };
  });
  await within(givesUpAt - performance.now(), Promise.all(clients.map(({ begun }) => begun)));
  const begun = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  if (begun < clients.length) statuses[noAnswer] = clients.length - begun;
  for (let second = 0; second < orders.slowSeconds; second += 1) {
    await setTimeout(Math.min(1, orders.slowSeconds - second) * 1_000);
    for (const { read } of clients) read();
  }
  return finish(name, 0);
}

/** Opens event streams and reads them until the attack ends. */
export async function runStreamClients(
  orders: Orders,
  { name, connections, marker = '\nevent: ' }: Crew,
  requests: readonly Buffer[],
  endsAt: number,
): Promise<CrewResult> {
  const { open, finish } = openClients(orders, requests);
  let marked = 0;
  const openStream = () => {
    const { socket, begun, onPart } = open((part) => {
      marked += timesIn(part, marker);
    });
    socket.on('data', onPart);
    return begun;
  };
  for (let first = 0; first < connections && performance.now() < endsAt; first += streamsAtOnce) {
    const length = Math.min(streamsAtOnce, connections - first);
    const group = Array.from({ length }, openStream);
    await within(endsAt - performance.now(), Promise.all(group));
  }
  await setTimeout(Math.max(0, endsAt - performance.now()));
  return finish(name, marked);
}
