/** What a provider tells of the person who has signed in there. */
export interface ProviderClaims {
  /** As the provider writes it; null: it names none. */
  readonly email: string | null;
  /** Whether the provider has verified the address. Null: its claims don't include `email_verified`. */
  readonly isEmailVerified: boolean | null;
}

/**
 * - `declined`: the person, or the provider, has broken the attempt off
 * - `outdated`: this browser has begun no such attempt, or too long ago, or it was finished before
 * - `invalid`: the provider has answered what must not be believed
 * - `unreachable`: the provider does not answer, or not in time
 */
export type ProviderAnswer = ProviderClaims | 'declined' | 'outdated' | 'invalid' | 'unreachable';

/**
 * An OpenID provider at which contacts sign in. It must answer within some seconds whatever the provider does, must not
 * reject, and must keep nothing between the two calls: they may come to different processes.
 */
export interface OpenIdConnect {
  /**
   * Where the browser goes to sign in, and the secret that it keeps until it comes back; null while the provider is out
   * of reach.
   *
   * @param kept the secret that the browser has from an attempt in another tab
   * @param attempt whether the provider asks for an account, though its user is signed in there; and the time
   */
  begin(
    kept: string | null,
    attempt: { readonly isOtherAccount: boolean; readonly now: Date },
  ): Promise<{ readonly url: string; readonly secret: string } | null>;
  /**
   * Must believe nothing but what the configured provider has answered to an attempt of this very browser.
   *
   * @param kept the secret that the browser was given
   * @param query of the address to which the provider has sent the browser, without the question mark
   */
  finish(kept: string | null, query: string, now: Date): Promise<ProviderAnswer>;
}
