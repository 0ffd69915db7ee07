import { once } from 'node:events';
import net from 'node:net';

export interface StatementCounter {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** Returns the number of statements during the work. */
  count(work: () => Promise<unknown>): Promise<number>;
  close(): Promise<void>;
}

export async function startStatementCounter(databaseUrl: string): Promise<StatementCounter> {
  const target = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  let statements = 0;

  const server = net.createServer((client) => {
    const upstream = net.connect({ host: target.hostname, port: Number(target.port || 5432) });
    const read = readMessages((type) => {
      if (type === 'E' || type === 'Q') statements += 1;
    });
    client.on('data', read);
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  return {
    url: url.href,
    async count(work) {
      const before = statements;
      await work();
      return statements - before;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Reads the types of a client's protocol messages. The first message of a connection has no type. */
function readMessages(onMessage: (type: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let typeLength = 0;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeLength + 4) {
      const length = typeLength + rest.readUInt32BE(typeLength);
      if (rest.length < length) return;
      if (typeLength === 1) onMessage(String.fromCharCode(rest[0] ?? 0));
      rest = rest.subarray(length);
      typeLength = 1;
    }
  };
}
