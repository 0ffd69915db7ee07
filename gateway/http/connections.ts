import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

/** All times are in milliseconds. */
export const defaultTimeouts = {
  /** The time for receiving the complete request. */
  request: 30_000,
  /** The time for receiving the headers of the request. */
  headers: 10_000,
  /** The time for the next request on an open connection. */
  keepAlive: 72_000,
  /** The limit for writing the response. It is longer than any response takes. */
  answer: 120_000,
  /** The time for the client to read the next byte of the response. After a partial read, Node waits twice as long. */
  unread: 55_000,
  /** When the service stops, an idle connection stays open this long for a last request. */
  lastCall: 1_000,
};

export type Timeouts = Readonly<typeof defaultTimeouts>;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Tracks a server's connections, and the unfinished requests of each connection, oldest first. */
export class Connections {
  readonly #pending = new Map<Socket, Set<Exchange>>();
  readonly #lastCallMilliseconds: number;
  #isClosing = false;
  /** True when the server has stopped waiting for last requests. */
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
      // The headers of this response may have been sent before the server started to stop. The client may therefore
      // keep the connection open, so the server closes it.
      if (this.#isOver && pending?.size === 0) socket.destroySoon();
    });
  }

  /**
   * Closes each connection after its next response. Closes idle connections after a short wait: a client that is just
   * sending a request would treat a closed connection as a failure.
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

  /** Returns the number of unanswered requests, and the number of responses that weren't completely read. */
  destroyAll(): { unanswered: number; untaken: number } {
    const exchanges = [...this.#pending.values()].flatMap((pending) => [...pending]);
    const untaken = exchanges.filter(({ response }) => response.headersSent).length;
    for (const socket of this.#pending.keys()) socket.destroy();
    return { unanswered: exchanges.length - untaken, untaken };
  }

  /**
   * While the server closes, sets `Connection: close` only on the last pending response of a connection. After this
   * header, a client ignores all further responses.
   */
  setConnectionHeader({ raw: { socket } }: FastifyRequest, reply: FastifyReply): void {
    if (!this.#isClosing) return;
    const newest = [...(this.#pending.get(socket) ?? [])].at(-1);
    if (newest === undefined || newest.response === reply.raw) reply.header('connection', 'close');
    else reply.raw.removeHeader('connection');
  }

  /** Starts the timeout for reading the response. For the next request, Node sets its own timeout again. */
  setUnreadTimeout({ raw: { socket } }: FastifyRequest, reply: FastifyReply, unread: number): void {
    // A request by `inject` has no connection.
    if (this.#pending.has(socket)) reply.raw.setTimeout(unread);
  }

  /** Waits for the answers to earlier requests. Returns the response if the unreadable request was partly read. */
  async waitForEarlier(socket: Socket): Promise<ServerResponse | undefined> {
    const earlier = [...(this.#pending.get(socket) ?? [])];
    const partlyRead = earlier.at(-1)?.request.complete === false ? earlier.pop() : undefined;
    await Promise.all(
      earlier.map(({ response }) => new Promise((resolve) => response.once('close', resolve))),
    );
    return partlyRead?.response;
  }
}

/** Closes the connections of the app gracefully when the app closes. */
export function watchConnections(
  app: FastifyInstance,
  { lastCall, unread }: Pick<Timeouts, 'lastCall' | 'unread'>,
): void {
  const connections = new Connections(app.server as Server, lastCall);
  app.decorate('connections', connections);
  // Node calls this when the server closes. Its own version also closes connections with unread responses.
  app.server.closeIdleConnections = () => connections.closeIdle();
  app.addHook('onSend', (request, reply, payload, done) => {
    connections.setConnectionHeader(request, reply);
    connections.setUnreadTimeout(request, reply, unread);
    done(null, payload);
  });
}
