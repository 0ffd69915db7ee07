import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { AccessError, fullRateLimit, type RateLimiter } from '#core';
import { type CallerRefusal, errorEnvelope, ProtocolError } from '#http';
import { presentTrpcError } from '#trpc-adapter';
import { createId } from '../ids.ts';
import { rateLimitHeaders } from './admission.ts';
import type { Connections } from './connections.ts';

interface Options {
  readonly rateLimiter: Pick<RateLimiter, 'policy'>;
  readonly publicUrl: () => string;
  readonly logger: FastifyBaseLogger;
}

const answers: Readonly<Record<string, readonly [status: number, CallerRefusal]>> = {
  HPE_HEADER_OVERFLOW: [431, invalid('The headers of the request are too large.')],
  ERR_HTTP_REQUEST_TIMEOUT: [408, invalid('The request did not arrive in time.')],
  CONNECT: [404, new ProtocolError('route_not_found')],
};
const notHttp = [400, invalid('The request is not valid HTTP.')] as const;

function invalid(message: string): AccessError {
  return new AccessError('invalid_parameter', { message });
}

/** The time that the client has to read the response. */
const lingerMilliseconds = 1_000;

/**
 * Answers requests that reach no route, and closes the connection. Such a request isn't HTTP, is too slow, or uses
 * CONNECT. The response has the common headers and the error envelope of REST or tRPC.
 */
export function createUnreadableRefusal(options: Options) {
  const refused = new WeakSet<Socket>();

  return async (
    { code: reason, rawPacket }: { code: string | undefined; rawPacket?: unknown },
    socket: Socket,
    connections: Connections,
  ) => {
    // Node also reports later requests on this connection. They can't be read either, so they get no answer.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (reason === 'ECONNRESET') return socket.destroy();
    const response = await connections.waitForEarlier(socket);
    if (!socket.writable) return socket.destroy();
    const timer = setTimeout(() => socket.destroy(), lingerMilliseconds);
    socket.once('close', () => clearTimeout(timer));
    if (response?.headersSent) return socket.end();
    const requestId = createId('req');
    options.logger.info({ request_id: requestId, reason }, 'unreadable request');
    const form = isTrpc(rawPacket) ? writeTrpcError : errorEnvelope;
    return socket.end(formatAnswer(reason ?? '', requestId, options, form));
  };
}

type WriteError = (refusal: CallerRefusal, requestId: string, publicUrl: string) => object;

const writeTrpcError: WriteError = (...refused) => ({ error: presentTrpcError(...refused) });

const isTrpc = (packet: unknown): boolean =>
  Buffer.isBuffer(packet) && /^[A-Z]+ \/trpc[/?]/.test(packet.toString('latin1', 0, 32));

function formatAnswer(
  reason: string,
  requestId: string,
  { rateLimiter, publicUrl }: Options,
  write: WriteError,
): string {
  const [status, refusal] = answers[reason] ?? notHttp;
  const body = JSON.stringify(write(refusal, requestId, publicUrl()));
  const { policy } = rateLimiter;
  const budget = Object.entries(rateLimitHeaders(fullRateLimit(policy), policy));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    `Svc-Request-Id: ${requestId}`,
    ...budget.map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}
