import type { IdempotencyKeys, RequestOutcome } from '#core';
import { IdempotencyKeyEntity } from '../entities/idempotency-key.ts';
import { read, type Store, sql, write } from '../store.ts';
import { toBytes, toHex } from './rows.ts';

interface ClaimRow {
  fingerprint: Buffer;
  outcome: RequestOutcome | null;
  access_request_id: string | null;
}

export function createIdempotencyKeys(store: Store): IdempotencyKeys {
  return {
    async claim(claim) {
      const { id, investorId, key, claimedAt, leasedUntil, expiresAt } = claim;
      // Bounded, because what stands in the way can be given back between the two statements.
      for (let attempt = 0; attempt < 10; attempt += 1) {
        const claimed = await write(
          store,
          sql`insert into idempotency_key as held (investor_id, key, claim_id, fingerprint,
              claimed_at, leased_until, expires_at)
            values (${investorId}, ${key}, ${id}, ${toBytes(claim.fingerprint)}, ${claimedAt},
              ${leasedUntil}, ${expiresAt})
            on conflict (investor_id, key) do update
            set claim_id = excluded.claim_id, fingerprint = excluded.fingerprint,
              claimed_at = excluded.claimed_at, leased_until = excluded.leased_until,
              expires_at = excluded.expires_at, outcome = null, access_request_id = null
            where held.expires_at <= excluded.claimed_at
              or (held.outcome is null and held.leased_until <= excluded.claimed_at)`,
        );
        if (claimed === 1) return { state: 'claimed' };
        const [held] = await read(
          store,
          sql<ClaimRow>`select fingerprint, outcome, access_request_id from idempotency_key
            where investor_id = ${investorId} and key = ${key}`,
        );
        if (held === undefined) continue;
        const fingerprint = toHex(held.fingerprint);
        const { outcome, access_request_id: accessRequestId } = held;
        return outcome === null || accessRequestId === null
          ? { state: 'in_flight', fingerprint }
          : { state: 'completed', fingerprint, outcome, accessRequestId };
      }
      throw new Error('an idempotency key was claimed and given back too often');
    },

    async release({ id: claimId, investorId, key }) {
      await store.em.nativeDelete(IdempotencyKeyEntity, {
        investorId,
        key,
        claimId,
        outcome: null,
      });
    },

    async forgetExpired(now) {
      await store.em.nativeDelete(IdempotencyKeyEntity, { expiresAt: { $lte: now } });
    },
  };
}
