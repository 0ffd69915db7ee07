/** The claims of a provider about the signed-in person. */
export interface ProviderClaims {
  /** As the provider spells it. Null if the claim is missing. */
  readonly email: string | null;
  /** Whether the provider has verified the address. Null: its claims don't include `email_verified`. */
  readonly isEmailVerified: boolean | null;
}

/**
 * - `declined`: the person or the provider cancelled the attempt
 * - `outdated`: this browser didn't start the attempt, started it too long ago, or has finished it
 * - `invalid`: the provider's response can't be trusted
 * - `unreachable`: the provider didn't answer in time
 */
export type ProviderAnswer = ProviderClaims | 'declined' | 'outdated' | 'invalid' | 'unreachable';

/**
 * An OpenID provider at which contacts sign in. Must answer within some seconds whatever the provider does, must not
 * reject, and must keep nothing between the two calls, which can reach different processes.
 */
export interface OpenIdConnect {
  /**
   * Returns the address to sign in at, and a secret for the browser to keep. Returns null while the provider can't be
   * reached.
   *
   * @param kept the secret from an attempt in another tab
   * @param attempt whether the provider asks for an account even if the user is signed in there; and the time
   */
  begin(
    kept: string | null,
    attempt: { readonly isOtherAccount: boolean; readonly now: Date },
  ): Promise<{ readonly url: string; readonly secret: string } | null>;
  /**
   * Must trust only a response of the configured provider to an attempt of this browser.
   *
   * @param kept the secret that the browser was given
   * @param query of the callback address, without the question mark
   */
  finish(kept: string | null, query: string, now: Date): Promise<ProviderAnswer>;
}
