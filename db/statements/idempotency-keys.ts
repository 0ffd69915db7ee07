import type { IdempotencyKeys } from '#core';
import type { Store } from '../connections/store.ts';
import { IdempotencyKeyEntity } from '../entities/consent.ts';
import { toBytes } from './rows.ts';

export function createIdempotencyKeys(store: Store): IdempotencyKeys {
  return {
    async claim({ id: claimId, ...claim }) {
      const { investorId, key, claimedAt } = claim;
      const row = {
        ...claim,
        claimId,
        fingerprint: toBytes(claim.fingerprint),
        outcome: null,
        accessRequestId: null,
      };
      const insertion = store.build
        .insertInto('idempotency_key')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .columns(['investorId', 'key'])
            .doUpdateSet(row)
            .where(({ or, and, eb }) =>
              or([
                eb('idempotency_key.expiresAt', '<=', claimedAt),
                and([
                  eb('idempotency_key.outcome', 'is', null),
                  eb('idempotency_key.leasedUntil', '<=', claimedAt),
                ]),
              ]),
            ),
        )
        .returning('key');
      const lookup = store.build
        .selectFrom('idempotency_key')
        .select(['fingerprint', 'outcome', 'accessRequestId'])
        .where('investorId', '=', investorId)
        .where('key', '=', key);
      // Tries several times, because an existing row can disappear before the second statement reads it.
      for (let attempt = 0; attempt < 10; attempt += 1) {
        if ((await store.run(insertion)).length === 1) return { state: 'claimed' };
        const existing = await store.first(lookup);
        if (existing === null) continue;
        const { outcome, accessRequestId } = existing;
        const fingerprint = Buffer.from(existing.fingerprint).toString('hex');
        return outcome === null || accessRequestId === null
          ? { state: 'in_flight', fingerprint }
          : { state: 'completed', fingerprint, outcome, accessRequestId };
      }
      throw new Error('an idempotency key was claimed and released too often');
    },

    async release({ id: claimId, investorId, key }) {
      await store.remove(IdempotencyKeyEntity, { investorId, key, claimId, outcome: null });
    },

    async deleteExpired(now) {
      await store.remove(IdempotencyKeyEntity, { expiresAt: { $lte: now } });
    },
  };
}
