import { once } from 'node:events';
import net from 'node:net';

/** A test can interrupt the service's connection to a dependency. */
export interface TcpProxy {
  readonly port: number;
  open(): void;
  /** Closes and refuses connections, like a machine without a server. */
  cut(): void;
  /** Keeps and accepts connections, but lets no data pass. */
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

  /** Data is lost while the proxy hangs, so these connections are closed afterwards. */
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
