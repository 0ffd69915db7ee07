import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { AccessError, type RateLimiter, untouchedRateLimit } from '#core';
import { errorEnvelope, ProtocolError, type Refusal } from '#http';
import { createId } from '../ids.ts';
import type { Connections } from './connections.ts';

interface ErrorHandlerOptions {
  readonly rateLimiter: Pick<RateLimiter, 'policy'>;
  readonly publicUrl: () => string;
  readonly logger: FastifyBaseLogger;
}

interface Unreadable {
  readonly status: number;
  readonly refusal: Refusal;
}

const unreadable: Readonly<Record<string, Unreadable>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    refusal: invalid('The headers of the request are too large.'),
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    refusal: invalid('The request did not arrive in time.'),
  },
  CONNECT: { status: 404, refusal: new ProtocolError('route_not_found') },
};
const notHttp: Unreadable = { status: 400, refusal: invalid('The request is not valid HTTP.') };

function invalid(message: string): AccessError {
  return new AccessError('invalid_parameter', { message });
}

/** How long a caller has to take such an answer and to close its side. */
const lingerMilliseconds = 1_000;

/**
 * Answers what no route sees: what is not HTTP, or comes too slowly, or wants a tunnel, still gets our envelope and
 * headers, as far as anybody listens, and its connection ends.
 */
export function createUnreadableRefusal(surroundings: ErrorHandlerOptions) {
  const refused = new WeakSet<Socket>();

  return async (reason: string | undefined, socket: Socket, connections: Connections) => {
    // What comes after it on the same connection cannot be read either.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (reason === 'ECONNRESET') return socket.destroy();
    const begun = await connections.turn(socket);
    if (!socket.writable) return socket.destroy();
    const timer = setTimeout(() => socket.destroy(), lingerMilliseconds);
    socket.once('close', () => clearTimeout(timer));
    if (begun?.headersSent) return socket.end();
    const requestId = createId('req');
    surroundings.logger.info({ request_id: requestId, reason }, 'unreadable request');
    return socket.end(write(unreadable[reason ?? ''] ?? notHttp, requestId, surroundings));
  };
}

function write(
  { status, refusal }: Unreadable,
  requestId: string,
  { rateLimiter, publicUrl }: ErrorHandlerOptions,
): string {
  const body = JSON.stringify(errorEnvelope(refusal, requestId, publicUrl()));
  const { limit, remaining, resetSeconds } = untouchedRateLimit(rateLimiter.policy);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    `Svc-Request-Id: ${requestId}`,
    `RateLimit-Limit: ${limit}`,
    `RateLimit-Remaining: ${remaining}`,
    `RateLimit-Reset: ${resetSeconds}`,
    '',
    body,
  ].join('\r\n');
}
