import { type AccessRequest, asOf } from '../../model/consent/access-request.ts';
import { AccessError } from '../../model/errors.ts';
import type { Permitted } from '../../model/identity/acting-credential.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import { addDays, addMilliseconds } from '../../model/time.ts';
import type { IdempotencyClaim, RequestOutcome } from '../../ports/consent.ts';
import type { Ports } from '../../ports/index.ts';

const daysKept = 1;

/** A claim expires after this time. It is longer than any call, so only the claim of a dead process is taken over. */
const leaseMilliseconds = 60_000;

interface Result {
  readonly outcome: RequestOutcome;
  readonly accessRequest: AccessRequest;
}

/**
 * Carries out a call only once under an idempotency key. A repeated call returns the same outcome with the present
 * record. After a failure the call can be repeated.
 *
 * @throws AccessError `idempotency_key_reused`, `idempotency_key_in_use`, and the errors of the work
 */
export async function runOnce(
  { accessRequests, actingCredentials, clock, cryptography, idempotencyKeys, ids }: Ports,
  { investorId, credential }: Pick<InvestorCaller, 'investorId'> & Permitted,
  key: string,
  input: object,
  work: (claim: IdempotencyClaim) => Promise<Result>,
): Promise<Result & { replayed: boolean }> {
  const now = clock.now();
  const claim: IdempotencyClaim = {
    id: ids.next('clm'),
    investorId,
    key,
    fingerprint: cryptography.sha256(JSON.stringify(input)),
    claimedAt: now,
    leasedUntil: addMilliseconds(now, leaseMilliseconds),
    expiresAt: addDays(now, daysKept),
  };
  const result = await idempotencyKeys.claim(claim);
  if (result.state === 'claimed') {
    try {
      return { ...(await work(claim)), replayed: false };
    } catch (error) {
      // Ignores an error of the release, because the idempotency key becomes free when the lease expires.
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
