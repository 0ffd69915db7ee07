import fc from 'fast-check';
import {
  type AccessRequest,
  type AccessTerms,
  type ApiKey,
  accessUses,
  type NewestRequest,
  type RateLimiter,
  simplifyTerms,
} from '#core';
import { createWorld, day, later, start } from './world.ts';

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
    requestedTerms: null,
    approvedTerms: null,
    pendingTerms: null,
    approvals: [],
    reviewAt: null,
    pausedAt: null,
    firstReadAt: null,
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
    approvedTerms: null,
    pausedAt: null,
    firstReadAt: null,
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

const synced = '2026-11-01T04:00:00Z';

export const arrTerms = (more: Partial<AccessTerms> = {}): AccessTerms => ({
  ...{ use: 'ongoing', metricKeys: ['arr'], historyFrom: null, ...more },
});

export const termKeys = ['arr', 'cash', 'mrr'];
export const termPeriods = ['2025-01-31', '2026-01-31', '2026-06-30'];

export const anyTerms: fc.Arbitrary<AccessTerms | null> = fc
  .record({
    use: fc.constantFrom(...accessUses),
    metricKeys: fc.option(fc.subarray(termKeys, { minLength: 1 })),
    historyFrom: fc.option(fc.constantFrom(...termPeriods)),
  })
  .map(simplifyTerms);

export const metricLine = (companyId?: string, more: object = {}) => ({
  type: 'metric',
  company_id: companyId,
  key: 'arr',
  period: '2026-10-31',
  source: { system: 'QuickBooks', method: 'api', last_synced: synced },
  raw_value: 1,
  ...more,
});

export const sourceLine = (companyId?: string, more: object = {}) => ({
  type: 'source',
  company_id: companyId,
  provider: 'QuickBooks',
  status: 'connected',
  account_name: 'Main',
  last_synced_at: synced,
  ...more,
});

export function createCountingWorld(replace: Parameters<typeof createWorld>[0] = () => ({})) {
  const charges: Parameters<RateLimiter['spend']>[] = [];
  const world = createWorld((ports) => ({
    rateLimiter: {
      policy: ports.rateLimiter.policy,
      spend(...charge) {
        charges.push(charge);
        return ports.rateLimiter.spend(...charge);
      },
    },
    ...replace(ports),
  }));
  return { ...world, charges };
}

export const withoutKey = () => ({
  signer: {
    current: async () => null,
    reload: async () => false,
    rotate: () => Promise.reject(),
    register: () => Promise.reject(),
  },
});
