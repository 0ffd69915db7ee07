import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import {
  documentationUrl,
  type ErrorCode,
  ProtocolError,
  type Refusal,
  statusOf,
} from './errors.ts';

/** What Fastify itself refuses, by its own codes. */
const frameworkCodes = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
} as const;

/** The refusal that a thrown thing amounts to: what was not foreseen is masked, and kept as its cause for the log. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof AccessError || error instanceof ProtocolError) return error;
  const { code } = (error ?? {}) as { code?: keyof typeof frameworkCodes };
  return code !== undefined && Object.hasOwn(frameworkCodes, code)
    ? new ProtocolError(frameworkCodes[code], { cause: error })
    : new AccessError('internal_error', { cause: error });
}

/** Gives an answer the status of a refusal, and the headers that go with it. */
export function setRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const status = statusOf[refusal.code];
  reply.request.refusalCode = refusal.code;
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (refusal instanceof ProtocolError && refusal.allow !== undefined) {
    reply.header('allow', refusal.allow.join(', '));
  }
  if (refusal.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(refusal.retryAfterSeconds));
  }
  return reply.code(status);
}

/** A refusal as REST shows it, and whatever belongs to no protocol. */
interface ErrorEnvelope {
  readonly error: {
    readonly type: Refusal['type'];
    readonly code: ErrorCode;
    readonly message: string;
    readonly request_id: string;
    readonly documentation_url: string;
  };
}

export function errorEnvelope(
  { type, code, message }: Pick<Refusal, 'type' | 'code' | 'message'>,
  requestId: string,
  publicUrl: string,
): ErrorEnvelope {
  const documentation_url = documentationUrl(code, publicUrl);
  return { error: { type, code, message, request_id: requestId, documentation_url } };
}

/** Answers with the envelope, whatever was thrown; what was not foreseen is logged once. */
export const createErrorHandler =
  (publicUrl: () => string) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = refusalOf(error);
    if (refusal.code === 'internal_error') request.log.error({ err: refusal.cause }, 'unforeseen');
    return setRefusal(reply, refusal).send(errorEnvelope(refusal, request.id, publicUrl()));
  };
