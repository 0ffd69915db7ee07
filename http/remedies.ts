import type { ErrorCode } from './errors.ts';

/** What a caller does about each code, as the page of error codes tells it. Total, as the statuses are. */
export const remedyOf = {
  missing_api_key: 'Send the key as a bearer token in the Authorization header.',
  invalid_api_key:
    'Check that the whole key was sent and that it belongs to this service. A key that was lost, revoked or has expired is replaced by a new one.',
  insufficient_scope: 'Use a key that carries the scope named in the message.',
  access_required:
    'The message says how consent stands. Nobody has asked, or the request has expired or was withdrawn: ask with POST /v1/access-requests. A live grant leaves the scope out: ask for it in addition with PATCH /v1/access-requests/{id}. The company declined: people should talk before anyone asks again.',
  access_pending:
    'Wait for the approval; GET /v1/events tells when it has come. Asking again changes nothing.',
  access_revoked:
    'Contact the company. Once people have talked, a new access request may be submitted.',
  company_not_found:
    'List the companies of the portfolio with GET /v1/companies and use an id from there.',
  access_request_not_found: 'List the access requests and use an id from there.',
  webhook_endpoint_not_found:
    'List the endpoints with GET /company/v1/webhook-endpoints and use an id from there.',
  metric_not_found: 'List the available metrics with GET /v1/companies/{id}/metrics.',
  invalid_query: 'Correct what the message names; the schema is at /graphql.',
  query_too_long: 'Split the document, or ask for less at once.',
  query_too_deep: 'Ask for fewer levels at once.',
  query_too_many_aliases: 'Ask for a list instead of one alias for each item.',
  query_too_costly: 'Ask for fewer fields or fewer lists at once.',
  batch_too_large: 'Send the calls in several smaller batches.',
  persisted_query_not_found:
    'Send the document with its hash once more; clients that use automatic persisted queries do so by themselves.',
  persisted_query_mismatch: 'Send the SHA-256 of the very document, in hexadecimal, in lower case.',
  document_not_trusted:
    'Send the id of a document from the list that the service was given, and no document.',
  introspection_disabled: 'Use a key of the test environment, or the schema file of this release.',
  origin_not_allowed:
    'Call from a program instead of a page, or from a page of the service’s own origin.',
  route_not_found: 'Compare the path with the reference, which the service has at /docs.',
  method_not_allowed: 'Use one of the methods named in the Allow header.',
  malformed_json: 'Send one JSON document, encoded as UTF-8.',
  invalid_parameter:
    'Correct what param names; allowed, where it is there, lists the values or the bounds.',
  payload_too_large: 'Send a smaller body.',
  unsupported_media_type: 'Send the header "Content-Type: application/json".',
  missing_company_id: 'Name the company that is asked for access.',
  missing_scopes: 'Name at least one of metrics:read, accounts:read, sources:read.',
  invalid_scope: 'Ask only for metrics:read, accounts:read or sources:read.',
  scope_conflict:
    'Ask for more on the live request that the error names with PATCH /v1/access-requests/{id}, or wait until it has ended (declined, expired or revoked).',
  illegal_transition: 'Read the access request again: its state tells what can still be done.',
  request_changed:
    'Read the access request again, then decide on it as it stands now, with its `version`.',
  invalid_decision:
    'Approve only scopes that were asked for, at least one, and name an end that lies in the future; an extension ends later than the grant.',
  event_expired: 'Read the access requests as they stand now, then the feed from its beginning.',
  request_conflict: 'Send the same request again.',
  webhook_endpoint_limit: 'Remove an endpoint that is no longer needed.',
  webhook_endpoint_conflict: 'Use the secret of the other rotation, or rotate once more.',
  contact_not_found: 'Look at the contacts of the company as they are now.',
  contact_exists: 'Nothing: notices are sent to this address already.',
  contact_limit: 'Remove a contact that is no longer needed.',
  last_contact: 'Add another contact, then remove this one.',
  company_key_not_found: 'Look at the keys of the company as they are now.',
  company_key_limit: 'Revoke a key that is no longer needed, or rotate without an overlap.',
  company_key_conflict: 'Use the successor of the key, or create a new one.',
  idempotency_key_reused: 'Use a new idempotency key for a new request.',
  idempotency_key_in_use: 'Wait a moment, then send the same request again.',
  rate_limit_exceeded: 'Wait for the seconds named in Retry-After, then send the request again.',
  not_implemented: 'Watch the changelog for its release.',
  service_unavailable: 'Wait for the seconds named in Retry-After, then send the request again.',
  internal_error: 'Try again; if it stays, contact us and name the request id.',
} as const satisfies Record<ErrorCode, string>;
