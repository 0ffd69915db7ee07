import type { RateLimitPolicy, RateLimitState } from '#core';

/**
 * The budget of a caller: in the three headers of the contract, and in the two of the draft of the IETF
 * (draft-ietf-httpapi-ratelimit-headers-11), where the policy has the same name for all callers.
 */
export function rateLimitHeaders(
  { limit, remaining, resetSeconds }: RateLimitState,
  { windowSeconds }: RateLimitPolicy,
) {
  return {
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
    'ratelimit-policy': `"key";q=${limit};w=${windowSeconds}`,
    ratelimit: `"key";r=${remaining};t=${resetSeconds}`,
  };
}
