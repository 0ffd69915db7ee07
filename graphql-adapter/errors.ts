import { GraphQLError } from 'graphql';
import {
  AccessError,
  documentationUrl,
  type ErrorCode,
  type ErrorType,
  toAccessError,
} from '#core';

/** The status of an answer that is nothing but this refusal. Total: the compiler refuses a code without one. */
export const statusOf = {
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_scope: 403,
  access_required: 403,
  access_pending: 403,
  access_revoked: 403,
  company_not_found: 404,
  access_request_not_found: 404,
  metric_not_found: 404,
  invalid_query: 400,
  query_too_long: 400,
  query_too_deep: 400,
  query_too_many_aliases: 400,
  query_too_costly: 400,
  batch_too_large: 400,
  introspection_disabled: 400,
  route_not_found: 404,
  method_not_allowed: 405,
  malformed_json: 400,
  invalid_parameter: 400,
  payload_too_large: 413,
  unsupported_media_type: 415,
  missing_company_id: 422,
  missing_scopes: 422,
  invalid_scope: 422,
  scope_conflict: 409,
  request_conflict: 409,
  idempotency_key_reused: 422,
  idempotency_key_in_use: 409,
  rate_limit_exceeded: 429,
  not_implemented: 501,
  service_unavailable: 503,
  internal_error: 500,
} as const satisfies Record<ErrorCode, number>;

/** An entry of `errors`. Nothing else about an error leaves the service. */
export interface PresentedError {
  readonly message: string;
  readonly locations?: GraphQLError['locations'];
  readonly path?: GraphQLError['path'];
  readonly extensions: {
    readonly type: ErrorType;
    readonly code: ErrorCode;
    readonly requestId: string;
    readonly documentationUrl: string;
    /** Whole seconds after which the same call can succeed; absent where waiting does not help. */
    readonly retryAfterSeconds?: number;
  };
}

/** A refusal in GraphQL's form, at its place in the document and in the data if it has one. */
export function presentError(
  { type, code, message, retryAfterSeconds }: AccessError,
  { requestId, publicUrl }: { readonly requestId: string; readonly publicUrl: string },
  at?: Pick<GraphQLError, 'locations' | 'path'>,
): PresentedError {
  return {
    message,
    ...(at?.locations && { locations: at.locations }),
    ...(at?.path && { path: at.path }),
    extensions: {
      type,
      code,
      requestId,
      documentationUrl: documentationUrl(code, publicUrl),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  };
}

/** What the HTTP framework itself refuses, by its own codes. */
const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
};

/** The refusal that a thrown thing amounts to, those of the framework included. */
export function refusalOf(error: unknown): AccessError {
  const frameworkCode = (error as { code?: unknown } | null)?.code;
  const code = typeof frameworkCode === 'string' ? frameworkCodes[frameworkCode] : undefined;
  return code === undefined ? toAccessError(error) : new AccessError(code, { cause: error });
}

/** What is wrong with a document: in the words of the library, or a bound of ours that it goes beyond. */
export function refusalOfDocument(error: unknown): AccessError {
  const cause = causeOf(error);
  if (cause instanceof GraphQLError) return refuseWith('invalid_query', cause);
  // Nested so deeply that there is no stack left to look at it.
  if (cause instanceof RangeError) return new AccessError('query_too_deep', { cause });
  return toAccessError(cause);
}

/** What is wrong with the variables of an operation, so that it was not even begun. */
export function refusalOfVariables(error: GraphQLError): AccessError {
  return refuseWith('invalid_parameter', error);
}

/** What went wrong at one place while an operation was carried out. */
export function refusalOfField(error: GraphQLError): AccessError {
  const cause = causeOf(error);
  // An argument that cannot come in is refused with its place in the document; what cannot go out has none of its own.
  const isAboutArgument = cause instanceof GraphQLError && cause.nodes !== undefined;
  return isAboutArgument ? refuseWith('invalid_parameter', cause) : toAccessError(cause);
}

function refuseWith(code: ErrorCode, { message }: GraphQLError): AccessError {
  return new AccessError(code, { message });
}

/** The library wraps what rules and resolvers throw, sometimes more than once. */
function causeOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError
    ? causeOf(error.originalError)
    : error;
}
