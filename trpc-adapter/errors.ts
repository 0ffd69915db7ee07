import { type TRPC_ERROR_CODE_KEY, type TRPC_ERROR_CODE_NUMBER, TRPCError } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { AccessError, type ErrorDetails, type ErrorType } from '#core';
import {
  type CallerRefusal,
  type ConsentCalls,
  describeRefusal,
  type ErrorCode,
  errorAnswers,
  ProtocolError,
  refusalOf as refusalOfThrown,
} from '#http';

type Status = (typeof errorAnswers)[ErrorCode]['status'];

/** The tRPC code for each HTTP status. The compiler rejects a status without a code. */
const keyOfStatus = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  410: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  501: 'NOT_IMPLEMENTED',
  503: 'SERVICE_UNAVAILABLE',
} as const satisfies Record<Status, TRPC_ERROR_CODE_KEY>;

export const keyOf = (code: ErrorCode): TRPC_ERROR_CODE_KEY =>
  code === 'malformed_json' ? 'PARSE_ERROR' : keyOfStatus[errorAnswers[code].status];

/** The details of an error. Programs distinguish errors by `code`. */
export interface ErrorData extends ErrorDetails {
  readonly type: ErrorType;
  /** A code that this version knows. Later versions of the service may return other codes. */
  readonly code: ErrorCode | (string & {});
  readonly requestId: string;
  readonly documentationUrl: string;
  /** Seconds until the same call can succeed, as a whole number. Absent if waiting doesn't help. */
  readonly retryAfterSeconds?: number;
}

/** An error in the format that tRPC's clients expect. */
export interface ErrorShape {
  readonly message: string;
  /** tRPC's number for the kind of error. The exact code is in `data.code`. */
  readonly code: TRPC_ERROR_CODE_NUMBER;
  readonly data: ErrorData;
}

const calls: ConsentCalls = {
  request: 'accessRequests.create',
  amend: (id) => `accessRequests.amend of ${id}`,
  read: (id) => `accessRequests.get of ${id}`,
};

export function presentError(
  refusal: CallerRefusal,
  requestId: string,
  publicUrl: string,
): ErrorShape {
  const { message, ...data } = describeRefusal(refusal, { requestId, publicUrl }, calls);
  return { message, code: TRPC_ERROR_CODES_BY_KEY[keyOf(data.code)], data };
}

/** tRPC itself throws these errors before a procedure runs. */
const refusalsOfTrpc: Partial<Record<TRPC_ERROR_CODE_KEY, () => CallerRefusal>> = {
  NOT_FOUND: () => new ProtocolError('route_not_found'),
  METHOD_NOT_SUPPORTED: () => new ProtocolError('method_not_allowed'),
  BAD_REQUEST: () => new AccessError('invalid_parameter'),
};

export function refusalOf(error: unknown): CallerRefusal {
  if (!(error instanceof TRPCError)) return refusalOfThrown(error);
  const refusal = refusalOfThrown(error.cause ?? error);
  if (refusal.code !== 'internal_error' || error.cause instanceof AccessError) return refusal;
  return refusalsOfTrpc[error.code]?.() ?? refusal;
}
