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

interface KnownKeys {
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly readAt: number;
}

/**
 * The published keys of an authorization server (RFC 8414, or OpenID Connect Discovery). The first token starts the
 * read, and all waiting callers share it. Later, only a token with an unknown key waits for a read.
 */
export class IssuerKeys {
  readonly #options: Omit<IssuerKeysOptions, 'now'>;
  readonly #now: () => number;
  #known: KnownKeys | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor({ now = () => performance.now(), ...options }: IssuerKeysOptions) {
    this.#options = options;
    this.#now = now;
  }

  /** @throws AccessError `service_unavailable` while no keys are known */
  readonly find = async (header: JWSHeaderParameters, token: FlattenedJWSInput) => {
    const reading = this.#isOlderThan(freshMilliseconds) ? this.#read() : null;
    if (this.#isOlderThan(keptMilliseconds)) await reading;
    const known = this.#requireKnown();
    try {
      return await known.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#read();
      return this.#requireKnown().find(header, token);
    }
  };

  #isOlderThan(milliseconds: number): boolean {
    return this.#known === null || this.#now() - this.#known.readAt > milliseconds;
  }

  #requireKnown(): KnownKeys {
    if (this.#known !== null && !this.#isOlderThan(keptMilliseconds)) return this.#known;
    throw new AccessError('service_unavailable', {
      message: 'The authorization server does not answer, so its tokens can’t be checked.',
    });
  }

  /** Resolves also after a failure, and at once if the keys were read a moment ago. */
  async #read(): Promise<void> {
    if (this.#reading === null && this.#now() - this.#triedAt < retryMilliseconds) return;
    this.#reading ??= this.#fetch().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #fetch(): Promise<void> {
    const { issuer, requestMilliseconds = 3_000, onProblem } = this.#options;
    this.#triedAt = this.#now();
    const signal = AbortSignal.timeout(requestMilliseconds);
    try {
      const keys = await fetchKeys(issuer, signal);
      this.#known = { find: createLocalJWKSet(keys), readAt: this.#now() };
    } catch (error) {
      onProblem(`the keys of OAUTH_ISSUER ${issuer} can't be read: ${describeFailure(error)}`);
    }
  }
}

/** @throws Error if the description or the keys can't be read, or if the issuer is a different one */
export async function fetchKeys(issuer: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const openId = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: url } = await fetchJson(openId, signal).catch(() =>
    fetchJson(authorizationServerUrl(issuer), signal),
  );
  if (named !== issuer)
    throw new Error(
      `the authorization server calls itself ${named}, and OAUTH_ISSUER is ${issuer}`,
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
