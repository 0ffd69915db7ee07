/**
 * The error codes of the API contract, with status and type. A test can't check the service's table
 * against itself, so this copy is deliberate.
 */
export const errorTable = {
  missing_api_key: [401, 'authentication_error'],
  invalid_api_key: [401, 'authentication_error'],
  insufficient_scope: [403, 'permission_error'],
  access_required: [403, 'permission_error'],
  access_pending: [403, 'permission_error'],
  access_revoked: [403, 'permission_error'],
  access_paused: [403, 'permission_error'],
  company_not_found: [404, 'not_found_error'],
  access_request_not_found: [404, 'not_found_error'],
  metric_not_found: [404, 'not_found_error'],
  invalid_query: [400, 'invalid_request_error'],
  query_too_long: [400, 'invalid_request_error'],
  query_too_deep: [400, 'invalid_request_error'],
  query_too_many_aliases: [400, 'invalid_request_error'],
  query_too_costly: [400, 'invalid_request_error'],
  batch_too_large: [400, 'invalid_request_error'],
  persisted_query_not_found: [404, 'not_found_error'],
  persisted_query_mismatch: [400, 'invalid_request_error'],
  document_not_trusted: [400, 'invalid_request_error'],
  introspection_disabled: [400, 'invalid_request_error'],
  origin_not_allowed: [403, 'permission_error'],
  route_not_found: [404, 'not_found_error'],
  method_not_allowed: [405, 'invalid_request_error'],
  malformed_json: [400, 'invalid_request_error'],
  invalid_parameter: [400, 'invalid_request_error'],
  payload_too_large: [413, 'invalid_request_error'],
  unsupported_media_type: [415, 'invalid_request_error'],
  missing_company_id: [422, 'invalid_request_error'],
  missing_scopes: [422, 'invalid_request_error'],
  invalid_scope: [422, 'invalid_request_error'],
  invalid_records: [422, 'invalid_request_error'],
  scope_conflict: [409, 'invalid_request_error'],
  illegal_transition: [409, 'invalid_request_error'],
  request_changed: [409, 'invalid_request_error'],
  invalid_decision: [422, 'invalid_request_error'],
  event_expired: [410, 'invalid_request_error'],
  webhook_endpoint_not_found: [404, 'not_found_error'],
  webhook_endpoint_limit: [409, 'invalid_request_error'],
  webhook_endpoint_conflict: [409, 'invalid_request_error'],
  request_conflict: [409, 'idempotency_error'],
  contact_not_found: [404, 'not_found_error'],
  contact_exists: [409, 'invalid_request_error'],
  contact_limit: [409, 'invalid_request_error'],
  last_admin: [409, 'invalid_request_error'],
  insufficient_role: [403, 'permission_error'],
  company_key_not_found: [404, 'not_found_error'],
  company_key_limit: [409, 'invalid_request_error'],
  company_key_conflict: [409, 'invalid_request_error'],
  api_key_not_found: [404, 'not_found_error'],
  api_key_limit: [409, 'invalid_request_error'],
  webhook_endpoint_disabled: [409, 'invalid_request_error'],
  webhook_delivery_not_found: [404, 'not_found_error'],
  api_key_conflict: [409, 'invalid_request_error'],
  idempotency_key_reused: [422, 'idempotency_error'],
  idempotency_key_in_use: [409, 'idempotency_error'],
  rate_limit_exceeded: [429, 'rate_limit_error'],
  not_implemented: [501, 'api_error'],
  service_unavailable: [503, 'api_error'],
  internal_error: [500, 'api_error'],
} as const satisfies Record<string, readonly [number, string]>;

export type RefusalCode = keyof typeof errorTable;

export const refusalCodes = Object.keys(errorTable) as RefusalCode[];

/**
 * The REST APIs have no GraphQL documents, batches or versions of access requests, and don't manage
 * contacts and keys.
 */
const codesOutsideRest = [
  'invalid_query',
  'query_too_long',
  'query_too_deep',
  'query_too_many_aliases',
  'query_too_costly',
  'batch_too_large',
  'persisted_query_not_found',
  'persisted_query_mismatch',
  'document_not_trusted',
  'introspection_disabled',
  'origin_not_allowed',
  'contact_not_found',
  'contact_exists',
  'contact_limit',
  'last_admin',
  'insufficient_role',
  'api_key_not_found',
  'api_key_limit',
  'company_key_not_found',
  'company_key_limit',
  'company_key_conflict',
] as const;

export const codesOutsideInvestorRest: readonly RefusalCode[] = [
  ...codesOutsideRest,
  'invalid_records',
  'request_changed',
  'invalid_decision',
];

export const codesOutsideCompanyRest: readonly RefusalCode[] = [
  ...codesOutsideRest,
  'access_required',
  'access_pending',
  'access_revoked',
  'access_paused',
  'company_not_found',
  'metric_not_found',
  'missing_company_id',
  'missing_scopes',
  'invalid_scope',
  'scope_conflict',
  'request_conflict',
  'idempotency_key_in_use',
  'api_key_conflict',
  'not_implemented',
];

export const readEndpoints = [
  { name: 'companies', path: () => '/v1/companies', scope: 'companies:read', gated: false },
  {
    name: 'metrics',
    path: (id: string) => `/v1/companies/${id}/metrics`,
    scope: 'metrics:read',
    gated: true,
  },
  {
    name: 'metric',
    path: (id: string) => `/v1/companies/${id}/metrics/cash_balance`,
    scope: 'metrics:read',
    gated: true,
  },
  {
    name: 'metric history',
    path: (id: string) => `/v1/companies/${id}/metrics/cash_balance/history`,
    scope: 'metrics:read',
    gated: true,
  },
  {
    name: 'sources',
    path: (id: string) => `/v1/companies/${id}/sources`,
    scope: 'sources:read',
    gated: true,
  },
  {
    name: 'accounts',
    path: (id: string) => `/v1/companies/${id}/accounts`,
    scope: 'accounts:read',
    gated: true,
  },
  { name: 'reports', path: () => '/v1/reports', scope: 'reports:read', gated: false },
] as const;

export const gatedEndpoints = readEndpoints.filter(({ gated }) => gated);

export const allScopes = [
  'companies:read',
  'metrics:read',
  'accounts:read',
  'sources:read',
  'reports:read',
  'webhooks:manage',
] as const;

export const grantable = ['metrics:read', 'accounts:read', 'sources:read'] as const;
