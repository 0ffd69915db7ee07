import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly calls: readonly ReceivedCall[];
  /** Includes connections without a request. */
  connections(): number;
  close(): Promise<void>;
}

/** Listens on the loopback address and records its requests. */
export async function startReceiver(
  answer: (call: ReceivedCall, response: ServerResponse) => unknown = (_call, response) =>
    response.writeHead(204).end(),
  { host = '127.0.0.1', port = 0 } = {},
): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const call = { path: request.url ?? '', headers: request.headers, body };
    calls.push(call);
    await answer(call, response);
  });
  server.on('connection', () => connections++);
  server.listen(port, host);
  await once(server, 'listening');
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${chosen}/hook`,
    port: chosen,
    calls,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
