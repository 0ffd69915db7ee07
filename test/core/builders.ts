import type { AccessRequest, ApiKey, NewestRequest } from '#core';
import { day, later, start } from './world.ts';

export function pendingRequest(overrides: Partial<AccessRequest> = {}): AccessRequest {
  return {
    id: 'ar_1',
    investorId: 'inv_1',
    companyId: 'co_1',
    requestedScopes: ['metrics:read', 'sources:read'],
    approvedScopes: [],
    previousScopes: [],
    additionDeclined: false,
    pendingScopes: [],
    pendingPurpose: null,
    status: 'pending',
    version: '1',
    amendments: 0,
    purpose: 'Quarterly reporting',
    reason: null,
    createdAt: start,
    decidedAt: null,
    expiresAt: null,
    deadlineAt: later(30 * day),
    expiringAt: null,
    lastEventType: 'access_request.created',
    ...overrides,
  };
}

export function approvedRequest(overrides: Partial<AccessRequest> = {}): AccessRequest {
  const expiresAt = later(90 * day);
  return pendingRequest({
    status: 'approved',
    approvedScopes: ['metrics:read', 'sources:read'],
    decidedAt: later(day),
    expiresAt,
    deadlineAt: expiresAt,
    expiringAt: later(83 * day),
    lastEventType: 'access_request.approved',
    ...overrides,
  });
}

export function newestRequest(overrides: Partial<NewestRequest> = {}): NewestRequest {
  const { id, status, approvedScopes, pendingScopes, deadlineAt } = approvedRequest();
  return {
    id,
    status,
    approvedScopes,
    pendingScopes,
    deadlineAt,
    declinedAt: null,
    ...overrides,
  };
}

export function liveKey(overrides: Partial<ApiKey> = {}): ApiKey {
  return {
    id: 'key_1',
    investorId: 'inv_1',
    environment: 'live',
    hint: 'svc_sk_live_…abcd',
    name: null,
    scopes: ['companies:read', 'metrics:read', 'sources:read', 'accounts:read'],
    rateLimit: null,
    createdAt: start,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    replacedBy: null,
    ...overrides,
  };
}
