/** The error types of the contract. Clients branch on the code; the type only groups codes. */
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

/** The errors that callers can get. */
export const accessErrors = {
  invalid_api_key: {
    type: 'authentication_error',
    message: 'The API key is not valid.',
  },
  insufficient_scope: {
    type: 'permission_error',
    message: 'The API key lacks the scope that this needs.',
  },
  access_required: {
    type: 'permission_error',
    message: 'The company has not granted access to this data.',
  },
  access_pending: {
    type: 'permission_error',
    message: 'The company has not answered the access request yet.',
  },
  access_revoked: {
    type: 'permission_error',
    message: 'The company has revoked the access that it had granted.',
  },
  company_not_found: {
    type: 'not_found_error',
    message: 'No such company in the portfolio of this API key.',
  },
  access_request_not_found: {
    type: 'not_found_error',
    message: 'No such access request of this investor.',
  },
  webhook_endpoint_not_found: {
    type: 'not_found_error',
    message: 'No such webhook endpoint.',
  },
  metric_not_found: {
    type: 'not_found_error',
    message: 'The company has no data for this metric.',
  },
  invalid_parameter: {
    type: 'invalid_request_error',
    message: 'A parameter has a value or a type that is not allowed.',
  },
  missing_company_id: {
    type: 'invalid_request_error',
    message: 'The company is missing.',
  },
  missing_scopes: {
    type: 'invalid_request_error',
    message: 'The scopes are missing or empty.',
  },
  invalid_scope: {
    type: 'invalid_request_error',
    message: 'A requested scope cannot be granted.',
  },
  invalid_records: {
    type: 'invalid_request_error',
    message: 'Records cannot be taken as they are, so nothing was changed.',
  },
  scope_conflict: {
    type: 'invalid_request_error',
    message: 'A live access request for this company does not cover the requested scopes.',
  },
  illegal_transition: {
    type: 'invalid_request_error',
    message: 'The state of the access request does not allow this.',
  },
  request_changed: {
    type: 'invalid_request_error',
    message: 'The access request has changed since it was read.',
  },
  invalid_decision: {
    type: 'invalid_request_error',
    message: 'The access request cannot be decided like this.',
  },
  event_expired: {
    type: 'invalid_request_error',
    message: 'The event is unknown, or older than what is kept.',
  },
  request_conflict: {
    type: 'idempotency_error',
    message: 'A concurrent access request for this company was resolved meanwhile.',
  },
  webhook_endpoint_limit: {
    type: 'invalid_request_error',
    message: 'There are as many webhook endpoints as there may be.',
  },
  webhook_endpoint_conflict: {
    type: 'invalid_request_error',
    message: 'The secret of this webhook endpoint was rotated meanwhile.',
  },
  webhook_endpoint_disabled: {
    type: 'invalid_request_error',
    message: 'The webhook endpoint is disabled.',
  },
  webhook_delivery_not_found: {
    type: 'not_found_error',
    message: 'There is no such delivery that can be sent again.',
  },
  contact_not_found: {
    type: 'not_found_error',
    message: 'No such contact.',
  },
  contact_exists: {
    type: 'invalid_request_error',
    message: 'There is a contact with this address already.',
  },
  contact_limit: {
    type: 'invalid_request_error',
    message: 'There are as many contacts as there may be.',
  },
  last_admin: {
    type: 'invalid_request_error',
    message:
      'The last admin can neither leave nor get another role: make somebody else admin before.',
  },
  insufficient_role: {
    type: 'permission_error',
    message: 'Your role may not do this.',
  },
  company_key_not_found: {
    type: 'not_found_error',
    message: 'No such key of this company.',
  },
  company_key_limit: {
    type: 'invalid_request_error',
    message: 'As many keys of the company work as may do so at a time.',
  },
  company_key_conflict: {
    type: 'invalid_request_error',
    message: 'The key works no more, or was rotated already.',
  },
  api_key_not_found: {
    type: 'not_found_error',
    message: 'No such API key of this investor.',
  },
  api_key_limit: {
    type: 'invalid_request_error',
    message: 'As many API keys of the investor work as may do so at a time.',
  },
  api_key_conflict: {
    type: 'invalid_request_error',
    message: 'The API key works no more, or was rotated already.',
  },
  idempotency_key_reused: {
    type: 'idempotency_error',
    message: 'The idempotency key was used before with another input.',
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
    message: 'This is announced but not available yet.',
  },
  service_unavailable: {
    type: 'api_error',
    message: 'The service is unavailable for the moment.',
  },
  internal_error: {
    type: 'api_error',
    message: 'Something unexpected happened on our side.',
  },
} as const satisfies Record<string, { readonly type: ErrorType; readonly message: string }>;

export type AccessErrorCode = keyof typeof accessErrors;

/** Errors for operators, or for pages with messages of their own. These codes are never published. */
const operatorErrors = {
  investor_not_found: {
    type: 'not_found_error',
    message: 'there is no such investor',
  },
  company_id_taken: {
    type: 'invalid_request_error',
    message: 'the company id is taken',
  },
  environment_mismatch: {
    type: 'invalid_request_error',
    message: 'the investor and the company are of different environments',
  },
  sign_in_way_off: {
    type: 'invalid_request_error',
    message: 'nobody may sign in like this',
  },
  session_not_found: {
    type: 'not_found_error',
    message: 'there is no such session',
  },
  signer_not_found: {
    type: 'not_found_error',
    message: 'the company has no such signer',
  },
  signer_limit: {
    type: 'invalid_request_error',
    message: 'the company has as many signers as it may have',
  },
  signer_conflict: {
    type: 'invalid_request_error',
    message: 'the company has another key with the same id',
  },
  signing_key_missing: {
    type: 'invalid_request_error',
    message: 'there is no signing key: set SIGNING_KEY_FILE',
  },
  signing_key_not_found: {
    type: 'not_found_error',
    message: 'there is no such signing key',
  },
  signing_key_conflict: {
    type: 'invalid_request_error',
    message: 'the signing key is in use, or retired',
  },
  import_conflict: {
    type: 'invalid_request_error',
    message: 'others change the same data; run the import again',
  },
  data_changed: {
    type: 'invalid_request_error',
    message: 'the data has changed since it was looked at',
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

/** The complete catalogue. A code that isn't in it can't be thrown. */
export const refusals = { ...accessErrors, ...operatorErrors };

export type CatalogueCode = keyof typeof refusals;
