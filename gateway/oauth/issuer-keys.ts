import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';
import { AccessError } from '#core';
import { describeFailure, fetchBounded } from '../fetch-bounded.ts';

/** After this time, the issuer's keys are read again. Meanwhile, the known keys stay in use. */
const reloadMilliseconds = 600_000;
/** The issuer's keys are used for at most this time after they were read. */
const maxAgeMilliseconds = 86_400_000;
/** The shortest time between two reads of the issuer's keys, even if many tokens have unknown keys. */
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
 * a read, and all waiting callers share this read. Later, only a token with an unknown key waits for a read.
 *
 * The returned function throws AccessError `service_unavailable` while no keys are known.
 */
export function cacheIssuerKeys({
  issuer,
  onProblem,
  requestMilliseconds = 3_000,
  now = () => performance.now(),
}: IssuerKeysOptions) {
  let knownKeys: {
    readonly find: ReturnType<typeof createLocalJWKSet>;
    readonly at: number;
  } | null = null;
  let lastTriedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  const isOlderThan = (milliseconds: number) =>
    knownKeys === null || now() - knownKeys.at > milliseconds;

  function requireKnown() {
    if (knownKeys !== null && !isOlderThan(maxAgeMilliseconds)) return knownKeys.find;
    throw new AccessError('service_unavailable', {
      message: 'The authorization server does not answer, so its tokens can’t be checked.',
    });
  }

  /** Also resolves after a failure. Right after another attempt, resolves at once without reading. */
  async function read(): Promise<void> {
    if (reading === null && now() - lastTriedAt < retryMilliseconds) return;
    reading ??= fetchKnown().finally(() => {
      reading = null;
    });
    await reading;
  }

  async function fetchKnown(): Promise<void> {
    lastTriedAt = now();
    try {
      const keys = await fetchKeys(issuer, AbortSignal.timeout(requestMilliseconds));
      knownKeys = { find: createLocalJWKSet(keys), at: now() };
    } catch (error) {
      onProblem(`the keys of OAUTH_ISSUER ${issuer} can't be read: ${describeFailure(error)}`);
    }
  }

  return async (header: JWSHeaderParameters, token: FlattenedJWSInput) => {
    const renewing = isOlderThan(reloadMilliseconds) ? read() : null;
    if (isOlderThan(maxAgeMilliseconds)) await renewing;
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

/** @throws Error if the metadata or the keys can't be read, or if the metadata names a different issuer */
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

/** According to RFC 8414, the well-known path comes between the host and the issuer's own path. */
function authorizationServerUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`;
}

async function fetchJson(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const response = await fetchBounded(url, { signal });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}
