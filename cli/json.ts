import {
  type ApiKey,
  type Company,
  type CompanyKey,
  type Contact,
  type Environment,
  type Investor,
  type Key,
  type ListedSigningKey,
  type Membership,
  type NamedRecord,
  stateOfKey,
} from '#core';

/** What --json prints: the field names and dates of REST. */

export function organisationJson({ id, name, environment, createdAt }: Investor | Company) {
  return { id, name, environment, created_at: createdAt.toISOString() };
}

export function membershipJson({ investor, company, environment, addedAt }: Membership) {
  return {
    investor_id: investor.id,
    investor_name: investor.name,
    company_id: company.id,
    company_name: company.name,
    environment,
    added_at: addedAt.toISOString(),
  };
}

export type KeyJson = ReturnType<typeof keyJson>;

/** What every kind of key has; never its secret. */
function keyJson(key: Key & { readonly environment: Environment }, now: Date) {
  return {
    id: key.id,
    environment: key.environment,
    name: key.name,
    hint: key.hint,
    state: stateOfKey(key, now),
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    replaced_by: key.replacedBy,
  };
}

export function apiKeyJson(key: ApiKey, now: Date) {
  const { id, ...rest } = keyJson(key, now);
  const { investorId, scopes, rateLimit } = key;
  return { id, investor_id: investorId, scopes, rate_limit: rateLimit, ...rest };
}

export function companyKeyJson(key: CompanyKey, now: Date) {
  const { id, ...rest } = keyJson(key, now);
  return { id, company_id: key.companyId, ...rest };
}

export function accessRecordJson(record: NamedRecord) {
  return {
    id: record.id,
    occurred_at: record.occurredAt.toISOString(),
    request_id: record.requestId,
    protocol: record.protocol,
    key_id: record.keyId,
    investor_id: record.investorId,
    investor_name: record.investorName,
    company_id: record.companyId,
    scope: record.scope,
    resource: record.resource,
    metric_key: record.metricKey,
    grant_id: record.grantId,
    outcome: record.outcome,
    count: record.count,
  };
}

export function contactJson({ id, companyId, email, createdAt }: Contact) {
  return { id, company_id: companyId, email, created_at: createdAt.toISOString() };
}

export function signingKeyJson({ kid, x, state, createdAt, retiredAt }: ListedSigningKey) {
  return {
    kid,
    x,
    state,
    created_at: createdAt.toISOString(),
    retired_at: retiredAt?.toISOString() ?? null,
  };
}
