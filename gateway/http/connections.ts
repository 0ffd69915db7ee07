import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The connections of a server, each with its requests whose answers have not left yet, oldest first. */
export class Connections {
  readonly #pending = new Map<Socket, Set<Exchange>>();
  #isClosing = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      if (this.#isClosing) socket.destroy();
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
      // The answer may have begun before it could say that it is the last.
      if (this.#isClosing && pending?.size === 0) socket.destroySoon();
    });
  }

  /** Ends the connections that wait for a request, and from now on each other one with its last answer. */
  closeIdle(): void {
    this.#isClosing = true;
    for (const [socket, pending] of this.#pending) if (pending.size === 0) socket.destroy();
  }

  /** Ends all connections, and tells how many requests were not answered and how many answers were not taken. */
  cutOff(): { unanswered: number; untaken: number } {
    const exchanges = [...this.#pending.values()].flatMap((pending) => [...pending]);
    const untaken = exchanges.filter(({ response }) => response.headersSent).length;
    for (const socket of this.#pending.keys()) socket.destroy();
    return { unanswered: exchanges.length - untaken, untaken };
  }

  /**
   * While the server closes, an answer says that its connection ends with it. Of several that one connection waits for
   * only the last does, because a caller takes no answer after such a one.
   */
  announceEnd({ raw: { socket } }: FastifyRequest, reply: FastifyReply): void {
    if (!this.#isClosing) return;
    const newest = [...(this.#pending.get(socket) ?? [])].at(-1);
    if (newest === undefined || newest.response === reply.raw) reply.header('connection', 'close');
    else reply.raw.removeHeader('connection');
  }

  /**
   * Resolves when the requests before the one that cannot be read have been answered: to that one's own response if it
   * has been read in part.
   */
  async turn(socket: Socket): Promise<ServerResponse | undefined> {
    const earlier = [...(this.#pending.get(socket) ?? [])];
    const begun = earlier.at(-1)?.request.complete === false ? earlier.pop() : undefined;
    await Promise.all(
      earlier.map(({ response }) => new Promise((resolve) => response.once('close', resolve))),
    );
    return begun?.response;
  }
}

/** Knows the connections of the app from the first one on, and lets them end when it closes. */
export function watchConnections(app: FastifyInstance): Connections {
  const connections = new Connections(app.server as Server);
  app.decorate('connections', connections);
  // Node calls this when it closes; its own would also end a connection whose answer has not been taken yet.
  app.server.closeIdleConnections = () => connections.closeIdle();
  app.addHook('onSend', (request, reply, payload, done) => {
    connections.announceEnd(request, reply);
    done(null, payload);
  });
  return connections;
}
