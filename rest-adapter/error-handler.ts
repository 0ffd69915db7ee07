import type { FastifyReply, FastifyRequest } from 'fastify';
import { presentError, refusalOf } from './errors.ts';

/** Answers with the envelope, whatever was thrown; what was not foreseen is logged once. */
export const createErrorHandler =
  (publicUrl: () => string) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = refusalOf(error);
    if (refusal.code === 'internal_error') request.log.error({ err: refusal.cause }, 'unforeseen');
    const { status, headers, body } = presentError(refusal, request.id, publicUrl());
    return reply.code(status).headers(headers).send(body);
  };
