import { grantableScopes } from '#core';
import type { ErrorCode } from './errors.ts';

const grantable = grantableScopes.join(', ');

/**
 * The HTTP status and the advice for each code, as the page of error codes shows them. The compiler rejects a code
 * without an entry.
 */
export const errorAnswers = {
  missing_api_key: {
    status: 401,
    remedy: 'Send the key as a bearer token in the Authorization header.',
  },
  invalid_api_key: {
    status: 401,
    remedy:
      'Check that the whole key was sent and that it belongs to this service. A key that was lost, revoked or has expired is replaced by a new one.',
  },
  insufficient_scope: {
    status: 403,
    remedy: 'Use a key that carries the scope named in the message.',
  },
  access_required: {
    status: 403,
    remedy:
      'The message says how consent stands. Nobody has asked, or the request has expired or was withdrawn: ask with POST /v1/access-requests. A live grant leaves the scope out: ask for it in addition with PATCH /v1/access-requests/{id}. The company declined: people should talk before anyone asks again.',
  },
  access_pending: {
    status: 403,
    remedy:
      'Wait for the approval; GET /v1/events tells when it has come. Asking again changes nothing.',
  },
  access_revoked: {
    status: 403,
    remedy: 'Contact the company. Once people have talked, a new access request may be submitted.',
  },
  company_not_found: {
    status: 404,
    remedy: 'List the companies of the portfolio with GET /v1/companies and use an id from there.',
  },
  access_request_not_found: {
    status: 404,
    remedy: 'List the access requests and use an id from there.',
  },
  webhook_endpoint_not_found: {
    status: 404,
    remedy: 'List the endpoints with GET /company/v1/webhook-endpoints and use an id from there.',
  },
  metric_not_found: {
    status: 404,
    remedy: 'List the available metrics with GET /v1/companies/{id}/metrics.',
  },
  invalid_query: {
    status: 400,
    remedy: 'Correct what the message names; the schema is at /graphql.',
  },
  query_too_long: { status: 400, remedy: 'Split the document, or ask for less at once.' },
  query_too_deep: { status: 400, remedy: 'Ask for fewer levels at once.' },
  query_too_many_aliases: {
    status: 400,
    remedy: 'Ask for a list instead of one alias for each item.',
  },
  query_too_costly: { status: 400, remedy: 'Ask for fewer fields or fewer lists at once.' },
  batch_too_large: { status: 400, remedy: 'Send the calls in several smaller batches.' },
  persisted_query_not_found: {
    status: 404,
    remedy:
      'Send the document with its hash once more; clients that use automatic persisted queries do so by themselves.',
  },
  persisted_query_mismatch: {
    status: 400,
    remedy: 'Send the SHA-256 of the very document, in hexadecimal, in lower case.',
  },
  document_not_trusted: {
    status: 400,
    remedy: 'Send the id of a document from the list that the service was given, and no document.',
  },
  introspection_disabled: {
    status: 400,
    remedy: 'Use a key of the test environment, or the schema file of this release.',
  },
  origin_not_allowed: {
    status: 403,
    remedy: 'Call from a program instead of a page, or from a page of the service’s own origin.',
  },
  route_not_found: {
    status: 404,
    remedy: 'Compare the path with the reference, which the service has at /docs.',
  },
  method_not_allowed: { status: 405, remedy: 'Use one of the methods named in the Allow header.' },
  malformed_json: { status: 400, remedy: 'Send one JSON document, encoded as UTF-8.' },
  invalid_parameter: {
    status: 400,
    remedy: 'Correct what param names; allowed, where it is there, lists the values or the bounds.',
  },
  payload_too_large: { status: 413, remedy: 'Send a smaller body.' },
  unsupported_media_type: {
    status: 415,
    remedy: 'Send the header "Content-Type: application/json".',
  },
  missing_company_id: { status: 422, remedy: 'Name the company that is asked for access.' },
  missing_scopes: {
    status: 422,
    remedy: `Name at least one of ${grantable}.`,
  },
  invalid_scope: {
    status: 422,
    remedy: `Ask for no others than ${grantable}.`,
  },
  invalid_records: {
    status: 422,
    remedy:
      'Correct the records that details names, counted from 0, and send all of them again; ?dry_run=true tries them without changing anything.',
  },
  scope_conflict: {
    status: 409,
    remedy:
      'Ask for more on the live request that the error names with PATCH /v1/access-requests/{id}, or wait until it has ended (declined, expired or revoked).',
  },
  illegal_transition: {
    status: 409,
    remedy: 'Read the access request again: its state tells what can still be done.',
  },
  request_changed: {
    status: 409,
    remedy:
      'Read the access request again, then decide on it as it stands now, with its `version`.',
  },
  invalid_decision: {
    status: 422,
    remedy:
      'Approve only scopes that were asked for, at least one, and name an end that lies in the future; an extension ends later than the grant.',
  },
  event_expired: {
    status: 410,
    remedy: 'Read the access requests as they stand now, then the feed from its beginning.',
  },
  request_conflict: { status: 409, remedy: 'Send the same request again.' },
  webhook_endpoint_limit: { status: 409, remedy: 'Remove an endpoint that is no longer needed.' },
  webhook_endpoint_conflict: {
    status: 409,
    remedy: 'Use the secret of the other rotation, or rotate once more.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    remedy: 'Enable the endpoint first.',
  },
  webhook_delivery_not_found: {
    status: 404,
    remedy: 'Look at the deliveries of the endpoint as they are now.',
  },
  contact_not_found: {
    status: 404,
    remedy: 'Look at the contacts as they are now.',
  },
  contact_exists: { status: 409, remedy: 'Nothing: notices are sent to this address already.' },
  contact_limit: { status: 409, remedy: 'Remove a contact that is no longer needed.' },
  last_admin: {
    status: 409,
    remedy: 'Make another contact admin, then change or remove this one.',
  },
  insufficient_role: {
    status: 403,
    remedy: 'Ask an admin of your organisation for the role that the message names.',
  },
  company_key_not_found: {
    status: 404,
    remedy: 'Look at the keys of the company as they are now.',
  },
  company_key_limit: {
    status: 409,
    remedy: 'Revoke a key that is no longer needed, or rotate without an overlap.',
  },
  company_key_conflict: {
    status: 409,
    remedy: 'Use the successor of the key, or create a new one.',
  },
  api_key_not_found: {
    status: 404,
    remedy: 'Look at the keys of the investor as they are now.',
  },
  api_key_limit: {
    status: 409,
    remedy: 'Revoke a key that is no longer needed, or rotate without an overlap.',
  },
  api_key_conflict: {
    status: 409,
    remedy:
      'Use the successor of the key. If its secret did not reach you, ask the operator for another key before this one ends.',
  },
  idempotency_key_reused: { status: 422, remedy: 'Use a new idempotency key for a new request.' },
  idempotency_key_in_use: {
    status: 409,
    remedy: 'Wait a moment, then send the same request again.',
  },
  rate_limit_exceeded: {
    status: 429,
    remedy: 'Wait for the seconds named in Retry-After, then send the request again.',
  },
  not_implemented: { status: 501, remedy: 'Watch the changelog for its release.' },
  service_unavailable: {
    status: 503,
    remedy: 'Wait for the seconds named in Retry-After, then send the request again.',
  },
  internal_error: {
    status: 500,
    remedy: 'Try again; if it stays, contact us and name the request id.',
  },
} as const satisfies Record<ErrorCode, { readonly status: number; readonly remedy: string }>;

export const errorCodes = Object.keys(errorAnswers) as ErrorCode[];
