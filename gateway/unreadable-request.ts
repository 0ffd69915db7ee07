import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { AccessError, type RateLimiter, untouchedRateLimit } from '#core';
import { presentError } from '#rest-adapter';
import { createId } from './ids.ts';

interface Surroundings {
  readonly rateLimiter: Pick<RateLimiter, 'policy'>;
  readonly publicUrl: () => string;
  readonly logger: FastifyBaseLogger;
}

const unreadable: Readonly<Record<string, { status: string; message: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The headers of the request are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'The request did not arrive in time.',
  },
};

/** What is not HTTP, or comes too slowly, still gets our envelope and headers, as far as anybody listens. */
export function refuseUnreadable(
  error: Error & { code?: string },
  socket: Socket,
  { rateLimiter, publicUrl, logger }: Surroundings,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = createId('req');
  const { status, message } = unreadable[error.code ?? ''] ?? {
    status: '400 Bad Request',
    message: 'The request is not valid HTTP.',
  };
  logger.info({ request_id: requestId, reason: error.code }, 'unreadable request');
  const refusal = new AccessError('invalid_parameter', { message });
  const body = JSON.stringify(presentError(refusal, requestId, publicUrl()).body);
  const { limit, remaining, resetSeconds } = untouchedRateLimit(rateLimiter.policy);
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Svc-Request-Id: ${requestId}`,
      `RateLimit-Limit: ${limit}`,
      `RateLimit-Remaining: ${remaining}`,
      `RateLimit-Reset: ${resetSeconds}`,
      '',
      body,
    ].join('\r\n'),
  );
}
