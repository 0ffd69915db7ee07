import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  ResponseBodyError,
} from 'openid-client';
import type { OpenIdConnect, ProviderAnswer } from '#core';
import { withinTime } from '../within-time.ts';
import { beginAttempt, findAttempt, keepSecret } from './attempt.ts';
import { Provider, type ProviderSettings } from './provider.ts';

interface OpenIdConnectOptions extends ProviderSettings {
  /** Where the provider sends browsers back to, as it is registered there. */
  readonly redirectUri: () => string;
  /** Told why somebody could not sign in, where that is not the person's own doing. */
  readonly onProblem: (problem: string) => void;
}

/** All requests to the provider for one answer take at most so long together. */
const answerMilliseconds = 12_000;
/** So many people may wait for the provider at a time: it may hang, and each holds a connection. */
const maxWaiting = 64;

export function createOpenIdConnect(options: OpenIdConnectOptions): OpenIdConnect {
  const { redirectUri, onProblem } = options;
  const provider = new Provider(options);
  let waiting = 0;

  /** What the work comes to; `unreachable` when too many wait for theirs, and when it takes too long. */
  async function bounded<T>(work: () => Promise<T>): Promise<T | 'unreachable'> {
    if (waiting >= maxWaiting) return 'unreachable';
    waiting += 1;
    const done = work().finally(() => {
      waiting -= 1;
    });
    return (await withinTime(done, answerMilliseconds)) ?? 'unreachable';
  }

  return {
    async begin(kept, { isOtherAccount, now }) {
      const secret = keepSecret(kept);
      const { state, nonce, codeVerifier } = beginAttempt(secret, now);
      const url = await bounded(async () => {
        const configuration = await provider.configuration();
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
        onProblem(`the OpenID provider cannot be asked: ${describe(error)}`);
        return 'unreachable' as const;
      });
      return url === 'unreachable' ? null : { url, secret };
    },

    async finish(kept, query, now) {
      const attempt = findAttempt(kept, new URLSearchParams(query).get('state'), now);
      if (attempt === null) return 'outdated';
      return bounded(async (): Promise<ProviderAnswer> => {
        const configuration = await provider.configuration();
        const response = new URL(`${redirectUri()}?${query}`);
        const tokens = await authorizationCodeGrant(configuration, response, {
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          pkceCodeVerifier: attempt.codeVerifier,
          idTokenExpected: true,
        });
        return emailOf(configuration, tokens);
      }).catch((error: unknown) => {
        const answer = classify(error);
        if (answer === 'unreachable' || answer === 'invalid') {
          onProblem(`somebody could not sign in at the OpenID provider: ${describe(error)}`);
        }
        return answer;
      });
    },
  };
}

/** Many providers tell the address only when they are asked for it, with the token that they gave. */
async function emailOf(
  configuration: Configuration,
  tokens: Awaited<ReturnType<typeof authorizationCodeGrant>>,
): Promise<ProviderAnswer> {
  const claims = tokens.claims();
  if (claims === undefined) return 'invalid';
  const told =
    claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
      ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : claims;
  const { email, email_verified: verified } = told;
  return {
    email: typeof email === 'string' ? email : null,
    isEmailVerified: verified === true,
  };
}

/** What a provider says when its user does not want to sign in, or may not. */
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
    // The code was used before, or its time is over.
    if (error.error === 'invalid_grant') return 'outdated';
    return outages.has(error.error) || error.status >= 500 ? 'unreachable' : 'invalid';
  }
  const { code, cause } = error as { code?: string; cause?: unknown };
  if (code === 'OAUTH_TIMEOUT' || error instanceof TypeError) return 'unreachable';
  return cause instanceof Response && cause.status >= 500 ? 'unreachable' : 'invalid';
}

/** The words of an error and of what has caused it. Its other members may hold tokens and claims. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { message, cause, code, error: told } = error as Error & { code?: string; error?: string };
  const words = [message, told ?? code].filter((each) => each !== undefined).join(' ');
  return cause instanceof Error ? `${words}: ${describe(cause)}` : words;
}
