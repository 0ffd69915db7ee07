import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';
import { AccessError } from '#core';
import { describeFailure, fetchBounded } from '../fetch-bounded.ts';

/** The keys are read again after this time. The known keys stay in use meanwhile. */
const freshMilliseconds = 600_000;
/** The longest use of known keys. */
const keptMilliseconds = 86_400_000;
/** The minimum between two reads, regardless of the tokens. */
const retryMilliseconds = 10_000;

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly onProblem: (problem: string) => void;
  readonly requestMilliseconds?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/**
 * Caches the published keys of an authorization server (RFC 8414, or OpenID Connect Discovery). The first token starts
 * the read, and all waiting callers share it. Later, only a token with an unknown key waits for a read.
 *
 * The returned function throws AccessError `service_unavailable` while no keys are known.
 */
export function cacheIssuerKeys({
  issuer,
  onProblem,
  requestMilliseconds = 3_000,
  now = () => performance.now(),
}: IssuerKeysOptions) {
  let known: { readonly find: ReturnType<typeof createLocalJWKSet>; readonly at: number } | null =
    null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  const isOlderThan = (milliseconds: number) => known === null || now() - known.at > milliseconds;

  function requireKnown() {
    if (known !== null && !isOlderThan(keptMilliseconds)) return known.find;
    throw new AccessError('service_unavailable', {
      message: 'The authorization server does not answer, so its tokens can’t be checked.',
    });
  }

  /** Resolves also after a failure, and at once if the keys were read a moment ago. */
  async function read(): Promise<void> {
    if (reading === null && now() - triedAt < retryMilliseconds) return;
    reading ??= fetchKnown().finally(() => {
      reading = null;
    });
    await reading;
  }

  async function fetchKnown(): Promise<void> {
    triedAt = now();
    try {
      const keys = await fetchKeys(issuer, AbortSignal.timeout(requestMilliseconds));
      known = { find: createLocalJWKSet(keys), at: now() };
    } catch (error) {
      onProblem(`the keys of OAUTH_ISSUER ${issuer} can't be read: ${describeFailure(error)}`);
    }
  }

  return async (header: JWSHeaderParameters, token: FlattenedJWSInput) => {
    const renewing = isOlderThan(freshMilliseconds) ? read() : null;
    if (isOlderThan(keptMilliseconds)) await renewing;
    const find = requireKnown();
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await read();
      return requireKnown()(header, token);
    }
  };
}

/** @throws Error if the description or the keys can't be read, or if the issuer is a different one */
export async function fetchKeys(issuer: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const openId = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: url } = await fetchJson(openId, signal).catch(() =>
    fetchJson(authorizationServerUrl(issuer), signal),
  );
  if (named !== issuer)
    throw new Error(
      `the issuer of the authorization server is ${named}, but OAUTH_ISSUER is ${issuer}`,
    );
  return fetchJson(String(url), signal) as Promise<object> as Promise<JSONWebKeySet>;
}

/** RFC 8414 inserts its path between the host and the issuer's path. */
function authorizationServerUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`;
}

async function fetchJson(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const response = await fetchBounded(url, { signal });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}
