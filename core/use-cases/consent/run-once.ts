import { type AccessRequest, asOf } from '../../model/consent/access-request.ts';
import { AccessError } from '../../model/errors.ts';
import type { Permitted } from '../../model/identity/acting-credential.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import { addDays, addMilliseconds } from '../../model/time.ts';
import type { IdempotencyClaim, RequestOutcome } from '../../ports/consent.ts';
import type { Ports } from '../../ports/index.ts';

const daysKept = 1;

/** Longer than any request may run, so that a claim is taken over only when its owner is dead. */
const leaseMilliseconds = 60_000;

interface Result {
  readonly outcome: RequestOutcome;
  readonly accessRequest: AccessRequest;
}

/**
 * Carries out what was asked under an idempotency key once; a repetition gets the same outcome and the record as it is
 * now. A failure leaves no trace, so that the same request can be sent again.
 *
 * @throws AccessError `idempotency_key_reused`, `idempotency_key_in_use`, and whatever the work throws
 */
export async function runOnce(
  { accessRequests, actingCredentials, clock, cryptography, idempotencyKeys, ids }: Ports,
  { investorId, credential }: Pick<InvestorCaller, 'investorId'> & Permitted,
  key: string,
  asked: object,
  work: (claim: IdempotencyClaim) => Promise<Result>,
): Promise<Result & { replayed: boolean }> {
  const now = clock.now();
  const claim: IdempotencyClaim = {
    id: ids.next('clm'),
    investorId,
    key,
    fingerprint: cryptography.sha256(JSON.stringify(asked)),
    claimedAt: now,
    leasedUntil: addMilliseconds(now, leaseMilliseconds),
    expiresAt: addDays(now, daysKept),
  };
  const result = await idempotencyKeys.claim(claim);
  if (result.state === 'claimed') {
    try {
      return { ...(await work(claim)), replayed: false };
    } catch (error) {
      // When this fails too, the lease frees the key.
      await idempotencyKeys.release(claim).catch(() => undefined);
      throw error;
    }
  }
  await actingCredentials.check(credential);
  if (result.fingerprint !== claim.fingerprint) {
    throw new AccessError('idempotency_key_reused');
  }
  if (result.state === 'in_flight') throw new AccessError('idempotency_key_in_use');
  const accessRequest = await accessRequests.find(result.accessRequestId);
  if (accessRequest === null)
    throw new Error(`the access request ${result.accessRequestId} is gone`);
  return {
    outcome: result.outcome,
    accessRequest: asOf(accessRequest, clock.now()),
    replayed: true,
  };
}
