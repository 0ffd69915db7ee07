import { AccessError, type ClaimResult, type IdempotencyClaim, type IdempotencyKeys } from '#core';
import type { Consents, Store, StoredClaim } from './store.ts';

export function createMemoryIdempotencyKeys(store: Store): IdempotencyKeys {
  return {
    claim: (claim) =>
      store.serially(async () => {
        const { claims } = store.consents;
        const stored = claims.get(nameOf(claim));
        if (stored !== undefined && isKept(stored, claim.claimedAt)) return answer(stored);
        claims.set(nameOf(claim), { claim: structuredClone(claim), completed: null });
        return { state: 'claimed' };
      }),
    release: (claim) =>
      store.serially(async () => {
        const { claims } = store.consents;
        const stored = claims.get(nameOf(claim));
        if (stored?.claim.id === claim.id && stored.completed === null) {
          claims.delete(nameOf(claim));
        }
      }),
    deleteExpired: (now) =>
      store.serially(async () => {
        const { claims } = store.consents;
        for (const [name, { claim }] of claims) {
          if (claim.expiresAt.getTime() <= now.getTime()) claims.delete(name);
        }
      }),
  };
}

/** Runs inside the transaction that makes the requested change. */
export function completeClaim(
  { claims }: Consents,
  claim: IdempotencyClaim,
  completed: NonNullable<StoredClaim['completed']>,
): void {
  const stored = claims.get(nameOf(claim));
  if (stored?.claim.id !== claim.id) throw new AccessError('idempotency_key_in_use');
  claims.set(nameOf(claim), { claim: stored.claim, completed });
}

/** True if the claim hasn't expired, and is completed or within its lease. */
function isKept({ claim, completed }: StoredClaim, now: Date): boolean {
  return (
    claim.expiresAt.getTime() > now.getTime() &&
    (completed !== null || claim.leasedUntil.getTime() > now.getTime())
  );
}

function answer({ claim: { fingerprint }, completed }: StoredClaim): ClaimResult {
  return completed === null
    ? { state: 'in_flight', fingerprint }
    : { state: 'completed', fingerprint, ...completed };
}

function nameOf({ investorId, key }: IdempotencyClaim): string {
  return JSON.stringify([investorId, key]);
}
