import type { Protocol } from '#core';
import type { ErrorCode } from '#http';

type Meeting = 'everywhere' | { readonly only: readonly Protocol[]; readonly because: string };

const onlyGraphql = (because: string): Meeting => ({ only: ['graphql'], because });

const onlyAtTheDesk: Meeting = { only: [], because: 'only the people of a company manage these' };

const ofManagement: Meeting = {
  only: [],
  because: 'what manages keys and webhooks has tests of its own, on both sides',
};

/** The protocols in which a caller can get each code. A new code needs an entry here, and scenarios. */
const meetings = {
  missing_api_key: 'everywhere',
  invalid_api_key: 'everywhere',
  insufficient_scope: 'everywhere',
  access_required: 'everywhere',
  access_pending: 'everywhere',
  access_revoked: 'everywhere',
  access_paused: 'everywhere',
  company_not_found: 'everywhere',
  access_request_not_found: 'everywhere',
  metric_not_found: 'everywhere',
  invalid_query: onlyGraphql('only GraphQL has documents'),
  query_too_long: onlyGraphql('only GraphQL has documents'),
  query_too_deep: onlyGraphql('only GraphQL has documents'),
  query_too_many_aliases: onlyGraphql('only GraphQL has documents'),
  query_too_costly: onlyGraphql('only GraphQL has documents'),
  batch_too_large: { only: ['graphql', 'trpc', 'mcp'], because: 'REST has no batches' },
  persisted_query_not_found: onlyGraphql('only GraphQL has documents'),
  persisted_query_mismatch: onlyGraphql('only GraphQL has documents'),
  document_not_trusted: {
    only: [],
    because: 'only a service with trusted documents refuses others',
  },
  introspection_disabled: onlyGraphql('the OpenAPI document and the tRPC types are public'),
  origin_not_allowed: { only: ['mcp'], because: 'only MCP asks for it, and its clients expect it' },
  route_not_found: 'everywhere',
  method_not_allowed: 'everywhere',
  malformed_json: 'everywhere',
  invalid_parameter: 'everywhere',
  payload_too_large: 'everywhere',
  unsupported_media_type: 'everywhere',
  missing_company_id: 'everywhere',
  missing_scopes: 'everywhere',
  invalid_scope: {
    only: ['rest', 'trpc', 'mcp'],
    because: 'the type of the input in GraphQL has no other scopes',
  },
  invalid_records: { only: [], because: 'only a company pushes data' },
  scope_conflict: 'everywhere',
  illegal_transition: 'everywhere',
  request_changed: { only: [], because: 'only a company decides' },
  invalid_decision: { only: [], because: 'only a company decides' },
  event_expired: { only: ['rest'], because: 'only REST has a feed that goes on after an event' },
  webhook_endpoint_not_found: ofManagement,
  webhook_endpoint_limit: ofManagement,
  webhook_endpoint_conflict: ofManagement,
  webhook_endpoint_disabled: ofManagement,
  webhook_delivery_not_found: ofManagement,
  contact_not_found: onlyAtTheDesk,
  contact_exists: onlyAtTheDesk,
  contact_limit: onlyAtTheDesk,
  last_admin: onlyAtTheDesk,
  insufficient_role: onlyAtTheDesk,
  company_key_not_found: onlyAtTheDesk,
  company_key_limit: onlyAtTheDesk,
  company_key_conflict: onlyAtTheDesk,
  api_key_not_found: onlyAtTheDesk,
  api_key_limit: onlyAtTheDesk,
  api_key_conflict: ofManagement,
  request_conflict: 'everywhere',
  idempotency_key_reused: 'everywhere',
  idempotency_key_in_use: 'everywhere',
  rate_limit_exceeded: 'everywhere',
  not_implemented: { only: ['rest'], because: 'reports are announced in the contract alone' },
  service_unavailable: 'everywhere',
  internal_error: 'everywhere',
} as const satisfies Record<ErrorCode, Meeting>;

export function canMeet(protocol: Protocol, code: ErrorCode): boolean {
  const meeting: Meeting = meetings[code];
  return meeting === 'everywhere' || meeting.only.includes(protocol);
}
