import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProtocolError, type Refusal, refusalOf, setRefusal } from '#http';
import { presentError } from './errors.ts';
import { chooseMediaType } from './media-type.ts';
import type { GraphqlBounds } from './settings.ts';

/** Answers in GraphQL's form, whatever was thrown; what was not foreseen is logged once. */
export const createErrorHandler =
  (publicUrl: () => string, { maxBodyBytes }: GraphqlBounds) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = nameBound(refusalOf(error), maxBodyBytes);
    if (refusal.code === 'internal_error') request.log.error({ err: refusal.cause }, 'unforeseen');
    const presented = presentError(refusal, { requestId: request.id, publicUrl: publicUrl() });
    return setRefusal(reply, refusal)
      .type(`${chooseMediaType(request.headers.accept)}; charset=utf-8`)
      .send(JSON.stringify({ errors: [presented] }));
  };

function nameBound(refusal: Refusal, maxBodyBytes: number): Refusal {
  if (refusal.code !== 'payload_too_large') return refusal;
  const message = `The request body is larger than ${maxBodyBytes} bytes.`;
  return new ProtocolError('payload_too_large', { message });
}
