import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

/** In milliseconds. */
export interface Timeouts {
  /** For the whole request. */
  readonly request: number;
  /** For the request headers. */
  readonly headers: number;
  /** For the next request on a kept-alive connection. */
  readonly keepAlive: number;
  /** For making the response. Longer than any response takes. */
  readonly answer: number;
  /** For the client to read the next byte of the response. Node waits twice as long after a partial read. */
  readonly unread: number;
  /** For a last request on an idle connection when the service stops. */
  readonly lastCall: number;
}

export const defaultTimeouts: Timeouts = {
  request: 30_000,
  headers: 10_000,
  keepAlive: 72_000,
  answer: 120_000,
  unread: 55_000,
  lastCall: 1_000,
};

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The connections of a server, each with its unfinished requests, oldest first. */
export class Connections {
  readonly #pending = new Map<Socket, Set<Exchange>>();
  readonly #lastCallMilliseconds: number;
  #isClosing = false;
  /** True if no connection waits for another request. */
  #isOver = false;

  /** @param lastCallMilliseconds the time for a last request when the server closes */
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
      // The headers of this response may have been sent before the server began to close.
      if (this.#isOver && pending?.size === 0) socket.destroySoon();
    });
  }

  /**
   * Closes each connection after its next response, and idle ones after a short wait: a client may be sending a request
   * at
   * this moment, and would take a closed connection for a failure.
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

  /** Closes all connections. Returns the number of unanswered requests and of unread responses. */
  destroyAll(): { unanswered: number; untaken: number } {
    const exchanges = [...this.#pending.values()].flatMap((pending) => [...pending]);
    const untaken = exchanges.filter(({ response }) => response.headersSent).length;
    for (const socket of this.#pending.keys()) socket.destroy();
    return { unanswered: exchanges.length - untaken, untaken };
  }

  /**
   * While the server closes, sets `Connection: close` on the last pending response. On an earlier one, the client would
   * not
   * read the later responses.
   */
  setConnectionHeader({ raw: { socket } }: FastifyRequest, reply: FastifyReply): void {
    if (!this.#isClosing) return;
    const newest = [...(this.#pending.get(socket) ?? [])].at(-1);
    if (newest === undefined || newest.response === reply.raw) reply.header('connection', 'close');
    else reply.raw.removeHeader('connection');
  }

  /**
   * Starts the timeout for reading the response. Node restores its own timeout for the next request. Internal requests
   * have
   * no connection.
   */
  setUnreadTimeout({ raw: { socket } }: FastifyRequest, reply: FastifyReply, unread: number): void {
    if (this.#pending.has(socket)) reply.raw.setTimeout(unread);
  }

  /**
   * Resolves when the requests before an unreadable one are answered. Resolves to the unreadable request's own response
   * if
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

/** Tracks the connections of the app, and closes them gracefully with the app. */
export function watchConnections(
  app: FastifyInstance,
  { lastCall, unread }: Pick<Timeouts, 'lastCall' | 'unread'>,
): void {
  const connections = new Connections(app.server as Server, lastCall);
  app.decorate('connections', connections);
  // Node calls this when it closes. Node's own version would also close connections with an unread response.
  app.server.closeIdleConnections = () => connections.closeIdle();
  app.addHook('onSend', (request, reply, payload, done) => {
    connections.setConnectionHeader(request, reply);
    connections.setUnreadTimeout(request, reply, unread);
    done(null, payload);
  });
}
