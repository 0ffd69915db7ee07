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
  /** For the whole request to arrive. */
  readonly request: number;
  /** For its headers to arrive. */
  readonly headers: number;
  /** For the next request on a connection that is kept open. */
  readonly keepAlive: number;
  /** For an answer to be made. Longer than any takes. */
  readonly answer: number;
  /** For the next byte of an answer to be taken. Node waits twice as long when a part of it was taken meanwhile. */
  readonly unread: number;
  /** For a connection that waits for a request to bring it when the service stops. */
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

/** The connections of a server, each with its requests that are not answered to the end, oldest first. */
export class Connections {
  readonly #pending = new Map<Socket, Set<Exchange>>();
  readonly #lastCallMilliseconds: number;
  #isClosing = false;
  /** Whether no connection waits for another request any more. */
  #isOver = false;

  /** @param lastCallMilliseconds how long a connection may still bring a request when the server closes */
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
      // The headers of this answer may have left before the server began to close.
      if (this.#isOver && pending?.size === 0) socket.destroySoon();
    });
  }

  /**
   * Ends each connection with its next answer, and those without a pending request after a last call: a client that keeps
   * its connection may be sending at this very moment, and would have to take a connection that ends for a failure.
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

  /** Ends all connections, and returns how many requests were not answered and how many answers were not taken. */
  destroyAll(): { unanswered: number; untaken: number } {
    const exchanges = [...this.#pending.values()].flatMap((pending) => [...pending]);
    const untaken = exchanges.filter(({ response }) => response.headersSent).length;
    for (const socket of this.#pending.keys()) socket.destroy();
    return { unanswered: exchanges.length - untaken, untaken };
  }

  /**
   * While the server closes, the last pending answer of a connection says `Connection: close`. An earlier one must not,
   * because a client reads no answer after it.
   */
  setConnectionHeader({ raw: { socket } }: FastifyRequest, reply: FastifyReply): void {
    if (!this.#isClosing) return;
    const newest = [...(this.#pending.get(socket) ?? [])].at(-1);
    if (newest === undefined || newest.response === reply.raw) reply.header('connection', 'close');
    else reply.raw.removeHeader('connection');
  }

  /**
   * From now on the answer has to be taken. For the next request on the connection Node puts its own timeout back. A
   * request from inside has no connection.
   */
  setUnreadTimeout({ raw: { socket } }: FastifyRequest, reply: FastifyReply, unread: number): void {
    if (this.#pending.has(socket)) reply.raw.setTimeout(unread);
  }

  /**
   * Resolves when the requests before an unreadable one have been answered. It resolves to the unreadable request's own
   * response if the request was read in part.
   */
  async waitForEarlier(socket: Socket): Promise<ServerResponse | undefined> {
    const earlier = [...(this.#pending.get(socket) ?? [])];
    const begun = earlier.at(-1)?.request.complete === false ? earlier.pop() : undefined;
    await Promise.all(
      earlier.map(({ response }) => new Promise((resolve) => response.once('close', resolve))),
    );
    return begun?.response;
  }
}

/** Tracks the connections of the app, and lets them end when the app closes. */
export function watchConnections(
  app: FastifyInstance,
  { lastCall, unread }: Pick<Timeouts, 'lastCall' | 'unread'>,
): void {
  const connections = new Connections(app.server as Server, lastCall);
  app.decorate('connections', connections);
  // Node calls this when it closes. Its own version would also end a connection whose answer is not yet taken.
  app.server.closeIdleConnections = () => connections.closeIdle();
  app.addHook('onSend', (request, reply, payload, done) => {
    connections.setConnectionHeader(request, reply);
    connections.setUnreadTimeout(request, reply, unread);
    done(null, payload);
  });
}
