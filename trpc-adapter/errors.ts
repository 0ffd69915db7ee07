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

/** tRPC's own code for each status. Total: the compiler refuses a status without one. */
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

/** tRPC's own code for one of ours. */
export const keyOf = (code: ErrorCode): TRPC_ERROR_CODE_KEY =>
  code === 'malformed_json' ? 'PARSE_ERROR' : keyOfStatus[errorAnswers[code].status];

/** What a client branches on. */
export interface ErrorData extends ErrorDetails {
  readonly type: ErrorType;
  /** One of those that are known today; a later version of the service may answer others. */
  readonly code: ErrorCode | (string & {});
  readonly requestId: string;
  readonly documentationUrl: string;
  /** Whole seconds after which the same call can succeed; absent where waiting does not help. */
  readonly retryAfterSeconds?: number;
}

/** A refusal as tRPC's clients read it. */
export interface ErrorShape {
  readonly message: string;
  /** tRPC's number for the kind of error; `data.code` says more. */
  readonly code: TRPC_ERROR_CODE_NUMBER;
  readonly data: ErrorData;
}

const calls: ConsentCalls = {
  request: 'accessRequests.create',
  amend: (id) => `accessRequests.amend of ${id}`,
  read: (id) => `accessRequests.get of ${id}`,
};

/** A refusal in tRPC's form. */
export function presentError(
  refusal: CallerRefusal,
  requestId: string,
  publicUrl: string,
): ErrorShape {
  const { message, ...data } = describeRefusal(refusal, { requestId, publicUrl }, calls);
  return { message, code: TRPC_ERROR_CODES_BY_KEY[keyOf(data.code)], data };
}

/** What tRPC itself refuses before a procedure runs. */
const refusalsOfTrpc: Partial<Record<TRPC_ERROR_CODE_KEY, () => CallerRefusal>> = {
  NOT_FOUND: () => new ProtocolError('route_not_found'),
  METHOD_NOT_SUPPORTED: () => new ProtocolError('method_not_allowed'),
  BAD_REQUEST: () => new AccessError('invalid_parameter'),
};

/** The refusal that an error of tRPC amounts to, or whatever else was thrown. */
export function refusalOf(error: unknown): CallerRefusal {
  if (!(error instanceof TRPCError)) return refusalOfThrown(error);
  const refusal = refusalOfThrown(error.cause ?? error);
  if (refusal.code !== 'internal_error' || error.cause instanceof AccessError) return refusal;
  return refusalsOfTrpc[error.code]?.() ?? refusal;
}
