import { type AccessEvent, type ApiKey, type Company, type Investor, isKeyLive } from '#core';
import { presentAccessRequest } from '#rest-adapter';

/** What programs get: the field names and dates of REST. */

/** Investors and companies are told alike. */
export function presentParty({ id, name, environment, createdAt }: Investor | Company) {
  return { id, name, environment, created_at: createdAt.toISOString() };
}

type KeyState = 'live' | 'rotated' | 'expired' | 'revoked';

/** A rotated key may still work until its overlap is over: its expiry tells. */
function keyState(key: ApiKey, now: Date): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (key.replacedBy !== null) return 'rotated';
  return isKeyLive(key, now) ? 'live' : 'expired';
}

/** A key as it can be seen at any time: never its secret. */
export function presentKey(key: ApiKey, now: Date) {
  return {
    id: key.id,
    investor_id: key.investorId,
    environment: key.environment,
    hint: key.hint,
    scopes: key.scopes,
    state: keyState(key, now),
    rate_limit: key.rateLimit,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    replaced_by: key.replacedBy,
  };
}

export function presentEvent({ id, type, createdAt, accessRequest }: AccessEvent) {
  return {
    id,
    type,
    created_at: createdAt.toISOString(),
    access_request: presentAccessRequest(accessRequest),
  };
}
