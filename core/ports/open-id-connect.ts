export interface ProviderClaims {
  /** The email address, as the provider spells it. Null if the claim is missing. */
  readonly email: string | null;
  /** Null if the claim `email_verified` is missing. */
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
 * An OpenID provider where contacts sign in. Must answer within a few seconds, even if the provider hangs. Must not
 * reject. Must keep no state between `begin` and `finish`, because they can run in different processes.
 */
export interface OpenIdConnect {
  /**
   * Returns the address for signing in, and a secret for the browser to keep. Returns null while the provider is
   * unreachable.
   *
   * @param browserSecret the secret from an attempt in another tab of the browser, or null
   * @param attempt if `isOtherAccount` is true, the provider lets the person choose an account, even if the person is
   *   already signed in at the provider
   */
  begin(
    browserSecret: string | null,
    attempt: { readonly isOtherAccount: boolean; readonly now: Date },
  ): Promise<{ readonly url: string; readonly secret: string } | null>;
  /**
   * Must trust only a response of the configured provider to an attempt of this browser.
   *
   * @param browserSecret the secret from `begin`
   * @param query the query of the callback address, without the question mark
   */
  finish(browserSecret: string | null, query: string, now: Date): Promise<ProviderAnswer>;
}
