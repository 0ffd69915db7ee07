import { type AccessError, accessErrors, type ErrorDetails, type ErrorType } from '#core';

/** Errors of the HTTP protocols. The core has its own catalogue of errors. */
const protocolErrors = {
  missing_api_key: {
    type: 'authentication_error',
    message: 'No API key was given. Send the header "Authorization: Bearer <API_KEY>".',
  },
  invalid_query: {
    type: 'invalid_request_error',
    message: 'The GraphQL document can’t be parsed, or doesn’t match the schema.',
  },
  query_too_long: {
    type: 'invalid_request_error',
    message: 'The GraphQL document has too many tokens.',
  },
  query_too_deep: {
    type: 'invalid_request_error',
    message: 'The GraphQL document is nested too deeply.',
  },
  query_too_many_aliases: {
    type: 'invalid_request_error',
    message: 'The GraphQL document has too many aliases.',
  },
  query_too_costly: {
    type: 'invalid_request_error',
    message: 'The GraphQL document requests too much at once.',
  },
  batch_too_large: {
    type: 'invalid_request_error',
    message: 'The batch has too many calls.',
  },
  persisted_query_not_found: {
    type: 'not_found_error',
    message: 'No document has this hash.',
  },
  persisted_query_mismatch: {
    type: 'invalid_request_error',
    message: 'The hash doesn’t match the document.',
  },
  document_not_trusted: {
    type: 'invalid_request_error',
    message: 'Only trusted documents are allowed.',
  },
  introspection_disabled: {
    type: 'invalid_request_error',
    message: 'This API key can’t read the schema.',
  },
  origin_not_allowed: {
    type: 'permission_error',
    message: 'Pages of this origin may not call the service.',
  },
  route_not_found: {
    type: 'not_found_error',
    message: 'This path doesn’t exist.',
  },
  method_not_allowed: {
    type: 'invalid_request_error',
    message: 'This path doesn’t support the method.',
  },
  malformed_json: {
    type: 'invalid_request_error',
    message: 'The request body is not valid JSON.',
  },
  payload_too_large: {
    type: 'invalid_request_error',
    message:
      'The request body is too large. The limit is 1 MiB for records of company data and 64 KiB elsewhere.',
  },
  unsupported_media_type: {
    type: 'invalid_request_error',
    message:
      'The request body must be application/json; records of company data may be application/x-ndjson.',
  },
} as const satisfies Record<string, { readonly type: ErrorType; readonly message: string }>;

type ProtocolErrorCode = keyof typeof protocolErrors;

interface ProtocolErrorOptions {
  /** Replaces the default message of the error code. */
  readonly message?: string;
  readonly allow?: readonly string[];
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

export class ProtocolError extends Error {
  readonly code: ProtocolErrorCode;
  readonly type: ErrorType;
  readonly allow: readonly string[] | undefined;
  readonly details: ErrorDetails;
  readonly nextStep = undefined;
  readonly retryAfterSeconds = undefined;

  constructor(code: ProtocolErrorCode, options: ProtocolErrorOptions = {}) {
    super(options.message ?? protocolErrors[code].message, { cause: options.cause });
    this.name = 'ProtocolError';
    this.code = code;
    this.type = protocolErrors[code].type;
    this.allow = options.allow;
    this.details = options.details ?? {};
  }
}

export type CallerRefusal = AccessError | ProtocolError;

export const errorCatalogue = { ...accessErrors, ...protocolErrors };

export type ErrorCode = keyof typeof errorCatalogue;

export function documentationUrl(code: ErrorCode, publicUrl: string): string {
  return `${publicUrl}/docs/errors#${code}`;
}
