/** The error types of the API. A type groups several codes. Clients should check only the code. */
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

export const accessErrors = {
  invalid_api_key: {
    type: 'authentication_error',
    message: 'The API key is not valid.',
  },
  insufficient_scope: {
    type: 'permission_error',
    message: 'The API key lacks the required scope.',
  },
  access_required: {
    type: 'permission_error',
    message: 'The company has not granted access to this data.',
  },
  access_pending: {
    type: 'permission_error',
    message: 'The company hasn’t decided on the access request yet.',
  },
  access_revoked: {
    type: 'permission_error',
    message: 'The company has revoked the access.',
  },
  access_paused: {
    type: 'permission_error',
    message: 'The company has paused the access.',
  },
  company_not_found: {
    type: 'not_found_error',
    message: 'The company isn’t in the portfolio of this API key.',
  },
  access_request_not_found: {
    type: 'not_found_error',
    message: 'The access request doesn’t exist.',
  },
  webhook_endpoint_not_found: {
    type: 'not_found_error',
    message: 'The webhook endpoint doesn’t exist.',
  },
  metric_not_found: {
    type: 'not_found_error',
    message: 'The company has no data for this metric.',
  },
  invalid_parameter: {
    type: 'invalid_request_error',
    message: 'A parameter has an invalid value or type.',
  },
  missing_company_id: {
    type: 'invalid_request_error',
    message: 'The ID of the company is missing.',
  },
  missing_scopes: {
    type: 'invalid_request_error',
    message: 'The scopes are missing or empty.',
  },
  invalid_scope: {
    type: 'invalid_request_error',
    message: 'A requested scope can’t be granted.',
  },
  invalid_records: {
    type: 'invalid_request_error',
    message: 'Some records are invalid, so nothing was changed.',
  },
  scope_conflict: {
    type: 'invalid_request_error',
    message: 'A live access request for this company doesn’t cover the requested scopes or terms.',
  },
  illegal_transition: {
    type: 'invalid_request_error',
    message: 'The state of the access request doesn’t allow this.',
  },
  request_changed: {
    type: 'invalid_request_error',
    message: 'The access request has changed since you read it.',
  },
  invalid_decision: {
    type: 'invalid_request_error',
    message: 'This decision isn’t possible for the access request.',
  },
  event_expired: {
    type: 'invalid_request_error',
    message: 'The event is unknown, or no longer in the feed.',
  },
  request_conflict: {
    type: 'idempotency_error',
    message: 'Another access request for this company was created and ended during this call.',
  },
  webhook_endpoint_limit: {
    type: 'invalid_request_error',
    message: 'The limit of webhook endpoints is reached.',
  },
  webhook_endpoint_conflict: {
    type: 'invalid_request_error',
    message: 'Another call rotated the secret of this webhook endpoint at the same time.',
  },
  webhook_endpoint_disabled: {
    type: 'invalid_request_error',
    message: 'The webhook endpoint is disabled.',
  },
  webhook_delivery_not_found: {
    type: 'not_found_error',
    message: 'The delivery doesn’t exist, or already waits to be sent.',
  },
  contact_not_found: {
    type: 'not_found_error',
    message: 'The contact doesn’t exist.',
  },
  contact_exists: {
    type: 'invalid_request_error',
    message: 'A contact with this address already exists.',
  },
  contact_limit: {
    type: 'invalid_request_error',
    message: 'The limit of contacts is reached.',
  },
  last_admin: {
    type: 'invalid_request_error',
    message:
      'The last admin can’t be removed or get another role. Make another person admin first.',
  },
  insufficient_role: {
    type: 'permission_error',
    message: 'Your role doesn’t allow this.',
  },
  company_key_not_found: {
    type: 'not_found_error',
    message: 'The company has no key with this ID.',
  },
  company_key_limit: {
    type: 'invalid_request_error',
    message: 'The company has reached its limit of active keys.',
  },
  company_key_conflict: {
    type: 'invalid_request_error',
    message: 'The key was revoked, has expired or was already rotated.',
  },
  api_key_not_found: {
    type: 'not_found_error',
    message: 'The investor has no API key with this ID.',
  },
  api_key_limit: {
    type: 'invalid_request_error',
    message: 'The investor has reached its limit of active API keys.',
  },
  api_key_conflict: {
    type: 'invalid_request_error',
    message: 'The API key was revoked, has expired or was already rotated.',
  },
  idempotency_key_reused: {
    type: 'idempotency_error',
    message: 'The idempotency key was already used with another input.',
  },
  idempotency_key_in_use: {
    type: 'idempotency_error',
    message: 'A request with this idempotency key is still being carried out.',
  },
  rate_limit_exceeded: {
    type: 'rate_limit_error',
    message: 'The rate limit of this API key is exceeded.',
  },
  not_implemented: {
    type: 'api_error',
    message: 'This operation is announced, but not available yet.',
  },
  service_unavailable: {
    type: 'api_error',
    message: 'The service is temporarily unavailable.',
  },
  internal_error: {
    type: 'api_error',
    message: 'An unexpected error occurred on our side.',
  },
} as const satisfies Record<string, { readonly type: ErrorType; readonly message: string }>;

export type AccessErrorCode = keyof typeof accessErrors;

/** Errors for operators and for desk pages with their own messages. The API documentation doesn't list them. */
const operatorErrors = {
  investor_not_found: {
    type: 'not_found_error',
    message: 'the investor doesn’t exist',
  },
  company_id_taken: {
    type: 'invalid_request_error',
    message: 'the company id is taken',
  },
  environment_mismatch: {
    type: 'invalid_request_error',
    message: 'the investor and the company belong to different environments',
  },
  sign_in_way_off: {
    type: 'invalid_request_error',
    message: 'this way to sign in is turned off',
  },
  session_not_found: {
    type: 'not_found_error',
    message: 'the session doesn’t exist',
  },
  signer_not_found: {
    type: 'not_found_error',
    message: 'the company has no such signer',
  },
  signer_limit: {
    type: 'invalid_request_error',
    message: 'the company has reached its limit of signers',
  },
  signer_conflict: {
    type: 'invalid_request_error',
    message: 'the company already has another key with this ID',
  },
  signing_key_missing: {
    type: 'invalid_request_error',
    message: 'no signing key is configured: set SIGNING_KEY_FILE',
  },
  signing_key_not_found: {
    type: 'not_found_error',
    message: 'the signing key doesn’t exist',
  },
  signing_key_conflict: {
    type: 'invalid_request_error',
    message: 'the signing key is in use, or retired',
  },
  import_conflict: {
    type: 'invalid_request_error',
    message: 'another import or upload changed the same data; run the import again',
  },
  data_changed: {
    type: 'invalid_request_error',
    message: 'the data has changed since the preview',
  },
  requests_live: {
    type: 'invalid_request_error',
    message: 'there are live access requests; end them first',
  },
  access_log_day_not_found: {
    type: 'not_found_error',
    message: 'the access log has no partition for this day',
  },
  access_log_day_changed: {
    type: 'invalid_request_error',
    message: 'the records of this day differ from its export',
  },
} as const satisfies Record<string, { readonly type: ErrorType; readonly message: string }>;

export const refusals = { ...accessErrors, ...operatorErrors };

export type CatalogueCode = keyof typeof refusals;
