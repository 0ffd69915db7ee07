/** The error types of the contract. A client may group by type, but branches on the code. */
export const errorTypes = [
  'authentication_error',
  'permission_error',
  'invalid_request_error',
  'not_found_error',
  'rate_limit_error',
  'idempotency_error',
  'api_error',
] as const;

export type ErrorType = (typeof errorTypes)[number];

interface CatalogueEntry {
  readonly type: ErrorType;
  /** Said to the caller when the place that refuses has nothing more exact to say. */
  readonly message: string;
  /** What a caller does about it; shown on the page of error codes. */
  readonly remedy: string;
}

/**
 * Every refusal that a caller can meet, in any protocol. The catalogue is closed: a code that is not here
 * cannot be thrown, and each adapter's table over it is total, which the compiler checks.
 */
export const errorCatalogue = {
  missing_api_key: {
    type: 'authentication_error',
    message: 'No API key was given. Send the header "Authorization: Bearer <API_KEY>".',
    remedy: 'Send the key as a bearer token in the Authorization header.',
  },
  invalid_api_key: {
    type: 'authentication_error',
    message: 'The API key is not valid.',
    remedy:
      'Check that the whole key was sent and that it belongs to this service. A key that was lost, revoked or has expired is replaced by a new one.',
  },
  insufficient_scope: {
    type: 'permission_error',
    message: 'The API key lacks the scope that this needs.',
    remedy: 'Use a key that carries the scope named in the message.',
  },
  access_required: {
    type: 'permission_error',
    message: 'The company has not granted access to this data.',
    remedy: 'Ask the company for it with an access request (POST /v1/access-requests).',
  },
  access_pending: {
    type: 'permission_error',
    message: 'The company has not answered the access request yet.',
    remedy: 'Wait for the approval; poll GET /v1/access-requests to see the outcome.',
  },
  access_revoked: {
    type: 'permission_error',
    message: 'The company has revoked the access that it had granted.',
    remedy: 'Contact the company. A new access request may be submitted.',
  },
  company_not_found: {
    type: 'not_found_error',
    message: 'No such company in the portfolio of this API key.',
    remedy: 'List the companies of the portfolio with GET /v1/companies and use an id from there.',
  },
  access_request_not_found: {
    type: 'not_found_error',
    message: 'No such access request of this investor.',
    remedy: 'List the access requests and use an id from there.',
  },
  metric_not_found: {
    type: 'not_found_error',
    message: 'The company has no data for this metric.',
    remedy: 'List the available metrics with GET /v1/companies/{id}/metrics.',
  },
  invalid_query: {
    type: 'invalid_request_error',
    message: 'The GraphQL document cannot be read, or does not fit the schema.',
    remedy: 'Correct what the message names; the schema is at /graphql.',
  },
  query_too_long: {
    type: 'invalid_request_error',
    message: 'The GraphQL document has too many tokens.',
    remedy: 'Split the document, or ask for less at once.',
  },
  query_too_deep: {
    type: 'invalid_request_error',
    message: 'The GraphQL document is nested too deeply.',
    remedy: 'Ask for fewer levels at once.',
  },
  query_too_many_aliases: {
    type: 'invalid_request_error',
    message: 'The GraphQL document has too many aliases.',
    remedy: 'Ask for a list instead of one alias for each item.',
  },
  query_too_costly: {
    type: 'invalid_request_error',
    message: 'The GraphQL document asks for too much at once.',
    remedy: 'Ask for fewer fields or fewer lists at once.',
  },
  batch_too_large: {
    type: 'invalid_request_error',
    message: 'The batch holds too many calls.',
    remedy: 'Send the calls in several smaller batches.',
  },
  introspection_disabled: {
    type: 'invalid_request_error',
    message: 'The schema cannot be asked for with this API key.',
    remedy: 'Use a key of the test environment, or the schema file of this release.',
  },
  route_not_found: {
    type: 'not_found_error',
    message: 'There is nothing at this path.',
    remedy: 'Compare the path with the reference, which the service has at /docs.',
  },
  method_not_allowed: {
    type: 'invalid_request_error',
    message: 'This path does not support the method.',
    remedy: 'Use one of the methods named in the Allow header.',
  },
  malformed_json: {
    type: 'invalid_request_error',
    message: 'The request body is not valid JSON.',
    remedy: 'Send one JSON document, encoded as UTF-8.',
  },
  invalid_parameter: {
    type: 'invalid_request_error',
    message: 'A parameter has a value or a type that is not allowed.',
    remedy: 'Correct the parameter that the message names.',
  },
  payload_too_large: {
    type: 'invalid_request_error',
    message: 'The request body is larger than 64 KiB.',
    remedy: 'Send a smaller body.',
  },
  unsupported_media_type: {
    type: 'invalid_request_error',
    message: 'The request body must be application/json.',
    remedy: 'Send the header "Content-Type: application/json".',
  },
  missing_company_id: {
    type: 'invalid_request_error',
    message: 'The company is missing.',
    remedy: 'Name the company that is asked for access.',
  },
  missing_scopes: {
    type: 'invalid_request_error',
    message: 'The scopes are missing or empty.',
    remedy: 'Name at least one of metrics:read, accounts:read, sources:read.',
  },
  invalid_scope: {
    type: 'invalid_request_error',
    message: 'A requested scope cannot be granted.',
    remedy: 'Ask only for metrics:read, accounts:read or sources:read.',
  },
  scope_conflict: {
    type: 'invalid_request_error',
    message: 'A live access request for this company does not cover the requested scopes.',
    remedy:
      'Wait until the live request has ended (declined, expired or revoked), then ask for more.',
  },
  request_conflict: {
    type: 'idempotency_error',
    message: 'A concurrent access request for this company was resolved meanwhile.',
    remedy: 'Send the same request again.',
  },
  idempotency_key_reused: {
    type: 'idempotency_error',
    message: 'The idempotency key was used before with another body.',
    remedy: 'Use a new idempotency key for a new request.',
  },
  idempotency_key_in_use: {
    type: 'idempotency_error',
    message: 'A request with this idempotency key is still being carried out.',
    remedy: 'Wait a moment, then send the same request again.',
  },
  rate_limit_exceeded: {
    type: 'rate_limit_error',
    message: 'The rate limit of this API key is exceeded.',
    remedy: 'Wait for the seconds named in Retry-After, then send the request again.',
  },
  not_implemented: {
    type: 'api_error',
    message: 'This is announced but not available yet.',
    remedy: 'Watch the changelog for its release.',
  },
  service_unavailable: {
    type: 'api_error',
    message: 'The service is unavailable for the moment.',
    remedy: 'Wait for the seconds named in Retry-After, then send the request again.',
  },
  internal_error: {
    type: 'api_error',
    message: 'Something unexpected happened on our side.',
    remedy: 'Try again; if it stays, contact us and name the request id.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

export const errorCodes = Object.keys(errorCatalogue) as ErrorCode[];

interface AccessErrorOptions {
  readonly message?: string;
  /** Whole seconds after which the same call can succeed. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** How soon to try again when something that we depend on is down and nobody knows for how long. */
const outageSeconds = 5;

/** A refusal that a caller may see: its code is from the catalogue, its message discloses nothing of our inside. */
export class AccessError extends Error {
  readonly code: ErrorCode;
  readonly type: ErrorType;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: AccessErrorOptions = {}) {
    super(options.message ?? errorCatalogue[code].message, { cause: options.cause });
    this.name = 'AccessError';
    this.code = code;
    this.type = errorCatalogue[code].type;
    this.retryAfterSeconds =
      options.retryAfterSeconds ?? (code === 'service_unavailable' ? outageSeconds : undefined);
  }
}

/** What a thrown thing is to a caller: what was not foreseen is masked, its cause kept for the log. */
export function toAccessError(error: unknown): AccessError {
  return error instanceof AccessError ? error : new AccessError('internal_error', { cause: error });
}

/** Where a code is explained, by the service itself. */
export function documentationUrl(code: ErrorCode, publicUrl: string): string {
  return `${publicUrl}/docs/errors#${code}`;
}

export type OperatorErrorReason = 'not_found' | 'invalid' | 'conflict' | 'illegal_transition';

/** A refusal to an operator or to a company's own people. Never sent to a caller with an API key. */
export class OperatorError extends Error {
  readonly reason: OperatorErrorReason;

  constructor(reason: OperatorErrorReason, message: string) {
    super(message);
    this.name = 'OperatorError';
    this.reason = reason;
  }
}
