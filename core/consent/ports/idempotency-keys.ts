/** How a request for access ended: a new request, or a live one that covers it. */
export type RequestOutcome = 'created' | 'existing';

/** The right to carry out what was asked under an idempotency key, until the lease ends. */
export interface IdempotencyClaim {
  /** Tells this claim from an earlier or later one under the same key. */
  readonly id: string;
  readonly investorId: string;
  readonly key: string;
  /** Digest of what was asked, to tell a repetition from a reuse. */
  readonly fingerprint: string;
  readonly claimedAt: Date;
  /** From here on another may take the claim over: its holder is taken for dead. */
  readonly leasedUntil: Date;
  /** From here on the key is forgotten. */
  readonly expiresAt: Date;
}

export type ClaimResult =
  | { readonly state: 'claimed' }
  | { readonly state: 'in_flight'; readonly fingerprint: string }
  | {
      readonly state: 'completed';
      readonly fingerprint: string;
      readonly outcome: RequestOutcome;
      readonly accessRequestId: string;
    };

export interface IdempotencyKeys {
  /** Must give the claim to exactly one of any number of concurrent callers, on any process. */
  claim(claim: IdempotencyClaim): Promise<ClaimResult>;
  /** Gives the claim back after a failure, so that a retry is carried out. Must leave another's claim alone. */
  release(claim: IdempotencyClaim): Promise<void>;
  forgetExpired(now: Date): Promise<void>;
}
