import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import {
  AccessError,
  type Allowed,
  type ErrorDetails,
  type ErrorType,
  type NumberedProblem,
} from '#core';
import { type ConsentCalls, messageOf, restCalls } from './consent-steps.ts';
import { errorAnswers } from './error-answers.ts';
import { type CallerRefusal, documentationUrl, type ErrorCode, ProtocolError } from './errors.ts';

/** Fastify's own errors. */
const frameworkCodes = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
} as const;

/** Returns the refusal for any thrown value. Masks unexpected errors and keeps them as the cause for the log. */
export function refusalOf(error: unknown): CallerRefusal {
  if (error instanceof AccessError || error instanceof ProtocolError) return error;
  const { code } = (error ?? {}) as { code?: keyof typeof frameworkCodes };
  if (isAbortedBody(error)) return new ProtocolError('malformed_json', { cause: error });
  return code !== undefined && Object.hasOwn(frameworkCodes, code)
    ? new ProtocolError(frameworkCodes[code], { cause: error })
    : new AccessError('internal_error', { cause: error });
}

/** Node's own error for a message whose sender left in the middle. A database's reset connection has another message. */
const isAbortedBody = (error: unknown): boolean =>
  error instanceof Error &&
  error.message === 'aborted' &&
  (error as { code?: unknown }).code === 'ECONNRESET';

type ErrorLog = Pick<FastifyBaseLogger, 'error'>;

/** Logs a refusal only if it was unexpected. */
export function logUnforeseen(log: ErrorLog, { code, cause }: CallerRefusal): void {
  if (code === 'internal_error') log.error({ err: cause }, 'unforeseen');
}

/** Logs one line for all unexpected refusals of a request: the first cause and their number. */
export function logUnforeseenOnce(log: ErrorLog, refusals: readonly CallerRefusal[]): void {
  const unforeseen = refusals.filter(({ code }) => code === 'internal_error');
  const [first] = unforeseen;
  if (first) log.error({ err: first.cause, count: unforeseen.length }, 'unforeseen');
}

/** RFC 6750: a request without a credential gets no error code. */
const challengeOf = ({ code }: CallerRefusal): string =>
  code === 'missing_api_key' ? 'Bearer' : 'Bearer error="invalid_token"';

/** Sets the status and headers of a refusal. */
export function setRefusal(reply: FastifyReply, refusal: CallerRefusal): FastifyReply {
  const status = errorAnswers[refusal.code].status;
  reply.request.refusalCode = refusal.code;
  if (status === 401) reply.header('www-authenticate', challengeOf(refusal));
  if (refusal instanceof ProtocolError && refusal.allow !== undefined) {
    reply.header('allow', refusal.allow.join(', '));
  }
  if (refusal.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(refusal.retryAfterSeconds));
  }
  return reply.code(status);
}

/** The facts of a request that the description of a refusal needs. */
export interface Answering {
  readonly requestId: string;
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: string;
}

interface DescribedRefusal extends ErrorDetails {
  readonly type: ErrorType;
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string;
  readonly documentationUrl: string;
  /** Whole seconds after which the same call can succeed. Absent if waiting doesn't help. */
  readonly retryAfterSeconds?: number;
}

/**
 * Describes a refusal for GraphQL, tRPC and MCP, which have forms of their own. REST uses the form of its contract.
 *
 * @param calls the protocol's names for the next steps. Null if the protocol shows them elsewhere
 */
export function describeRefusal(
  refusal: CallerRefusal,
  { requestId, publicUrl }: Answering,
  calls: ConsentCalls | null,
): DescribedRefusal {
  const { type, code, message, details, retryAfterSeconds } = refusal;
  return {
    type,
    code,
    message: calls === null ? message : messageOf(refusal, calls),
    requestId,
    documentationUrl: documentationUrl(code, publicUrl),
    ...details,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** A refusal in the form of REST, which is also used outside the protocols. */
interface ErrorEnvelope {
  readonly error: {
    readonly type: CallerRefusal['type'];
    readonly code: ErrorCode;
    readonly message: string;
    readonly request_id: string;
    readonly documentation_url: string;
    readonly param?: string;
    readonly allowed?: readonly string[] | Readonly<Record<string, string | number>>;
    readonly access_request_id?: string;
    readonly details?: readonly NumberedProblem[];
    readonly bad_records?: number;
  };
}

export function errorEnvelope(
  refusal: Pick<CallerRefusal, 'type' | 'code' | 'message' | 'nextStep' | 'details'>,
  requestId: string,
  publicUrl: string,
): ErrorEnvelope {
  const { type, code, details } = refusal;
  const { param, allowed, accessRequestId, records, badRecords } = details;
  return {
    error: {
      type,
      code,
      message: messageOf(refusal, restCalls),
      request_id: requestId,
      documentation_url: documentationUrl(code, publicUrl),
      ...(param !== undefined && { param }),
      ...(allowed !== undefined && { allowed: presentAllowed(allowed) }),
      ...(accessRequestId !== undefined && { access_request_id: accessRequestId }),
      ...(records !== undefined && { details: records, bad_records: badRecords ?? 0 }),
    },
  };
}

function presentAllowed(allowed: Allowed): NonNullable<ErrorEnvelope['error']['allowed']> {
  if (Array.isArray(allowed)) return allowed;
  return Object.fromEntries(
    Object.entries(allowed).map(([bound, value]) => [toSnakeCase(bound), value]),
  );
}

export const toSnakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Writes the refusal of a whole request in an adapter's form. */
export type WriteRefusal = (
  refusal: CallerRefusal,
  answering: Answering,
  request: FastifyRequest,
) => { readonly body: object; readonly type?: string };

const writeEnvelope: WriteRefusal = (refusal, { requestId, publicUrl }) => ({
  body: errorEnvelope(refusal, requestId, publicUrl),
});

/**
 * Answers a request with the refusal for any thrown value. Logs unexpected errors once.
 *
 * @param write the form of the response. REST by default
 */
export const createErrorHandler =
  (publicUrl: () => string, write = writeEnvelope) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = refusalOf(error);
    logUnforeseen(request.log, refusal);
    const answering = { requestId: request.id, publicUrl: publicUrl() };
    const { body, type = 'application/json; charset=utf-8' } = write(refusal, answering, request);
    // The body that failed had set an ETag.
    reply.removeHeader('etag');
    return setRefusal(reply, refusal).type(type).send(JSON.stringify(body));
  };
