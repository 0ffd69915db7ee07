import { type TRPC_ERROR_CODE_KEY, type TRPC_ERROR_CODE_NUMBER, TRPCError } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import {
  AccessError,
  documentationUrl,
  type ErrorCode,
  type ErrorType,
  toAccessError,
} from '#core';

/** The form of each code: tRPC's own code and the status. Total: the compiler refuses a code without one. */
export const formOf = {
  missing_api_key: ['UNAUTHORIZED', 401],
  invalid_api_key: ['UNAUTHORIZED', 401],
  insufficient_scope: ['FORBIDDEN', 403],
  access_required: ['FORBIDDEN', 403],
  access_pending: ['FORBIDDEN', 403],
  access_revoked: ['FORBIDDEN', 403],
  company_not_found: ['NOT_FOUND', 404],
  access_request_not_found: ['NOT_FOUND', 404],
  metric_not_found: ['NOT_FOUND', 404],
  invalid_query: ['BAD_REQUEST', 400],
  query_too_long: ['BAD_REQUEST', 400],
  query_too_deep: ['BAD_REQUEST', 400],
  query_too_many_aliases: ['BAD_REQUEST', 400],
  query_too_costly: ['BAD_REQUEST', 400],
  batch_too_large: ['BAD_REQUEST', 400],
  introspection_disabled: ['BAD_REQUEST', 400],
  route_not_found: ['NOT_FOUND', 404],
  method_not_allowed: ['METHOD_NOT_SUPPORTED', 405],
  malformed_json: ['PARSE_ERROR', 400],
  invalid_parameter: ['BAD_REQUEST', 400],
  payload_too_large: ['PAYLOAD_TOO_LARGE', 413],
  unsupported_media_type: ['UNSUPPORTED_MEDIA_TYPE', 415],
  missing_company_id: ['UNPROCESSABLE_CONTENT', 422],
  missing_scopes: ['UNPROCESSABLE_CONTENT', 422],
  invalid_scope: ['UNPROCESSABLE_CONTENT', 422],
  scope_conflict: ['CONFLICT', 409],
  request_conflict: ['CONFLICT', 409],
  idempotency_key_reused: ['UNPROCESSABLE_CONTENT', 422],
  idempotency_key_in_use: ['CONFLICT', 409],
  rate_limit_exceeded: ['TOO_MANY_REQUESTS', 429],
  not_implemented: ['NOT_IMPLEMENTED', 501],
  service_unavailable: ['SERVICE_UNAVAILABLE', 503],
  internal_error: ['INTERNAL_SERVER_ERROR', 500],
} as const satisfies Record<ErrorCode, readonly [TRPC_ERROR_CODE_KEY, number]>;

/** What a client branches on. */
export interface ErrorData {
  readonly type: ErrorType;
  readonly code: ErrorCode;
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

/** A refusal in tRPC's form. */
export function presentError(error: AccessError, requestId: string, publicUrl: string): ErrorShape {
  return {
    message: error.message,
    code: TRPC_ERROR_CODES_BY_KEY[formOf[error.code][0]],
    data: {
      type: error.type,
      code: error.code,
      requestId,
      documentationUrl: documentationUrl(error.code, publicUrl),
      ...(error.retryAfterSeconds !== undefined && {
        retryAfterSeconds: error.retryAfterSeconds,
      }),
    },
  };
}

/** What the HTTP framework itself refuses, by its own codes. */
const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
};

/** The refusal that a thrown thing amounts to, those of the framework and what tRPC has wrapped included. */
export function refusalOf(error: unknown): AccessError {
  const thrown = error instanceof TRPCError && error.cause !== undefined ? error.cause : error;
  const frameworkCode = (thrown as { code?: unknown } | null)?.code;
  const code = typeof frameworkCode === 'string' ? frameworkCodes[frameworkCode] : undefined;
  return code === undefined ? toAccessError(thrown) : new AccessError(code, { cause: thrown });
}
