import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { limits } from '#http';

const logMilliseconds = 10_000;

/**
 * Limits the connections of a server. A connection is known if the last credential that it sent was valid. Above the
 * limit, a new connection closes the oldest unknown connection. So a client that opens thousands of connections without
 * a credential closes only its own connections.
 */
export class ConnectionLimit {
  readonly #maxConnections: number;
  readonly #onClosed: () => void;
  readonly #knownSockets = new Set<Socket>();
  /** Sorted by arrival, the oldest first. */
  readonly #unknown = new Set<Socket>();

  constructor(server: Server, maxConnections: number, onClosed: () => void) {
    this.#maxConnections = maxConnections;
    this.#onClosed = onClosed;
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  isKnown({ raw: { socket } }: FastifyRequest): boolean {
    return this.#knownSockets.has(socket);
  }

  admitted({ raw: { socket } }: FastifyRequest): void {
    const freeConnections =
      this.#maxConnections - Math.ceil(this.#maxConnections * limits.connections.reserve);
    if (this.#knownSockets.size < freeConnections && this.#unknown.delete(socket))
      this.#knownSockets.add(socket);
  }

  refused({ raw: { socket } }: FastifyRequest): void {
    if (this.#knownSockets.delete(socket)) this.#unknown.add(socket);
  }

  #add(socket: Socket): void {
    this.#unknown.add(socket);
    socket.once('close', () => {
      this.#knownSockets.delete(socket);
      this.#unknown.delete(socket);
    });
    if (this.#knownSockets.size + this.#unknown.size <= this.#maxConnections) return;
    const [oldest] = this.#unknown;
    if (oldest === undefined) return;
    this.#unknown.delete(oldest);
    oldest.destroy();
    this.#onClosed();
  }
}

/** Logs the first closed connection at once, and then the number of closed connections every ten seconds. */
export function logClosedConnections(
  logger: Pick<FastifyBaseLogger, 'warn'>,
  maxConnections: number,
): () => void {
  let closed = 0;
  let isQuiet = false;
  const logClosed = () => {
    isQuiet = closed > 0;
    if (!isQuiet) return;
    logger.warn(
      { closed, most: maxConnections },
      'too many connections: the oldest ones without a valid credential were closed',
    );
    closed = 0;
    setTimeout(logClosed, logMilliseconds).unref();
  };
  return () => {
    closed += 1;
    if (!isQuiet) logClosed();
  };
}
