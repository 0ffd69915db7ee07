import type { ApiKey } from './api-key.ts';
import type { RateLimitPolicy, Spending } from './rate-limit.ts';

/** A key together with the SHA-256 digest of its secret; the secret itself is never kept. */
export interface NewApiKey {
  readonly key: ApiKey;
  readonly digest: string;
}

export interface ApiKeys {
  add(newKey: NewApiKey): Promise<void>;
  find(id: string): Promise<ApiKey | null>;
  /** Oldest first; of one investor or of all. */
  list(investorId: string | null): Promise<ApiKey[]>;
  /** Must change nothing and answer false when the key is revoked already. */
  revoke(id: string, revokedAt: Date): Promise<boolean>;
  /**
   * Adds the successor and lets the old key end, together or not at all. Must change nothing and answer false when the
   * old key was revoked or replaced meanwhile.
   */
  replace(old: Pick<ApiKey, 'id'>, oldExpiresAt: Date, successor: NewApiKey): Promise<boolean>;
}

export interface RateLimiter {
  readonly policy: RateLimitPolicy;
  /**
   * Spends points of a bucket. Must count over all processes that share the limiter's store; must not reject, and must
   * not take longer than 50 ms: when the store is down or hangs, this process counts alone. Anybody can make up
   * buckets, and their number must not matter.
   */
  spend(bucket: string, points: number): Promise<Spending>;
}
