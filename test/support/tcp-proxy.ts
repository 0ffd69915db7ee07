import { once } from 'node:events';
import net from 'node:net';

/** A proxy between the service and one of its dependencies, with which a test can interrupt the connection. */
export interface TcpProxy {
  readonly port: number;
  open(): void;
  /** Closes every connection and refuses new ones, like a machine on which no server listens. */
  cut(): void;
  /** Accepts and keeps connections, but lets no data pass in either direction. */
  hang(): void;
  close(): Promise<void>;
}

type Mode = 'open' | 'cut' | 'hang';

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  let mode: Mode = 'open';
  const pairs = new Set<readonly [net.Socket, net.Socket]>();

  const server = net.createServer((client) => {
    if (mode === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = net.connect(target);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    forward(client, upstream);
    forward(upstream, client);
    const drop = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) {
      socket.on('error', drop);
      socket.on('close', drop);
    }
  });

  /**
   * Data that arrives while the proxy hangs is lost, so these connections are closed when the proxy lets data pass
   * again.
   */
  function forward(from: net.Socket, to: net.Socket): void {
    from.on('data', (chunk) => {
      if (mode === 'open') to.write(chunk);
    });
  }

  function cutAll(): void {
    for (const sockets of pairs) for (const socket of sockets) socket.destroy();
    pairs.clear();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as net.AddressInfo).port,
    open() {
      if (mode === 'hang') cutAll();
      mode = 'open';
    },
    cut() {
      mode = 'cut';
      cutAll();
    },
    hang() {
      mode = 'hang';
    },
    async close() {
      cutAll();
      server.close();
      await once(server, 'close');
    },
  };
}
