import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  ResponseBodyError,
} from 'openid-client';
import type { OpenIdConnect, ProviderAnswer, ProviderClaims } from '#core';
import { withinTime } from '../within-time.ts';
import { beginAttempt, findAttempt, reuseSecret } from './attempt.ts';
import { cacheProvider, describe, type ProviderSettings } from './provider.ts';

interface OpenIdConnectOptions extends ProviderSettings {
  readonly redirectUri: () => string;
  /** True to trust email addresses if the provider sends no `email_verified`. */
  readonly trustsEmail: boolean;
  readonly onProblem: (problem: string) => void;
}

/** The time limit for all requests to the provider that one page needs. */
const answerMilliseconds = 12_000;
/** The number of people who may wait for the provider, because each of them keeps a connection open. */
const maxWaiting = 64;

export function createOpenIdConnect(options: OpenIdConnectOptions): OpenIdConnect {
  const { redirectUri, trustsEmail, onProblem } = options;
  const findProvider = cacheProvider(options);
  let waiting = 0;

  /** Returns `unreachable` if the work takes too long, or if too many people are waiting. */
  async function bounded<T>(work: () => Promise<T>): Promise<T | 'unreachable'> {
    if (waiting >= maxWaiting) return 'unreachable';
    waiting += 1;
    const done = work().finally(() => {
      waiting -= 1;
    });
    return (await withinTime(done, answerMilliseconds)) ?? 'unreachable';
  }

  return {
    async begin(browserSecret, { isOtherAccount, now }) {
      const secret = reuseSecret(browserSecret);
      const { state, nonce, codeVerifier } = beginAttempt(secret, now);
      const url = await bounded(async () => {
        const configuration = await findProvider();
        return buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri(),
          scope: 'openid email',
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          ...(isOtherAccount && { prompt: 'login' }),
        }).href;
      }).catch((error: unknown) => {
        onProblem(`the OpenID provider cannot be used: ${describe(error)}`);
        return 'unreachable' as const;
      });
      return url === 'unreachable' ? null : { url, secret };
    },

    async finish(browserSecret, query, now) {
      const attempt = findAttempt(browserSecret, new URLSearchParams(query).get('state'), now);
      if (attempt === null) return 'outdated';
      return bounded(async (): Promise<ProviderAnswer> => {
        const configuration = await findProvider();
        const response = new URL(`${redirectUri()}?${query}`);
        const tokens = await authorizationCodeGrant(configuration, response, {
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          pkceCodeVerifier: attempt.codeVerifier,
          idTokenExpected: true,
        });
        const claims = await readClaims(configuration, tokens, trustsEmail);
        if (claims === 'invalid') return claims;
        const { email, isEmailVerified } = claims;
        if (email === null) onProblem(missingClaim('email'));
        else if (isEmailVerified === null) onProblem(missingClaim('email_verified'));
        return claims;
      }).catch((error: unknown) => {
        const answer = classify(error);
        if (answer === 'unreachable' || answer === 'invalid') {
          onProblem(`a sign-in at the OpenID provider failed: ${describe(error)}`);
        }
        return answer;
      });
    },
  };
}

const missingClaim = (claim: string) =>
  `a sign-in failed: the ID token and the userinfo of the OpenID provider lack the claim "${claim}"`;

/** Returns the claims of the ID token. If claims are missing, adds them from the userinfo endpoint. */
async function readClaims(
  configuration: Configuration,
  tokens: Awaited<ReturnType<typeof authorizationCodeGrant>>,
  trustsEmail: boolean,
): Promise<ProviderClaims | 'invalid'> {
  const claims = tokens.claims();
  if (claims === undefined) return 'invalid';
  const idTokenClaims = claimsIn(claims);
  const isComplete = idTokenClaims.email !== null && idTokenClaims.isEmailVerified !== null;
  const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
  const { email, isEmailVerified } =
    isComplete || !hasUserInfo
      ? idTokenClaims
      : merge(
          idTokenClaims,
          claimsIn(await fetchUserInfo(configuration, tokens.access_token, claims.sub)),
        );
  return { email, isEmailVerified: isEmailVerified ?? (trustsEmail ? true : null) };
}

/** Some providers send `email_verified` as text. */
const claimsIn = ({
  email,
  email_verified: verified,
}: Record<string, unknown>): ProviderClaims => ({
  email: typeof email === 'string' ? email : null,
  isEmailVerified: verified === undefined ? null : verified === true || verified === 'true',
});

/** Merges the claims. Ignores userinfo if its email address differs from the one in the ID token. */
function merge(idToken: ProviderClaims, userinfo: ProviderClaims): ProviderClaims {
  if (idToken.email === null) {
    const isRefused = idToken.isEmailVerified === false;
    return isRefused ? { ...userinfo, isEmailVerified: false } : userinfo;
  }
  const isSame =
    userinfo.email === null || userinfo.email.toLowerCase() === idToken.email.toLowerCase();
  const isEmailVerified = idToken.isEmailVerified ?? (isSame ? userinfo.isEmailVerified : null);
  return { email: idToken.email, isEmailVerified };
}

/** Error codes of the provider for a person who can't or doesn't want to sign in. */
const refusals = new Set([
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]);
const outages = new Set(['temporarily_unavailable', 'server_error']);

function classify(error: unknown): Exclude<ProviderAnswer, object> {
  if (error instanceof AuthorizationResponseError) {
    if (refusals.has(error.error)) return 'declined';
    return outages.has(error.error) ? 'unreachable' : 'invalid';
  }
  if (error instanceof ResponseBodyError) {
    // The authorization code was already used, or has expired.
    if (error.error === 'invalid_grant') return 'outdated';
    return outages.has(error.error) || error.status >= 500 ? 'unreachable' : 'invalid';
  }
  const { code, cause } = error as { code?: string; cause?: unknown };
  if (code === 'OAUTH_TIMEOUT' || error instanceof TypeError) return 'unreachable';
  return cause instanceof Response && cause.status >= 500 ? 'unreachable' : 'invalid';
}
