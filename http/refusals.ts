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

/** What Fastify itself refuses, by its own codes. */
const frameworkCodes = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
} as const;

/** The refusal that a thrown thing amounts to: what was not foreseen is masked, and kept as its cause for the log. */
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

/** Logs a refusal that was not foreseen, and no other. */
export function logUnforeseen(log: ErrorLog, { code, cause }: CallerRefusal): void {
  if (code === 'internal_error') log.error({ err: cause }, 'unforeseen');
}

/** However many of a request's refusals were not foreseen, one line is logged: the first cause, and how many. */
export function logUnforeseenOnce(log: ErrorLog, refusals: readonly CallerRefusal[]): void {
  const unforeseen = refusals.filter(({ code }) => code === 'internal_error');
  const [first] = unforeseen;
  if (first) log.error({ err: first.cause, count: unforeseen.length }, 'unforeseen');
}

/** RFC 6750: a request that sent no credential isn't told an error. */
const challengeOf = ({ code }: CallerRefusal): string =>
  code === 'missing_api_key' ? 'Bearer' : 'Bearer error="invalid_token"';

/** Gives an answer the status of a refusal, and the headers that go with it. */
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

/** What the description of a refusal needs of its request. */
export interface Answering {
  readonly requestId: string;
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: string;
}

interface DescribedRefusal extends ErrorDetails {
  readonly type: ErrorType;
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string;
  readonly documentationUrl: string;
  /** Whole seconds after which the same call can succeed; absent where waiting does not help. */
  readonly retryAfterSeconds?: number;
}

/**
 * What GraphQL, tRPC and MCP say of a refusal, each in its own form. REST has the form of its contract.
 *
 * @param calls how the message names what to do about consent that is not there; null: the protocol says so elsewhere
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

/** A refusal as REST shows it, and whatever belongs to no protocol. */
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

/** How an adapter writes the refusal of a whole request. */
export type WriteRefusal = (
  refusal: CallerRefusal,
  answering: Answering,
  request: FastifyRequest,
) => { readonly body: object; readonly type?: string };

const writeEnvelope: WriteRefusal = (refusal, { requestId, publicUrl }) => ({
  body: errorEnvelope(refusal, requestId, publicUrl),
});

/**
 * Answers a request with what refuses it, whatever was thrown; what was not foreseen is logged once.
 *
 * @param write the envelope of REST if nothing is said
 */
export const createErrorHandler =
  (publicUrl: () => string, write = writeEnvelope) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = refusalOf(error);
    logUnforeseen(request.log, refusal);
    const answering = { requestId: request.id, publicUrl: publicUrl() };
    const { body, type = 'application/json; charset=utf-8' } = write(refusal, answering, request);
    // What fails as it begins to be sent has the tag of what it was to be.
    reply.removeHeader('etag');
    return setRefusal(reply, refusal).type(type).send(JSON.stringify(body));
  };
