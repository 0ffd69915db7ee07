import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';

/** The part of all connections that those of admitted callers never take: health checks and new callers come by it. */
const keptForStrangers = 1 / 10;

const logMilliseconds = 10_000;

/**
 * Bounds the connections of a server. A connection is known while the last credential that it brought was admitted. When
 * there are too many, the oldest of the others is closed for the newest one, so whoever opens thousands and shows no
 * credential closes his own, and keeps neither a known caller nor a new one away.
 */
export class ConnectionLimit {
  readonly #most: number;
  readonly #onClosed: () => void;
  readonly #known = new Set<Socket>();
  /** Oldest first. */
  readonly #strangers = new Set<Socket>();

  /** @param onClosed called for each connection that is closed because there are too many */
  constructor(server: Server, most: number, onClosed: () => void) {
    this.#most = most;
    this.#onClosed = onClosed;
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  isKnown({ raw: { socket } }: FastifyRequest): boolean {
    return this.#known.has(socket);
  }

  admitted({ raw: { socket } }: FastifyRequest): void {
    const room = this.#most - Math.ceil(this.#most * keptForStrangers);
    if (this.#known.size < room && this.#strangers.delete(socket)) this.#known.add(socket);
  }

  refused({ raw: { socket } }: FastifyRequest): void {
    if (this.#known.delete(socket)) this.#strangers.add(socket);
  }

  #add(socket: Socket): void {
    this.#strangers.add(socket);
    socket.once('close', () => {
      this.#known.delete(socket);
      this.#strangers.delete(socket);
    });
    if (this.#known.size + this.#strangers.size <= this.#most) return;
    const [oldest] = this.#strangers;
    if (oldest === undefined) return;
    this.#strangers.delete(oldest);
    oldest.destroy();
    this.#onClosed();
  }
}

/** A line at once and then one every ten seconds, each with the number of connections that were closed since. */
export function logClosedConnections(
  logger: Pick<FastifyBaseLogger, 'warn'>,
  most: number,
): () => void {
  let closed = 0;
  let isQuiet = false;
  const tell = () => {
    isQuiet = closed > 0;
    if (!isQuiet) return;
    logger.warn(
      { closed, most },
      'too many connections: the oldest of those without an admitted caller were closed',
    );
    closed = 0;
    setTimeout(tell, logMilliseconds).unref();
  };
  return () => {
    closed += 1;
    if (!isQuiet) tell();
  };
}
