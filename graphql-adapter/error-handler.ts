import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { presentError, refusalOf, statusOf } from './errors.ts';
import { chooseMediaType } from './media-type.ts';
import type { GraphqlBounds } from './settings.ts';

export const allow = 'GET, HEAD, POST, OPTIONS';

/** Answers in GraphQL's form, whatever was thrown; what was not foreseen is logged once. */
export const createErrorHandler =
  (publicUrl: () => string, { maxBodyBytes }: GraphqlBounds) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = nameBound(refusalOf(error), maxBodyBytes);
    if (refusal.code === 'internal_error') request.log.error({ err: refusal.cause }, 'unforeseen');
    const status = statusOf[refusal.code];
    if (status === 401) reply.header('www-authenticate', 'Bearer');
    // A GET is refused for what it holds, any other method for what it is.
    if (status === 405) reply.header('allow', isRead(request) ? 'POST' : allow);
    if (refusal.retryAfterSeconds !== undefined)
      reply.header('retry-after', String(refusal.retryAfterSeconds));
    const presented = presentError(refusal, { requestId: request.id, publicUrl: publicUrl() });
    return reply
      .code(status)
      .type(`${chooseMediaType(request.headers.accept)}; charset=utf-8`)
      .send(JSON.stringify({ errors: [presented] }));
  };

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function nameBound(refusal: AccessError, maxBodyBytes: number): AccessError {
  if (refusal.code !== 'payload_too_large') return refusal;
  const message = `The request body is larger than ${maxBodyBytes} bytes.`;
  return new AccessError('payload_too_large', { message });
}
