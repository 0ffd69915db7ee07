import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

/** In milliseconds. */
export const defaultTimeouts = {
  /** For the whole request. */
  request: 30_000,
  /** For the headers of the request. */
  headers: 10_000,
  /** For the next request on a kept-alive connection. */
  keepAlive: 72_000,
  /** For writing the response. No response takes this long. */
  answer: 120_000,
  /** For the client to read the next byte of the response. Node waits twice as long after a partial read. */
  unread: 55_000,
  /** For a last request on an idle connection when the service stops. */
  lastCall: 1_000,
};

export type Timeouts = Readonly<typeof defaultTimeouts>;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Tracks the connections of a server. Each has its unfinished requests, oldest first. */
export class Connections {
  readonly #pending = new Map<Socket, Set<Exchange>>();
  readonly #lastCallMilliseconds: number;
  #isClosing = false;
  /** True after the time for last requests. */
  #isOver = false;

  constructor(server: Server, lastCallMilliseconds: number) {
    this.#lastCallMilliseconds = lastCallMilliseconds;
    server.on('connection', (socket: Socket) => {
      if (this.#isOver) socket.destroy();
      this.#pending.set(socket, new Set());
      socket.once('close', () => this.#pending.delete(socket));
    });
    server.prependListener('request', (request, response) => this.#add({ request, response }));
  }

  #add(exchange: Exchange): void {
    const { socket } = exchange.request;
    const pending = this.#pending.get(socket);
    pending?.add(exchange);
    exchange.response.once('close', () => {
      pending?.delete(exchange);
      // The headers of this response may be older than the stop, so the client may keep the connection open.
      if (this.#isOver && pending?.size === 0) socket.destroySoon();
    });
  }

  /**
   * Closes each connection after its next response, and idle connections after a short wait. A client that is sending a
   * request would treat a closed connection as a failure.
   */
  closeIdle(): void {
    this.#isClosing = true;
    const close = () => {
      this.#isOver = true;
      for (const [socket, pending] of this.#pending) if (pending.size === 0) socket.destroy();
    };
    if (this.#lastCallMilliseconds === 0) close();
    else setTimeout(close, this.#lastCallMilliseconds).unref();
  }

  /** Closes all connections. Returns the number of requests without a response, and of responses that weren't read. */
  destroyAll(): { unanswered: number; untaken: number } {
    const exchanges = [...this.#pending.values()].flatMap((pending) => [...pending]);
    const untaken = exchanges.filter(({ response }) => response.headersSent).length;
    for (const socket of this.#pending.keys()) socket.destroy();
    return { unanswered: exchanges.length - untaken, untaken };
  }

  /**
   * While the server closes, sets `Connection: close` on the last pending response only. After that header, a client
   * reads no further response.
   */
  setConnectionHeader({ raw: { socket } }: FastifyRequest, reply: FastifyReply): void {
    if (!this.#isClosing) return;
    const newest = [...(this.#pending.get(socket) ?? [])].at(-1);
    if (newest === undefined || newest.response === reply.raw) reply.header('connection', 'close');
    else reply.raw.removeHeader('connection');
  }

  /** Starts the timeout for reading the response. Node restores its own timeout for the next request. */
  setUnreadTimeout({ raw: { socket } }: FastifyRequest, reply: FastifyReply, unread: number): void {
    // Requests by `inject` have no connection.
    if (this.#pending.has(socket)) reply.raw.setTimeout(unread);
  }

  /**
   * Resolves when the requests before an unreadable one are answered. Returns the response of the unreadable request if
   * that request was partly read.
   */
  async waitForEarlier(socket: Socket): Promise<ServerResponse | undefined> {
    const earlier = [...(this.#pending.get(socket) ?? [])];
    const partlyRead = earlier.at(-1)?.request.complete === false ? earlier.pop() : undefined;
    await Promise.all(
      earlier.map(({ response }) => new Promise((resolve) => response.once('close', resolve))),
    );
    return partlyRead?.response;
  }
}

/** Lets the connections of the app close gracefully with the app. */
export function watchConnections(
  app: FastifyInstance,
  { lastCall, unread }: Pick<Timeouts, 'lastCall' | 'unread'>,
): void {
  const connections = new Connections(app.server as Server, lastCall);
  app.decorate('connections', connections);
  // Node calls this function when it closes. Node's own version also closes connections with an unread response.
  app.server.closeIdleConnections = () => connections.closeIdle();
  app.addHook('onSend', (request, reply, payload, done) => {
    connections.setConnectionHeader(request, reply);
    connections.setUnreadTimeout(request, reply, unread);
    done(null, payload);
  });
}
