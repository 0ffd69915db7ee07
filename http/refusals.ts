import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, type Allowed } from '#core';
import { type ConsentCalls, describeWithNextStep, restCalls } from './consent-steps.ts';
import { errorAnswers } from './error-answers.ts';
import { type CallerRefusal, documentationUrl, ProtocolError } from './errors.ts';

const frameworkCodes = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
} as const;

/** Converts any thrown value. An unexpected error becomes `internal_error`, with the error as the cause. */
export function refusalOf(error: unknown): CallerRefusal {
  if (error instanceof AccessError || error instanceof ProtocolError) return error;
  const { code } = (error ?? {}) as { code?: keyof typeof frameworkCodes };
  if (isAbortedBody(error)) return new ProtocolError('malformed_json', { cause: error });
  return code !== undefined && Object.hasOwn(frameworkCodes, code)
    ? new ProtocolError(frameworkCodes[code], { cause: error })
    : new AccessError('internal_error', { cause: error });
}

/**
 * True for Node's error when a client disconnects while it sends the body. An error about a lost database connection
 * has the same code but another message.
 */
const isAbortedBody = (error: unknown): boolean =>
  error instanceof Error &&
  error.message === 'aborted' &&
  (error as { code?: unknown }).code === 'ECONNRESET';

type ErrorLog = Pick<FastifyBaseLogger, 'error'>;

export function logIfInternalError(log: ErrorLog, { code, cause }: CallerRefusal): void {
  if (code === 'internal_error') log.error({ err: cause }, 'unexpected error');
}

/** Logs one line for all unexpected errors of an HTTP request, with the first cause and the number of errors. */
export function logInternalErrorsOnce(log: ErrorLog, refusals: readonly CallerRefusal[]): void {
  const internalErrors = refusals.filter(({ code }) => code === 'internal_error');
  const [first] = internalErrors;
  if (first) log.error({ err: first.cause, count: internalErrors.length }, 'unexpected error');
}

/** RFC 6750: the response to a request without a credential contains no error code. */
const challengeOf = ({ code }: CallerRefusal): string =>
  code === 'missing_api_key' ? 'Bearer' : 'Bearer error="invalid_token"';

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

export interface AnswerContext {
  readonly requestId: string;
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: string;
}

/**
 * Describes a refusal for GraphQL, tRPC and MCP. If waiting doesn't help, `retryAfterSeconds` is absent.
 *
 * @param calls the protocol's names for operations, used to describe the next step. If null, the message contains no
 * next step
 */
export function describeRefusal(
  refusal: CallerRefusal,
  { requestId, publicUrl }: AnswerContext,
  calls: ConsentCalls | null,
) {
  const { type, code, message, details, retryAfterSeconds } = refusal;
  return {
    type,
    code,
    message: calls === null ? message : describeWithNextStep(refusal, calls),
    requestId,
    documentationUrl: documentationUrl(code, publicUrl),
    ...details,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** Returns the body of a refusal in REST. Paths that belong to no protocol use the same body. */
export function errorEnvelope(
  refusal: Pick<CallerRefusal, 'type' | 'code' | 'message' | 'nextStep' | 'details'>,
  requestId: string,
  publicUrl: string,
) {
  const { type, code, details } = refusal;
  const { param, allowed, accessRequestId, records, badRecords } = details;
  return {
    error: {
      type,
      code,
      message: describeWithNextStep(refusal, restCalls),
      request_id: requestId,
      documentation_url: documentationUrl(code, publicUrl),
      ...(param !== undefined && { param }),
      ...(allowed !== undefined && { allowed: presentAllowed(allowed) }),
      ...(accessRequestId !== undefined && { access_request_id: accessRequestId }),
      ...(records !== undefined && { details: records, bad_records: badRecords ?? 0 }),
    },
  };
}

const presentAllowed = (allowed: Allowed): Allowed =>
  Array.isArray(allowed) ? allowed : snakeCaseKeys(allowed as object);

export const toSnakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** Renames the fields of an object for REST, in the same order. Nested objects stay unchanged. */
export const snakeCaseKeys = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [toSnakeCase(name), value])) as {
    -readonly [Name in keyof Fields as SnakeCase<Name>]: Fields[Name];
  };

export type WriteRefusal = (
  refusal: CallerRefusal,
  answerContext: AnswerContext,
  request: FastifyRequest,
) => { readonly body: object; readonly type?: string };

const writeEnvelope: WriteRefusal = (refusal, { requestId, publicUrl }) => ({
  body: errorEnvelope(refusal, requestId, publicUrl),
});

/**
 * Creates the error handler of an adapter.
 *
 * @param write writes the response body. The default is REST
 */
export const createErrorHandler =
  (publicUrl: () => string, write = writeEnvelope) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = refusalOf(error);
    logIfInternalError(request.log, refusal);
    const answerContext = { requestId: request.id, publicUrl: publicUrl() };
    const { body, type = 'application/json; charset=utf-8' } = write(
      refusal,
      answerContext,
      request,
    );
    // The handler may have set an ETag for a body and then failed to write this body.
    reply.removeHeader('etag');
    return setRefusal(reply, refusal).type(type).send(JSON.stringify(body));
  };
