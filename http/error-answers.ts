import { grantableScopes } from '#core';
import type { ErrorCode } from './errors.ts';

const grantable = grantableScopes.join(', ');

/** The HTTP status and the advice for each error code. The documentation page of error codes shows both. */
export const errorAnswers = {
  missing_api_key: {
    status: 401,
    remedy: 'Send the key as a bearer token in the Authorization header.',
  },
  invalid_api_key: {
    status: 401,
    remedy:
      'Check that you sent the whole key and that it belongs to this service. Replace a lost, revoked or expired key with a new one.',
  },
  insufficient_scope: {
    status: 403,
    remedy: 'Use a key with the scope in the message.',
  },
  access_required: {
    status: 403,
    remedy:
      'The message names the reason. If there is no live request, request access with POST /v1/access-requests. If a live grant leaves out the scope or the metric, request it with PATCH /v1/access-requests/{id}. If the company declined, contact it before you request access again.',
  },
  access_pending: {
    status: 403,
    remedy: 'Wait for the decision, which GET /v1/events shows. Another request changes nothing.',
  },
  access_revoked: {
    status: 403,
    remedy: 'Contact the company before you request access again.',
  },
  access_paused: {
    status: 403,
    remedy: 'Read again after the company resumes the access, which GET /v1/events shows.',
  },
  company_not_found: {
    status: 404,
    remedy: 'Use an ID from GET /v1/companies.',
  },
  access_request_not_found: {
    status: 404,
    remedy: 'Use an ID from the list of access requests.',
  },
  webhook_endpoint_not_found: {
    status: 404,
    remedy: 'Use an ID from the list of webhook endpoints.',
  },
  metric_not_found: {
    status: 404,
    remedy: 'List the available metrics with GET /v1/companies/{id}/metrics.',
  },
  invalid_query: {
    status: 400,
    remedy: 'Correct the part that the message shows. The schema is at /graphql.',
  },
  query_too_long: { status: 400, remedy: 'Split the document, or request less at once.' },
  query_too_deep: { status: 400, remedy: 'Request fewer levels at once.' },
  query_too_many_aliases: {
    status: 400,
    remedy: 'Request a list instead of one alias per item.',
  },
  query_too_costly: { status: 400, remedy: 'Request fewer fields or lists at once.' },
  batch_too_large: { status: 400, remedy: 'Send the calls in several smaller batches.' },
  persisted_query_not_found: {
    status: 404,
    remedy:
      'Send the document with its hash. Clients with automatic persisted queries do this automatically.',
  },
  persisted_query_mismatch: {
    status: 400,
    remedy: 'Send the SHA-256 of the exact document in lower-case hexadecimal.',
  },
  document_not_trusted: {
    status: 400,
    remedy: 'Send the ID of a trusted document instead of a document.',
  },
  introspection_disabled: {
    status: 400,
    remedy: 'Use a test key, or the schema file of this release.',
  },
  origin_not_allowed: {
    status: 403,
    remedy: 'Call from a program, or from a page of the service’s own origin.',
  },
  route_not_found: {
    status: 404,
    remedy: 'Compare the path with the reference at /docs.',
  },
  method_not_allowed: { status: 405, remedy: 'Use one of the methods in the Allow header.' },
  malformed_json: { status: 400, remedy: 'Send one JSON document, encoded as UTF-8.' },
  invalid_parameter: {
    status: 400,
    remedy:
      'Correct the parameter in `param`. If `allowed` is present, it lists the valid values or bounds.',
  },
  payload_too_large: { status: 413, remedy: 'Send a smaller body.' },
  unsupported_media_type: {
    status: 415,
    remedy: 'Send the header "Content-Type: application/json".',
  },
  missing_company_id: { status: 422, remedy: 'Send the ID of the company.' },
  missing_scopes: {
    status: 422,
    remedy: `Send at least one of ${grantable}.`,
  },
  invalid_scope: {
    status: 422,
    remedy: `Request only ${grantable}.`,
  },
  invalid_records: {
    status: 422,
    remedy:
      'Correct the records that `details` lists, then send all records again. The first record has the number 0. The parameter `dry_run=true` checks the records without storing them.',
  },
  scope_conflict: {
    status: 409,
    remedy:
      'The error contains the ID of the live request. Add the scopes or the terms to that request with PATCH /v1/access-requests/{id}, or wait until the request ends.',
  },
  illegal_transition: {
    status: 409,
    remedy: 'Read the access request again. Its status shows which actions are still possible.',
  },
  request_changed: {
    status: 409,
    remedy: 'Read the access request again, then decide with its present `version`.',
  },
  invalid_decision: {
    status: 422,
    remedy:
      'Approve at least one of the requested scopes, within the requested terms, with an end in the future. A narrower grant must be within the present one. An extension must end later than the grant.',
  },
  event_expired: {
    status: 410,
    remedy: 'Read the present access requests, then the feed from its beginning.',
  },
  request_conflict: { status: 409, remedy: 'Send the same request again.' },
  webhook_endpoint_limit: { status: 409, remedy: 'Remove an unused endpoint.' },
  webhook_endpoint_conflict: {
    status: 409,
    remedy: 'Use the secret of the other rotation, or rotate again.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    remedy: 'Enable the endpoint first.',
  },
  webhook_delivery_not_found: {
    status: 404,
    remedy: 'List the deliveries of the endpoint again.',
  },
  contact_not_found: {
    status: 404,
    remedy: 'List the contacts again.',
  },
  contact_exists: {
    status: 409,
    remedy: 'No action is needed: the service already sends mails to this address.',
  },
  contact_limit: { status: 409, remedy: 'Remove an unused contact.' },
  last_admin: {
    status: 409,
    remedy: 'Make another contact admin, then change or remove this one.',
  },
  insufficient_role: {
    status: 403,
    remedy: 'Ask an admin of your organisation for the role in the message.',
  },
  company_key_not_found: {
    status: 404,
    remedy: 'List the keys of the company again.',
  },
  company_key_limit: {
    status: 409,
    remedy: 'Revoke an unused key, or rotate without an overlap.',
  },
  company_key_conflict: {
    status: 409,
    remedy: 'Use the successor of the key, or create a new one.',
  },
  api_key_not_found: {
    status: 404,
    remedy: 'List the keys of the investor again.',
  },
  api_key_limit: {
    status: 409,
    remedy: 'Revoke an unused key, or rotate without an overlap.',
  },
  api_key_conflict: {
    status: 409,
    remedy:
      'Use the successor of the key. If you didn’t get the successor’s secret, ask the operator for another key before your key ends.',
  },
  idempotency_key_reused: { status: 422, remedy: 'Use a new idempotency key for a new request.' },
  idempotency_key_in_use: {
    status: 409,
    remedy: 'Wait a moment, then send the same request again.',
  },
  rate_limit_exceeded: {
    status: 429,
    remedy: 'Wait for the seconds in Retry-After, then send the request again.',
  },
  not_implemented: { status: 501, remedy: 'Watch the changelog for its release.' },
  service_unavailable: {
    status: 503,
    remedy: 'Wait for the seconds in Retry-After, then send the request again.',
  },
  internal_error: {
    status: 500,
    remedy: 'Try again. If the error persists, contact us with the request ID.',
  },
} as const satisfies Record<ErrorCode, { readonly status: number; readonly remedy: string }>;

export const errorCodes = Object.keys(errorAnswers) as ErrorCode[];
